"""The order of keys in JSON data, which storing it forgets: a log keeps its events with their keys
sorted, and a body must leave with its own."""

import re
from math import isfinite
from typing import Any, cast

from contextwright.errors import MalformedRecord
from contextwright.formats.fields import Json, object_if

KEYS = "$keys"
"""Key of an order: the keys of this object, as they came."""
_MARK = re.compile(r"\$+(?:absent|items|whole|keys)")


def escaped(key: str) -> str:
    """A source's key as it stands in an order or a residue, where ours begin with one `$`."""
    return f"${key}" if _MARK.fullmatch(key) else key


def unescaped(key: str) -> str:
    """The key that was `escaped`."""
    return key[1:] if key.startswith("$$") and _MARK.fullmatch(key) else key


def key_order(written: Any, source: Any) -> Json:
    """The order of the source's keys where it is not the one that laying a residue over `written`
    gives; empty where it is.

    Args:
        written: what the format's writer makes. What it passes on, and what it does not make, is
            in the order in which it is stored: sorted.

    Raises:
        MalformedRecord: a number of the source is none that JSON has.
    """
    if isinstance(source, float) and not isfinite(source):
        raise MalformedRecord(
            f"{source} is no JSON, and would leave as null",
            where="a field of a body or of a message",
            fix="give a number, a text or None",
        )
    if isinstance(source, dict):
        return _of_object(written, cast(Json, source))
    if not isinstance(source, list):
        return {}
    items = cast(list[Any], source)
    made = cast(list[Any], written) if isinstance(written, list) else items
    made = made if len(made) == len(items) else items
    orders = {str(n): key_order(*pair) for n, pair in enumerate(zip(made, items, strict=True))}
    return {place: order for place, order in orders.items() if order}


def _of_object(written: Any, source: Json) -> Json:
    made: Json = written if isinstance(written, dict) and written is not source else {}
    order: Json = {}
    for key, value in source.items():
        if isinstance(value, dict | list | float) and (
            inner := key_order(made.get(key, value), value)
        ):
            order[escaped(key)] = inner
    expected = [key for key in made if key in source]
    expected += sorted((key for key in source if key not in made), key=escaped)
    return {**order, KEYS: list(source)} if list(source) != expected else order


def in_key_order(value: Any, order: Json) -> Any:
    """The same data with its keys in this order; keys that it does not name stand behind."""
    if not order:
        return value
    if isinstance(value, list):
        items = cast(list[Any], value)
        return [in_key_order(item, order.get(str(n), {})) for n, item in enumerate(items)]
    if not isinstance(value, dict):
        return value
    fields = cast(Json, value)
    names = order.get(KEYS, ())
    keys = [*(key for key in names if key in fields), *(key for key in fields if key not in names)]
    return {key: in_key_order(fields[key], object_if(order.get(escaped(key)))) for key in keys}
