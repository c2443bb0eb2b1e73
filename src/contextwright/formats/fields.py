"""Fields of decoded records; what is wrong is named with its place."""

import json
import re
from typing import Any, cast

from contextwright.errors import MalformedRecord
from contextwright.json_depth import is_shallow

Json = dict[str, Any]
FREE_INPUT = "input"
"""The argument that a text stands for where an object is wanted."""
DEEPEST_VALUE = 200
"""Nesting of a call's arguments; a file that holds them has room for its own around it."""
_SURROGATE = re.compile("[\ud800-\udfff]")


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


class Fields:
    """The fields of an object, each read as what it must be; a wrong one is named with its place.

    Args:
        mark: between the object's place and a field's name.
    """

    def __init__(self, value: Any, where: str, mark: str = ".") -> None:
        self.whole = an_object(value, where)
        self.get = self.whole.get
        self._start = where + mark

    def place(self, key: str) -> str:
        """The name of a field in errors."""
        return self._start + key

    def text(self, key: str, otherwise: str | None = None) -> str:
        """A string; without `otherwise` it must be there."""
        value = self.get(key)
        if isinstance(value, str):
            return value
        missing = value is None and otherwise is not None
        return str(otherwise) if missing else a_text(value, self.place(key))

    def items(self, key: str, *, required: bool = True) -> list[tuple[Any, str]]:
        """The items of a list, each with its place; where it is not required, nothing is empty."""
        value = self.get(key)
        if not value and not required:
            return []
        place = self.place(key)
        listed = a_list(value, place)
        return [(item, f"{place}[{n}]") for n, item in enumerate(listed)]

    def inner(self, key: str) -> "Fields":
        """The fields of an object that stands in this one."""
        return Fields(self.get(key), self.place(key))


def text_if(value: Any, otherwise: str = "") -> str:
    """The value where it is a string that says something, else `otherwise`."""
    return value if isinstance(value, str) and value else otherwise


def object_if(value: Any) -> Json:
    """The value where it is an object, else an empty one."""
    if type(value) is dict or isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    return {}


def list_if(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def wrong(expected: str, value: Any, where: str) -> MalformedRecord:
    """The error for a value of another type, or another text."""
    got = "nothing" if value is None else type(value).__name__
    got = repr(value[:40]) if isinstance(value, str) else got
    fix = f"write {expected} there, or name another format"
    return MalformedRecord(f"expected {expected}, got {got}", where=where, fix=fix)


def text_of(value: Any) -> str:
    """A call's arguments as JSON text, in their own key order."""
    return json.dumps(value, ensure_ascii=False)


def object_of(text: str) -> Json | None:
    """The object that a call's arguments are; None where they are none."""
    try:
        value = _json(text)
    except ValueError:
        return None
    return cast(Json, value) if isinstance(value, dict) else None


def call_object(text: str) -> Json:
    """A call's arguments for a provider that wants an object: what is none stands in one, for a
    model's answer that was cut off is still what it wrote."""
    value = object_of(text)
    return {FREE_INPUT: text} if value is None else value


def call_value(text: str) -> Any:
    """A call's arguments for who takes any JSON value; what is none, or null, which says that
    there are none, stands in an object."""
    try:
        value = _json(text)
    except ValueError:
        value = None
    return {FREE_INPUT: text} if value is None else value


def value_of(text: str) -> Any:
    """The JSON value that a text is, or the text where it is none."""
    try:
        return _json(text)
    except ValueError:
        return text


def _json(text: str) -> Any:
    """The value of a text, an empty object where it says nothing, with U+FFFD for lone surrogates.

    Raises:
        ValueError: it is no JSON, or nests deeper than a file could be read that holds it.
    """
    try:
        value = json.loads(text.strip() or "{}")
    except RecursionError as error:
        raise ValueError("nests too deep") from error
    if text.count("[") + text.count("{") > DEEPEST_VALUE and not is_shallow(
        value, 1 + DEEPEST_VALUE
    ):
        raise ValueError("nests too deep")
    is_clean = "\\u" not in text and not _SURROGATE.search(text)
    return value if is_clean else without_surrogates(value, [0])


def without_surrogates(value: Any, replaced: list[int]) -> Any:
    """The same JSON data with U+FFFD for lone surrogates, which no file can hold.

    Args:
        replaced: its first number grows by the texts that held some.
    """
    if isinstance(value, str):
        if _SURROGATE.search(value):
            replaced[0] += 1
            return _SURROGATE.sub("\ufffd", value)
        return value
    if isinstance(value, list | tuple):
        return [without_surrogates(item, replaced) for item in value]  # pyright: ignore
    if isinstance(value, dict):
        items: Json = value  # pyright: ignore[reportUnknownVariableType]
        return {
            without_surrogates(key, replaced): without_surrogates(item, replaced)
            for key, item in items.items()
        }
    return value


def kind_of(value: Any, where: str) -> str:
    """The kind of a block or an item; empty where it says none.

    Raises:
        MalformedRecord: it, or a block within it, is no object or has a type that is no text.
    """
    block = Fields(value, where)
    kind = block.text("type", "")
    for key in ("content", "output", "summary"):
        for number, item in enumerate(list_if(block.get(key))):
            if isinstance(item, dict):
                kind_of(item, f"{where}.{key}[{number}]")
    return kind
