"""What calls did to files, told from their arguments: read one, wrote it, or edited it.

Tools name these arguments in a few ways, whoever made them; a call that none of them fits did
nothing to a file that is known here.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import OLD, Called, calls_of
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


class FileEdit(msgspec.Struct, frozen=True):
    """What a call did to a file.

    Args:
        old, new: the part that was there, and what is in its place; of a `read` and a `write`,
            `new` is what the file holds, or, where it is `partial`, a part of it.
        call: the number of the call in its exchange.
    """

    path: str
    kind: Literal["read", "write", "edit"]
    new: str
    old: str = ""
    partial: bool = False
    call: int = 0


@cached_text
def file_edits(block: Block) -> tuple[FileEdit, ...]:
    """What the calls of an exchange did to files; nothing where it failed."""
    if block.failed:
        return ()
    made: list[FileEdit] = []
    for number, call in enumerate(calls_of(block)):
        arguments = call.argument_values
        path = _text(arguments, PATHS)
        if path and "\n" not in path:
            made += (
                msgspec.structs.replace(edit, call=number) for edit in _edits(path, arguments, call)
            )
    return tuple(made)


def _edits(path: str, arguments: Mapping[str, Any], call: Called) -> tuple[FileEdit, ...]:
    several = arguments.get("edits")
    if isinstance(several, list):
        pairs = [one for one in several if isinstance(one, dict)]
        return tuple(edit for one in pairs for edit in _edits(path, one, call))
    old, new = _text(arguments, OLD), _text(arguments, PART)
    if old or new:
        return (FileEdit(path, "edit", new, old),)
    if whole := _text(arguments, WHOLE):
        return (FileEdit(path, "write", whole),)
    if any(name in arguments for name in SEARCHES) or "." not in path.rpartition("/")[2]:
        return ()
    lines = numbered(call.result)
    text = "\n".join(line for _, line in lines) if lines else call.result
    if "\n" not in text.strip() or (loaded(text) is not None and not path.endswith("json")):
        return ()
    partial = any(arguments.get(name) for name in RANGES)
    return (FileEdit(path, "read", text, partial=partial),)


def _text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")
