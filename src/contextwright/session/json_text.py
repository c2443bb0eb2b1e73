"""The JSON value of a text that a model or a tool wrote."""

import json
from typing import Any

import msgspec


def json_value(text: str) -> Any:
    """The value, as `json.loads` reads it; three times as fast where the text is strict JSON.

    Raises:
        ValueError: it is no JSON. RecursionError: it nests too deep.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(text)  # NaN, and escapes of half a character
