"""Tokens of what nobody here knows the form of."""

import re
from collections.abc import Mapping
from typing import Any, cast

from contextwright.render.wire import Count, cost_of_image, schema_tokens
from contextwright.session.event import Image
from contextwright.tokens.images import image_size

SEALED_TEXT = 512
"""Characters from which on a text without a blank is bytes, not words: a signature, a key, base64.
Its content is billed by what it stands for: at most a token three characters."""


_PICTURE = re.compile(r"data:image/[\w.+-]+;base64,")
_HEADS = ("iVBORw0KGgo", "R0lGOD", "UklGR", "/9j/")
"""How PNG, GIF, WebP and JPEG begin in base64."""
_ADDRESSES = ("image_url", "url", "file_id")
"""Fields of a picture that hold its address, or its id at its provider."""


def opaque_tokens(value: Any, count: Count, provider: str) -> int:
    """Tokens of JSON data as it stands, with its pictures as the provider bills them and its sealed
    texts by their length.

    Args:
        provider: as `tokens.images` names it.
    """
    sealed: list[str] = []
    pictures: list[Image] = []
    words = _without_sealed(value, sealed, pictures)
    shown = sum(cost_of_image(picture, provider) for picture in pictures)
    return schema_tokens(words, count) + shown + sum(len(text) // 3 for text in sealed)


def beside_tokens(
    part: Mapping[str, Any], known: frozenset[str], count: Count, provider: str
) -> int:
    """Tokens of what a part says beside the fields that are known."""
    if known.issuperset(part):
        return 0
    others = {key: item for key, item in part.items() if key not in known and item is not None}
    return opaque_tokens(others, count, provider) if others else 0


def _without_sealed(
    value: Any,
    sealed: list[str],
    pictures: list[Image],
    *,
    is_address: bool = False,
    is_source: bool = False,
) -> Any:
    if isinstance(value, str):
        if (picture := _picture(value, is_address=is_address)) is not None:
            pictures.append(picture)
            return ""
        if len(value) < SEALED_TEXT or any(map(str.isspace, value)):
            return value
        sealed.append(value)
        return ""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        kind = str(fields.get("type"))
        is_picture = is_source or "image" in kind or "screenshot" in kind
        address = next((name for name in _ADDRESSES if fields.get(name)), "") if is_picture else ""
        return {
            name: _without_sealed(
                item,
                sealed,
                pictures,
                is_address=name == address,
                is_source=is_picture and name in ("source", address),
            )
            for name, item in fields.items()
        }
    if isinstance(value, list):
        return [_without_sealed(item, sealed, pictures) for item in cast("list[Any]", value)]
    return value


def _picture(text: str, *, is_address: bool) -> Image | None:
    """The picture that a text is: as a data URL, as base64 that says its size, or by its address;
    None for another text."""
    if (url := _PICTURE.match(text)) is not None:
        return Image(data=text[url.end() :])
    if is_address and text:
        return Image(url=text)
    is_long = len(text) >= SEALED_TEXT and text.startswith(_HEADS)
    return Image(data=text) if is_long and image_size(text) is not None else None
