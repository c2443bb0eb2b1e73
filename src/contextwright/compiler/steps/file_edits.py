"""What calls did to files, told from their arguments: read one, wrote it, or edited it.

Tools name these arguments in a few ways, whoever made them; a call that none of them fits did
nothing to a file that is known here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeGuard

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import OLD, Called, calls_of
from contextwright.compiler.steps.patched_files import BEGIN, patched_parts
from contextwright.compiler.steps.shell_files import COMMANDS, command_of, shell_changes
from contextwright.memo.ownership import cached_text
from contextwright.text.file_arguments import PATHS
from contextwright.text.json_rows import loaded
from contextwright.text.numbered_lines import numbered

WHOLE = ("content", "contents", "file_text")
PART = ("newText", "new_str", "new_string", "replacement", "insert_text")
"""Names of arguments: of all that a file is to hold, of what stands in the place of a part (what
that part was has the names in `OLD`)."""
SEARCHES = ("pattern", "query", "regex", "glob")
"""Arguments of calls that look for something: what they give is no file."""
RANGES = ("offset", "limit", "view_range", "start_line", "end_line", "lines", "range")
"""Arguments of calls that read a part of a file."""


_START, _END = ("start_line", "startLine", "line_start"), ("end_line", "endLine", "line_end")
"""Arguments of calls that write lines by their numbers, counted from 1, the last one included."""
_EVERY = ("replace_all", "replaceAll", "allow_multiple")
_TARGETS = ("new_path", "newPath", "destination", "dest", "target", "to", "new_name")
_ORIGINS = ("old_path", "oldPath", "source", "src", "from")
_REMOVES = re.compile(r"(?:^|_)(?:delete|remove|unlink|rm)(?:_|$)", re.IGNORECASE)
_MOVES = re.compile(r"(?:^|_)(?:move|rename|mv)(?:_|$)", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Kind = Literal["read", "write", "edit", "move", "remove", "lost"]


class FileEdit(msgspec.Struct, frozen=True):
    """What a call did to a file.

    Args:
        kind: `lost`: it holds something else now, and no call tells what.
        old, new: the part that was there, and what is in its place; of a `read` and a `write`,
            `new` is what the file holds, or, where it is `partial`, a part of it; of a `move` its
            new name.
        lines: what an edit stands for where it names no text: so many lines in front of it, and
            those up to there.
        every: whether an edit is made wherever the part is.
        call: the number of the call in its exchange.
        by_shell: whether a command of a shell did it.
    """

    path: str
    kind: Kind
    new: str
    old: str = ""
    partial: bool = False
    call: int = 0
    lines: tuple[int, int] | None = None
    every: bool = False
    by_shell: bool = False


@cached_text
def file_edits(block: Block) -> tuple[FileEdit, ...]:
    """What the calls of an exchange did to files that they name as arguments; nothing where one
    failed."""
    return tuple([edit for number, call in _worked(block) for edit in _named(number, call)])


@cached_text
def file_changes(block: Block) -> tuple[FileEdit, ...]:
    """What the calls of an exchange did to files, commands of a shell among them; nothing where
    one failed."""
    return tuple(
        edit
        for number, call in _worked(block)
        for edit in (_named(number, call) or _by_command(number, call))
    )


def _worked(block: Block) -> Iterator[tuple[int, Called]]:
    """The calls of an exchange that did not fail, each with its number."""
    for number, call in enumerate(calls_of(block)):
        if not block.failed or (call.result and not call.is_failure):
            yield number, call


def _named(number: int, call: Called) -> list[FileEdit]:
    """What a call did to the files that its arguments name."""
    arguments = call.argument_values
    path = _text(arguments, PATHS)
    if not path and _MOVES.search(_CAMEL.sub("_", call.name)):
        path = _text(arguments, _ORIGINS)
    if path and "\n" not in path:
        edits = _edits(path, arguments, call)
        return [msgspec.structs.replace(edit, call=number) for edit in edits]
    if BEGIN not in call.arguments:
        return []
    texts = [one for one in arguments.values() if isinstance(one, str)]
    texts += [part for one in arguments.values() if isinstance(one, list) for part in _strings(one)]
    text = next((one for one in texts if BEGIN in one), call.arguments)
    return [FileEdit(p.path, p.kind, p.new, p.old, call=number) for p in patched_parts(text)]


def _by_command(number: int, call: Called) -> Iterator[FileEdit]:
    """What a command of a shell did to files."""
    arguments = call.argument_values
    command = next((command_of(arguments[name]) for name in COMMANDS if name in arguments), "")
    for change in shell_changes(command):
        if change.kind == "read":
            for edit in _read(change.path, call.result, partial=change.partial, by_shell=True):
                yield msgspec.structs.replace(edit, call=number)
        else:
            yield FileEdit(change.path, change.kind, change.new, call=number, by_shell=True)


def _edits(path: str, arguments: Mapping[str, Any], call: Called) -> Iterator[FileEdit]:
    several = arguments.get("edits")
    if isinstance(several, list):
        for one in several:
            yield from _edits(path, one, call) if isinstance(one, dict) else ()
        return
    old, new = _text(arguments, OLD), _text(arguments, PART)
    every, lines = any(arguments.get(name) is True for name in _EVERY), _lines(arguments)
    whole = _text(arguments, WHOLE)
    verb = arguments.get("command")
    name = _CAMEL.sub("_", f"{call.name}_{verb}" if isinstance(verb, str) else call.name)
    if lines and not old and (new or whole):
        yield FileEdit(path, "edit", new or whole, lines=lines)
    elif old or new:
        yield FileEdit(path, "edit", new, old, every=every)
    elif whole:
        yield FileEdit(path, "write", whole)
    elif _MOVES.search(name) and (target := _text(arguments, _TARGETS)):
        yield FileEdit(path, "move", target)
    elif _REMOVES.search(name):
        yield FileEdit(path, "remove", "")
    elif not any(name in arguments for name in SEARCHES):
        partial = any(arguments.get(name) for name in RANGES)
        yield from _read(path, call.result, partial=partial)


def _read(path: str, result: str, *, partial: bool, by_shell: bool = False) -> Iterator[FileEdit]:
    """What a call printed of a file, without the numbers of its lines."""
    if "." not in path.rpartition("/")[2]:
        return
    lines = numbered(result)
    text = "\n".join(line for _, line in lines) if lines else result
    if "\n" not in text.strip() or (loaded(text) is not None and not path.endswith("json")):
        return
    yield FileEdit(path, "read", text, partial=partial, by_shell=by_shell)


def _lines(arguments: Mapping[str, Any]) -> tuple[int, int] | None:
    """The lines that a call names by their numbers: those in front of them, and their last."""
    after = arguments.get("insert_line")
    if _is_line(after):
        return after, after
    start = next((arguments[name] for name in _START if name in arguments), None)
    end = next((arguments[name] for name in _END if name in arguments), None)
    return (start - 1, end) if _is_line(start) and _is_line(end) and 0 < start <= end + 1 else None


def _is_line(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _strings(values: Sequence[Any]) -> list[str]:
    return [one for one in values if isinstance(one, str)]


def _text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")
