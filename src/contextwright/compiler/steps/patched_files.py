"""What a patch in OpenAI's form does to files (`*** Update File: a.py`), change by change."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

BEGIN = "*** Begin Patch"
_HEAD = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")


class PatchedPart(NamedTuple):
    """A change of a file: `new` in the place of `old`; all of it where it was added; `new` is its
    new name where it moved."""

    path: str
    kind: Literal["write", "edit", "remove", "move"]
    new: str = ""
    old: str = ""


def patched_parts(text: str) -> Iterator[PatchedPart]:
    """What a patch does, in its order; nothing where a text is none."""
    _, begin, patch = text.partition(BEGIN)
    path, verb, lines = "", "", list[str]()
    for line in (*patch.splitlines(), "*** End Patch") if begin else ():
        if (move := _MOVE.match(line)) and not lines:
            yield PatchedPart(path, "move", move[1].strip())
            path = move[1].strip()
        elif line.startswith("*** ") and not line.startswith("*** End of File"):
            yield from _parts(path, verb, lines)
            head = _HEAD.match(line)
            path, verb = (head[2].strip(), head[1]) if head else ("", "")
            lines = []
        else:
            lines.append(line)


def _parts(path: str, verb: str, lines: Sequence[str]) -> Iterator[PatchedPart]:
    if verb == "Add":
        yield PatchedPart(path, "write", "\n".join([line[1:] for line in lines if line[:1] == "+"]))
    elif verb == "Delete":
        yield PatchedPart(path, "remove")
    elif verb == "Update":
        hunk: list[str] = []
        for line in (*lines, "@@"):
            if not line.startswith("@@"):
                hunk.append(line)
                continue
            old = "\n".join([one[1:] for one in hunk if not one.startswith(("+", "***"))])
            new = "\n".join([one[1:] for one in hunk if not one.startswith(("-", "***"))])
            if old != new:
                yield PatchedPart(path, "edit", new, old)
            hunk = []
