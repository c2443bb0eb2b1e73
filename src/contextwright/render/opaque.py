"""Tokens of what nobody here knows the form of."""

from collections.abc import Mapping
from typing import Any, cast

from contextwright.render.wire import Count, schema_tokens

SEALED_TEXT = 512
"""Characters from which on a text without a blank is bytes, not words: a signature, a key, base64.
Its content is billed by what it stands for: at most a token three characters."""


def opaque_tokens(value: Any, count: Count) -> int:
    """Tokens of JSON data as it stands, with its sealed texts by their length."""
    sealed: list[str] = []
    words = _without_sealed(value, sealed)
    return schema_tokens(words, count) + sum(len(text) // 3 for text in sealed)


def beside_tokens(part: Mapping[str, Any], known: frozenset[str], count: Count) -> int:
    """Tokens of what a part says beside the fields that are known."""
    if known.issuperset(part):
        return 0
    others = {key: item for key, item in part.items() if key not in known and item is not None}
    return opaque_tokens(others, count) if others else 0


def _without_sealed(value: Any, sealed: list[str]) -> Any:
    if isinstance(value, str):
        if len(value) < SEALED_TEXT or any(map(str.isspace, value)):
            return value
        sealed.append(value)
        return ""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {key: _without_sealed(item, sealed) for key, item in fields.items()}
    if isinstance(value, list):
        return [_without_sealed(item, sealed) for item in cast("list[Any]", value)]
    return value
