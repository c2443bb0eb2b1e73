"""What the files of a session hold by now, as far as its calls show it: what was read, with all
edits since then in it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.file_edits import FileEdit, file_edits
from contextwright.text.one_voice import in_one_voice

SEEN = 512
"""Newest exchanges in which files are looked for."""
NEAR = (96, 48, 24, 12, 6, 3, 1)
"""Lines around an edit that are told with it: as many of these as there is room for."""
LARGEST = 20_000
"""Lines of a file up to which its edits are followed."""


class FileLine(msgspec.Struct, frozen=True):
    """A line of a file, and the exchange that wrote or read it last."""

    text: str
    at: int


class FileState(msgspec.Struct):
    """A file as far as it is known: parts of it, the one that was changed last at the end.

    Args:
        at, call: what touched it last: the place of an exchange, and the number of its call.
        edited: whether the agent changed it itself.
        sources: exchanges whose results or arguments are in it.
    """

    path: str
    at: int = 0
    call: int = 0
    edited: bool = False
    parts: list[list[FileLine]] = []
    sources: set[int] = set()

    def take(self, edit: FileEdit, at: int) -> None:
        """One more call did something to it."""
        self.at, self.call = at, edit.call
        self.sources = {*self.sources, at}
        self.edited = self.edited or edit.kind != "read"
        new = [FileLine(text, at) for text in edit.new.splitlines()]
        if edit.kind == "edit":
            self._replace(edit, at, new)
        elif not edit.partial:
            self.parts, self.sources = [new], {at}
        else:
            texts = "\n".join(line.text for line in new)
            self.parts = [part for part in self.parts if _joined(part) not in texts]
            if not any(texts in _joined(part) for part in self.parts):
                self.parts = [*self.parts, new]

    def _replace(self, edit: FileEdit, at: int, new: list[FileLine]) -> None:
        """The new text in the place of the old, wherever that is known."""
        parts: list[list[FileLine]] = []
        is_known = False
        for part in self.parts:
            whole = _joined(part)
            place = whole.find(edit.old) if edit.old and len(part) <= LARGEST else -1
            if place < 0:
                parts.append(part)
                continue
            is_known = True
            first, last = whole.count("\n", 0, place), whole.count("\n", 0, place + len(edit.old))
            head = whole[whole.rfind("\n", 0, place) + 1 : place]
            end = whole.find("\n", place + len(edit.old))
            tail = whole[place + len(edit.old) : end if end >= 0 else len(whole)]
            texts = f"{head}{edit.new}{tail}".split("\n")
            changed = [FileLine(text, at) for text in texts]
            parts.append([*part[:first], *changed, *part[last + 1 :]])
        if not is_known and new:
            parts.append(new)
        self.parts = [part for part in parts if part]

    def text_in(self, tokens: int, count: Callable[[str], int]) -> str:
        """Its lines in so many tokens: all, or those around what was changed last; empty where
        there is no room for any."""
        for near in (None, *NEAR):
            text = self._around(near)
            if count(text) <= tokens:
                return text
        return ""

    def _around(self, near: int | None) -> str:
        pieces: list[str] = []
        for part in self.parts:
            shown = range(len(part)) if near is None else _near_edits(part, near)
            pieces += _pieces(part, shown)
        return "\n".join(pieces)


def _joined(part: Sequence[FileLine]) -> str:
    return "\n".join(line.text for line in part)


def _near_edits(part: Sequence[FileLine], near: int) -> list[int]:
    """Places of lines at most so far from one that came after the rest of the part."""
    first = min(line.at for line in part)
    changed = [place for place, line in enumerate(part) if line.at > first]
    shown: set[int] = set()
    for place in changed:
        shown.update(range(max(0, place - near), min(len(part), place + near + 1)))
    return sorted(shown)


def _pieces(part: Sequence[FileLine], shown: Sequence[int]) -> Iterator[str]:
    """Lines in their order, with the number of those that stand between them."""
    last = -1
    for place in shown:
        if place > last + 1:
            yield f"[… {place - last - 1} lines]"
        yield part[place].text
        last = place
    if shown and last + 1 < len(part):
        yield f"[… {len(part) - last - 1} lines]"


class ToldFile(msgspec.Struct, frozen=True, array_like=True):
    """A file in a note: of the one that this call of this exchange touched, so many tokens."""

    at: int
    call: int
    tokens: int


def told_file(state: FileState, tokens: int, count: Callable[[str], int]) -> str:
    """A file under its name, in so many tokens; empty where it has no room."""
    head = f"[{state.path} as it is by now]"
    text = state.text_in(tokens - count(head) - 1, count)
    shown = in_one_voice(text, first=True)  # behind its name
    whole = f"{head}\n{shown}"
    return whole if text and (shown == text or count(whole) <= tokens) else ""


def told_files(
    files: Sequence[ToldFile], blocks: Sequence[Block], stop: int, count: Callable[[str], int]
) -> list[str]:
    """Files as a note of the exchanges before `stop` tells them."""
    if not files:
        return []
    states = {(state.at, state.call): state for state in file_states(blocks, stop)}
    return [told_file(states[file.at, file.call], file.tokens, count) for file in files]


def file_states(blocks: Sequence[Block], stop: int) -> list[FileState]:
    """Files as the exchanges before `stop` leave them: those that were edited first, of these and
    of the others the one that was touched last."""
    start = max(0, stop - SEEN)
    states: dict[str, FileState] = {}
    for at, block in enumerate(blocks[start:stop], start):
        for edit in file_edits(block):
            state = states.get(edit.path)
            if state is None:
                state = states[edit.path] = FileState(edit.path)
            state.take(edit, at)
    return sorted(states.values(), key=lambda state: (not state.edited, -state.at, state.path))
