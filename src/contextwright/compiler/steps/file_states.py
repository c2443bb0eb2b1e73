"""What the files of a session hold by now, as far as its calls show it: what was read, with all
edits since then in it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.file_edits import FileEdit, file_changes
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
        at, call: what touched it last: the place of an exchange, and the number of what it did.
        edited: whether the agent changed it itself.
        whole: whether its one part is all of it.
        by_shell: whether only commands of a shell told of it.
        sources: exchanges whose results or arguments are in it.
    """

    path: str
    at: int = 0
    call: int = 0
    edited: bool = False
    whole: bool = False
    by_shell: bool = False
    parts: list[list[FileLine]] = []
    sources: set[int] = set()

    def take(self, edit: FileEdit, at: int, number: int) -> None:
        """One more call did something to it."""
        self.at, self.call = at, number
        self.sources = {*self.sources, at}
        self.edited = self.edited or edit.kind != "read"
        new = [FileLine(text, at) for text in edit.new.splitlines()]
        if edit.kind == "edit":
            self._change(edit, at, new)
        elif not edit.partial:
            self.parts, self.sources, self.whole = [new], {at}, True
        elif not (self.whole and _joined(new) in _joined(self.parts[0])):
            texts = _joined(new)
            self.parts = [part for part in self.parts if _joined(part) not in texts]
            if not any(texts in _joined(part) for part in self.parts):
                self.parts, self.whole = [*self.parts, new], False

    def _change(self, edit: FileEdit, at: int, new: list[FileLine]) -> None:
        """The new text in the place of the old, wherever that is known."""
        if edit.lines is not None and self.whole and edit.lines[1] <= len(self.parts[0]):
            first, last = edit.lines
            (part,) = self.parts
            self.parts = [[*part[:first], *new, *part[last:]]]
            return
        parts: list[list[FileLine]] = []
        is_known = False
        for part in self.parts:
            changed = _replaced(part, edit, at)
            is_known = is_known or changed is not None
            parts.append(part if changed is None else changed)
        if edit.lines is not None and edit.lines[0] < edit.lines[1]:
            parts = []  # lines of it went, and nobody knows which
        if not is_known:
            self.whole = False
            if new:
                parts.append(new)
        self.parts = [part for part in parts if part]
        self.whole = self.whole and len(self.parts) == 1

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


def _replaced(part: list[FileLine], edit: FileEdit, at: int) -> list[FileLine] | None:
    """A part with the new text in the place of the old, once or wherever that is; None where it is
    nowhere."""
    whole = _joined(part)
    if not edit.old or len(part) > LARGEST or edit.old not in whole:
        return None
    first, *others = whole.split(edit.old, -1 if edit.every else 1)
    *lines, text = first.split("\n")
    row = len(lines)
    made, is_changed = part[:row], False
    for piece in others:
        begin, *lines = piece.split("\n")
        text, is_changed = f"{text}{edit.new}{begin}", True
        row += edit.old.count("\n")
        if lines:
            made += _changed(text, at)
            made += part[row + 1 : row + len(lines)]
            row, text, is_changed = row + len(lines), lines[-1], False
    made += _changed(text, at) if is_changed else part[row : row + 1]
    return [*made, *part[row + 1 :]]


def _changed(text: str, at: int) -> list[FileLine]:
    return [FileLine(line, at) for line in text.split("\n")]


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
        for number, edit in enumerate(file_changes(block)):
            _follow(states, edit, at, number)
    known = (state for state in states.values() if state.edited or not state.by_shell)
    return sorted(
        known, key=lambda state: (not state.edited, state.by_shell, -state.at, state.path)
    )


def _follow(states: dict[str, FileState], edit: FileEdit, at: int, number: int) -> None:
    """What a call did, told of the file that it names."""
    path = _same(edit.path, states) if edit.by_shell else edit.path
    if edit.kind in {"remove", "lost"}:
        for name in [one for one in states if one == path or one.startswith(f"{path}/")]:
            del states[name]
        return
    if edit.kind == "move":
        state = states.pop(path, None)
        if state is not None:
            state.at, state.call, state.edited = at, number, True
            state.path = _moved(path, edit)
            states[state.path] = state
        return
    state = states.get(path)
    if state is None:
        state = states[path] = FileState(path, by_shell=edit.by_shell)
    state.take(edit, at, number)
    state.by_shell = state.by_shell and edit.by_shell


def _same(path: str, states: dict[str, FileState]) -> str:
    """The name by which a file is known that a shell names from a folder of its own."""
    if path in states:
        return path
    name = path.removeprefix("./")
    known = [one for one in states if one.endswith(f"/{name}") or name.endswith(f"/{one}")]
    return known[0] if len(known) == 1 else path


def _moved(path: str, edit: FileEdit) -> str:
    """A file's new name, in the folder that a shell's names are from."""
    folder = path.removesuffix(edit.path.removeprefix("./")) if edit.by_shell else ""
    name = edit.new.removeprefix("./")
    if name.endswith("/") or "." not in name.rpartition("/")[2]:
        name = f"{name.rstrip('/')}/{path.rpartition('/')[2]}"
    return name if name.startswith("/") else f"{folder}{name}"
