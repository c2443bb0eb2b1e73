"""What a model is given of a text that it asked for: a page of it, of some of its lines, or of the
lines that match, and how to go on."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from contextwright.engine.safe_find import find_by
from contextwright.text.line_matches import (
    LineRange,
    line_count,
    lines_in,
    matching_lines,
    read_range,
)
from contextwright.text.text_pages import TextPages, pages_of

FOOT = 40
"""Tokens of the last line, beside the arguments that it repeats."""
SMALLEST = 16
"""Tokens of a page at least."""


class ReadBackCall(msgspec.Struct, frozen=True):
    """What was asked for: a `ref`, or a `query`.

    Args:
        lines: such as `10-40`. page: from 1. grep: an expression.
        max_tokens: of the answer; 0 where nothing was said.
    """

    ref: str = ""
    query: str = ""
    lines: str = ""
    page: int = 1
    grep: str = ""
    max_tokens: int = 0


def read_call(arguments: str | Mapping[str, Any] | None, *, wanted: str) -> ReadBackCall | str:
    """The arguments of a call; or what is wrong with them, for the model.

    Args:
        arguments: JSON text, or a mapping, as providers give them.
        wanted: the argument that there must be, `ref` or `query`.
    """
    if isinstance(arguments, str):
        try:
            arguments = cast("Mapping[str, Any]", json.loads(arguments or "{}"))
        except (ValueError, RecursionError):
            return "Not read: the arguments are no JSON object."
    value: object = {} if arguments is None else arguments
    if not isinstance(value, Mapping):
        return "Not read: the arguments are no JSON object."
    texts = {key: each for key, each in cast("Mapping[str, Any]", value).items() if each}
    example = '{"ref": "event://e2#0"}' if wanted == "ref" else '{"query": "refund policy"}'
    if not isinstance(texts.get(wanted), str) or not texts[wanted].strip():
        return f"Not read: give {wanted} as text, such as {example}."
    numbers: dict[str, int] = {}
    for name, default in (("page", 1), ("max_tokens", 0)):
        try:
            numbers[name] = int(texts.get(name, default))
        except (ValueError, TypeError, OverflowError):
            return f"Not read: {name} is a whole number, such as 2."
    return ReadBackCall(
        **{wanted: texts[wanted].strip()},
        lines=str(texts.get("lines", "")).strip(),
        grep=str(texts.get("grep", "")),
        page=numbers["page"],
        max_tokens=max(0, numbers["max_tokens"]),
    )


def answer_of(
    call: ReadBackCall,
    text: str,
    count: Callable[[str], int],
    *,
    tool: str,
    most: int,
    room: int,
) -> str:
    """What is given of a text, with a last line that says what it is and how to go on.

    Args:
        text: all that the ref names.
        tool: what the tool is called.
        most: tokens of a page, the last line included.
        room: tokens there are; where a page is larger, its half is given, or a quarter, ...

    Raises:
        PatternError: what `grep` has is no expression.
    """
    total = line_count(text)
    lines = read_range(call.lines or "1-", total)
    if lines is None:
        return f"Not read: lines={call.lines!r}; there are lines 1-{total}, such as '1-20'."
    view, what = _view(call, text, lines, total)
    size = most
    while size > room:
        size //= 2
    whole = pages = _pages(call, view, most, most, count, tool)
    if not 1 <= call.page <= len(whole):
        return f"Not read: page {call.page} of {what}; there are pages 1-{len(whole)}."
    if size < most:  # smaller pages: one begins where the page that was asked for does
        pages = _pages(call, view, size, most, count, tool)
    number, page = pages.page_from(whole.starts[call.page - 1])
    repeated = _repeated(call, _named_size(call, size, most))
    if len(pages) == 1:
        return f"{page}\n[{what}: all of it]"
    where = f"page {number} of {len(pages)} of {what}"
    if number == len(pages):
        return f"{page}\n[{where}: the end]"
    return f"{page}\n[{where}; next: {tool}({repeated}, page={number + 1})]"


def _pages(
    call: ReadBackCall, view: str, size: int, most: int, count: Callable[[str], int], tool: str
) -> TextPages:
    """What is given, in pages of so many tokens, their last lines included."""
    repeated = _repeated(call, _named_size(call, size, most))
    foot = FOOT + count(tool) + 2 * count(repeated)
    return pages_of(view, max(SMALLEST, size - foot), count)


def _named_size(call: ReadBackCall, size: int, most: int) -> int:
    """The tokens that the call for the next page has to name; 0 where it needs to name none."""
    return size if size < most or call.max_tokens else 0


def _view(call: ReadBackCall, text: str, lines: LineRange, total: int) -> tuple[str, str]:
    """What was asked for of a text, and what to call it."""
    some = f"lines {lines.first}-{lines.last} of {total}" if call.lines else f"{total} lines"
    if not call.grep:
        return (lines_in(text, lines), some) if call.lines else (text, some)
    view, matched = matching_lines(text, find_by(call.grep), lines)
    return view, f"{matched} matching line{'' if matched == 1 else 's'} in {some}"


def _repeated(call: ReadBackCall, max_tokens: int) -> str:
    """The arguments with which the next page is asked for."""
    named = {"ref": call.ref, "lines": call.lines, "grep": call.grep}
    parts = [f"{name}={json.dumps(value)}" for name, value in named.items() if value]
    return ", ".join(parts + ([f"max_tokens={max_tokens}"] if max_tokens else []))
