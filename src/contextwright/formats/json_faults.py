"""What is wrong with a text that is no JSON, and where: told of one that was refused."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord

_SHOWN = 20
"""Characters of a number that an error shows."""


class _Number(msgspec.Struct, frozen=True):
    """A number as it is written."""

    text: str


def json_fault(text: str, where: str, error: Exception, *, is_line: bool) -> MalformedRecord:
    """The error of a text that the decoder refused.

    Args:
        where: the file, and its line where `is_line`.
        error: what the decoder said.
        is_line: whether the text is one line of a file of them.
    """
    fix = (
        "mend or remove this line; the lines before it are whole"
        if is_line
        else "give a JSON document, or one JSON value a line"
    )
    try:
        value = json.loads(text, parse_constant=_Number, parse_int=_Number, parse_float=_Number)
        path, number = next(_refused(value, ""), ("", ""))
    except RecursionError:
        return MalformedRecord(f"not JSON: {error}", where=where, fix=fix)
    except json.JSONDecodeError as other:
        byte = re.search(r"\(byte (\d+)\)", str(error))
        place = f", byte {byte[1]}" if byte else ""
        if not is_line and "\n" in text.strip():
            place = f" line {other.lineno}, column {other.colno}"
        return MalformedRecord(f"not JSON: {error}", where=where + place, fix=fix)
    if not number:
        return MalformedRecord(f"not JSON: {error}", where=where, fix=fix)
    shown, is_word = number, number.endswith(("NaN", "Infinity"))
    if len(number) > _SHOWN:
        shown = f"{number[: _SHOWN - 2]}… ({len(number)} characters)"
    return MalformedRecord(
        f"{shown} is no number of JSON's" if is_word else f"{shown} is too large",
        where=f"{where}, field {path}" if path else where,
        fix="write null there, or the number as a text",
    )


def _refused(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The places of numbers that the decoder does not take, with what is written there."""
    if isinstance(value, _Number):
        try:
            msgspec.json.decode(value.text)
        except msgspec.DecodeError:
            yield path, value.text
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _refused(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for at, inner in enumerate(cast("list[Any]", value)):
            yield from _refused(inner, f"{path}[{at}]")
