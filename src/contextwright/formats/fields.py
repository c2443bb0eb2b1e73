"""Take fields out of decoded records; what is wrong is named with its place."""

from typing import Any

from contextwright.errors import MalformedRecord

Json = dict[str, Any]


def an_object(value: Any, where: str) -> Json:
    """The value, which must be an object."""
    if not isinstance(value, dict):
        raise wrong("an object is expected", value, where)
    return value  # pyright: ignore[reportUnknownVariableType]


def a_list(value: Any, where: str) -> list[Any]:
    """The value, which must be a list."""
    if not isinstance(value, list):
        raise wrong("a list is expected", value, where)
    return value  # pyright: ignore[reportUnknownVariableType]


def a_text(value: Any, where: str) -> str:
    """The value, which must be a string."""
    if not isinstance(value, str):
        raise wrong("a string is expected", value, where)
    return value


def text_or(value: Any, where: str, otherwise: str = "") -> str:
    """The value, a string, or something else where it is missing or null."""
    return otherwise if value is None else a_text(value, where)


def wrong(wanted: str, value: Any, where: str) -> MalformedRecord:
    """The error for a value of another type."""
    kind = "nothing" if value is None else type(value).__name__
    return MalformedRecord(f"{wanted}, {kind} is there", where=where, fix=f"mend {where}")
