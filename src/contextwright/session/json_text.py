"""The JSON value of a text that a model or a tool wrote."""

import json
from typing import Any

import msgspec

from contextwright.json_depth import is_too_deep


def json_value(text: str) -> Any:
    """The value, as `json.loads` reads it; three times as fast where the text is strict JSON.

    Raises:
        ValueError: it is no JSON. RecursionError: it nests too deep.
    """
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        value = json.loads(text)  # NaN, and escapes of half a character
    if is_too_deep(text, value):
        raise RecursionError
    return value
