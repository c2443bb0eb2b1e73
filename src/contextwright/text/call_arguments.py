"""The arguments of a call in few tokens: what a model wrote at length gives way as results do.

The JSON keeps its shape: only strings become shorter, in their places, and every other byte stays,
so that the call still is what the tool's schema wants.
"""

import json
import re
from collections.abc import Callable

from contextwright.text.content_router import shorten
from contextwright.text.cut import Count
from contextwright.text.json_fields import load_json
from contextwright.text.ref_notes import argument_note, has_argument_note

_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*:)?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
LEAST = 8
"""Tokens below which the beginning of a string says nothing: the mark stands alone."""


def shorten_arguments(
    arguments: str, *, min_tokens: int, max_tokens: int, count: Count, ref: str = ""
) -> str:
    """The arguments with their long strings in short; themselves where none is long.

    Ids, paths and queries are short and stay. What is no JSON object stays as it is.

    Args:
        arguments: JSON text, as the model wrote it.
        min_tokens: strings of up to so many tokens stay.
        max_tokens: tokens that a longer one keeps, its mark not counted.
        count: tokens of a text.
        ref: where the whole is.

    Returns:
        JSON text of the same shape.
    """

    def room_of(tokens: int) -> int | None:
        return max_tokens if tokens > min_tokens else None

    return arguments_in(arguments, room_of, min_tokens, count, ref)


def arguments_in(
    arguments: str, room_of: Callable[[int], int | None], least: int, count: Count, ref: str = ""
) -> str:
    """The arguments with each long string in its room, as `shorten_arguments` has them.

    Args:
        room_of: tokens that a string of so many keeps, its mark not counted; None where it stays.
        least: tokens up to which every string stays.
    """
    if len(arguments) <= least or not isinstance(load_json(arguments), dict):
        return arguments

    def change(match: re.Match[str]) -> str:
        literal, is_name = match[1], match[2] is not None
        if is_name or len(literal) <= least:
            return match[0]
        text = json.loads(f'"{literal}"', strict=False)
        short = _short(text, room_of, count, ref)
        if short == text or _SURROGATE.search(short):  # escaped, and no provider takes it bare
            return match[0]
        return json.dumps(short, ensure_ascii=False)

    return _STRING.sub(change, arguments)


def _short(text: str, room_of: Callable[[int], int | None], count: Count, ref: str) -> str:
    tokens = count(text)
    room = room_of(tokens)
    if room is None or has_argument_note(text):
        return text
    mark = argument_note(ref, tokens)
    head = shorten(text, room, count, index=False).text if room >= LEAST else ""
    short = f"{head}\n{mark}" if head else mark
    return short if count(short) < tokens else text
