"""Blocks and items are told apart by a text under `type`; anything else there is named."""

from typing import Any, cast

from contextwright.formats.fields import Json, an_object, text_or


def kind_of(value: Any, where: str) -> str:
    """The kind of a block or an item; empty where it says none.

    Raises:
        MalformedRecord: it, or a block within it, is no object or has a type that is no text.
    """
    block = an_object(value, where)
    kind = text_or(block.get("type"), f"{where}.type")
    for key in ("content", "output", "summary"):
        inner: Any = block.get(key)
        for number, item in enumerate(cast(list[Any], inner) if isinstance(inner, list) else ()):
            if isinstance(item, dict):
                kind_of(cast(Json, item), f"{where}.{key}[{number}]")
    return kind
