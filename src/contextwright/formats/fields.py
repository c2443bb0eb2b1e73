"""Fields of decoded records; what is wrong is named with its place."""

import json
from typing import Any, cast

from contextwright.errors import MalformedRecord

Json = dict[str, Any]


def an_object(value: Any, where: str) -> Json:
    """The value, which must be an object."""
    if not isinstance(value, dict):
        raise wrong("an object", value, where)
    return value  # pyright: ignore[reportUnknownVariableType]


def a_list(value: Any, where: str) -> list[Any]:
    """The value, which must be a list."""
    if not isinstance(value, list):
        raise wrong("a list", value, where)
    return value  # pyright: ignore[reportUnknownVariableType]


def a_text(value: Any, where: str) -> str:
    """The value, which must be a string."""
    if not isinstance(value, str):
        raise wrong("a string", value, where)
    return value


def text_or(value: Any, where: str, otherwise: str = "") -> str:
    """The value, a string, or something else where it is missing or null."""
    return otherwise if value is None else a_text(value, where)


def text_if(value: Any, otherwise: str = "") -> str:
    """The value where it is a string that says something, else `otherwise`."""
    return value if isinstance(value, str) and value else otherwise


def object_if(value: Any) -> Json:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def list_if(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def wrong(expected: str, value: Any, where: str) -> MalformedRecord:
    """The error for a value of another type, or another text."""
    got = "nothing" if value is None else type(value).__name__
    got = repr(value[:40]) if isinstance(value, str) else got
    return MalformedRecord(f"expected {expected}, got {got}", where=where, fix=f"mend {where}")


def text_of(value: Any) -> str:
    """A call's arguments as JSON text, in their own key order."""
    return json.dumps(value, ensure_ascii=False)


def object_of(text: str) -> dict[str, Any] | None:
    """The object that a call's arguments are; None where they are none."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def value_of(text: str) -> Any:
    """The JSON value of a call's arguments; an empty object where the model wrote none."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


def kind_of(value: Any, where: str) -> str:
    """The kind of a block or an item; empty where it says none.

    Raises:
        MalformedRecord: it, or a block within it, is no object or has a type that is no text.
    """
    block = an_object(value, where)
    kind = text_or(block.get("type"), f"{where}.type")
    for key in ("content", "output", "summary"):
        for number, item in enumerate(list_if(block.get(key))):
            if isinstance(item, dict):
                kind_of(item, f"{where}.{key}[{number}]")
    return kind
