"""An object of any SDK as plain JSON data in its own wire format, and where each text of it stood.

Duck-typed: pydantic models, dataclasses, msgspec Structs, named tuples, objects with `to_dict()`
or `dict()`. No SDK is imported.
"""

import base64
import dataclasses
from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from functools import partial
from pathlib import PurePath
from typing import Any, Literal, cast
from uuid import UUID

import msgspec

from contextwright.errors import MalformedRecord, SizeLimit, UnknownFormat
from contextwright.formats.decode import MAX_DEPTH

PathStep = tuple[Literal["key", "item", "attr"], Any]
Path = tuple[PathStep, ...]
"""From an object to what is in it: `(("attr", "parts"), ("item", 0), ("key", "text"))`."""


_NOT_DATA = {"raw_representation"}
"""What Agent Framework keeps of a provider's objects beside its own."""
_WAYS = {
    "get_all": "memory.get_all(), or await memory.aget_all()",  # LlamaIndex's memories
    "get_messages": "store.get_messages(KEY)",  # its stores of chats
    "get_items": "await session.get_items()",  # sessions of OpenAI's Agents
    "to_input_list": "result.to_input_list()",  # and the results of their runs
    "all_messages": "result.all_messages()",  # results of Pydantic AI's runs
}
"""What to give in the place of an object that holds messages behind a method of this name. What it
does is its framework's (it may ask a database or a model): none is called here."""


def is_record(value: Any) -> bool:
    """Whether a value has named fields: a dict, or an object that can be dumped."""
    return isinstance(value, Mapping) or (
        not isinstance(value, type)
        and (bool(fields_of(value)) or _dumping_method(value) is not None)
    )


def not_a_holder(value: object, where: str) -> None:
    """Refuse an object that holds messages and is none.

    Raises:
        UnknownFormat: it names what gives the messages.
    """
    if isinstance(value, Mapping | list | tuple | str | type):
        return
    way = next((_WAYS[name] for name in _WAYS if callable(getattr(value, name, None))), "")
    if way:
        raise UnknownFormat(
            f"a {type(value).__name__} holds messages and is none",
            where=where,
            fix=f"give what it holds: {way}",
        )


def get(value: Any, name: str) -> Any:
    """A field of a dict or an object; None where there is none."""
    if isinstance(value, Mapping):
        return cast(Mapping[str, Any], value).get(name)
    held = dict(fields_of(value)) or getattr(value, "__dict__", {})
    return getattr(value, name, None) if name in held else None


def items_of(value: Any) -> list[tuple[str, Any]]:
    """Names and values of a dict's fields, or of those that an object has set."""
    if isinstance(value, Mapping):
        return list(cast(Mapping[str, Any], value).items())
    return [(name, item) for name, item in fields_of(value) if item is not None]


def step_to(value: Any, name: str) -> PathStep:
    """The step to a field of a dict or an object."""
    return ("key" if isinstance(value, Mapping) else "attr", name)


class Dumper:
    """Dumps objects; texts and containers of the result are found again by their identity.

    Every text is copied, so that two equal ones are told apart: the readers pass texts on without
    touching them, and the text of a part is the very object that was dumped.

    Attributes:
        paths: from the `id()` of a dumped text, dict or list to its place.
    """

    def __init__(self, *, track: bool = False) -> None:
        self.paths: dict[int, Path] = {}
        self._track = track
        self._alive: list[Any] = []  # an id() is unique only as long as its object lives

    def plain(self, value: Any, path: Path, where: str) -> Any:
        """The value as JSON data.

        Args:
            path: where it stands, the start of the paths within it.
            where: its name in errors.

        Raises:
            MalformedRecord: something in it has no JSON form.
            SizeLimit: it nests too deep, or holds itself.
        """
        if len(path) > MAX_DEPTH:
            raise SizeLimit(
                f"expected at most {MAX_DEPTH} levels, got more",
                where=where,
                fix="leave out what holds itself",
            )
        if isinstance(value, Enum):
            value = value.value
        if value is None or isinstance(value, bool | int | float):
            return value
        return self._noted(self._converted(value, path, where), path)

    def _converted(self, value: Any, path: Path, where: str) -> Any:
        if isinstance(value, str):
            # a slice of a longer text is a new object, but for a single character
            return (value + " ")[:-1] if self._track else str(value)
        if isinstance(value, bytes | bytearray):
            return base64.b64encode(value).decode("ascii")
        if isinstance(value, date | UUID | PurePath) or hasattr(value, "unicode_string"):
            return value.isoformat() if isinstance(value, date) else str(value)
        if isinstance(value, Mapping):
            pairs = cast(Mapping[Any, Any], value).items()
            return {str(k): self.plain(v, (*path, ("key", k)), f"{where}.{k}") for k, v in pairs}
        if isinstance(value, list | tuple | set | frozenset) and not hasattr(value, "_fields"):
            items = enumerate(cast(list[Any], value))
            return [self.plain(v, (*path, ("item", n)), f"{where}[{n}]") for n, v in items]
        if fields_of(value):
            made: dict[str, Any] = {}
            for name, item in items_of(value):  # SDKs send no null of a field that nobody set
                place: Path = (*path, ("attr", name))
                if isinstance(item, bytes) and _bytes_are_text(value):
                    item = item.decode("utf-8", "replace")
                made[_wire_name(value, name)] = self.plain(item, place, f"{where}.{name}")
            return made
        dumped = _dumping_method(value)
        if dumped is None:
            raise MalformedRecord(
                f"expected JSON data, a model or a dataclass, got {type(value).__name__}",
                where=where,
                fix="give it as a dict, or leave it out",
            )
        return Dumper().plain(dumped(), path, where)

    def _noted(self, made: Any, path: Path) -> Any:
        if self._track and not (isinstance(made, str) and len(made) < 2):
            self.paths[id(made)] = path
            self._alive.append(made)
        return made


def fields_of(value: Any) -> list[tuple[str, Any]]:
    """Names and values of an object's fields, in their order."""
    if isinstance(value, type):
        return []
    return [(name, getattr(value, name, None)) for name in _names(value)]


def attributes_of(value: Any) -> dict[str, str]:
    """The attributes of an object's fields, by the name that each has as data."""
    return {_wire_name(value, name): name for name, _ in fields_of(value)}


def _names(value: Any) -> Iterator[str]:
    kind = type(value)
    if isinstance(value, msgspec.Struct):
        yield from value.__struct_fields__
    elif dataclasses.is_dataclass(value):
        yield from (field.name for field in dataclasses.fields(value))
    elif hasattr(kind, "model_fields") and hasattr(value, "model_dump"):
        yield from kind.model_fields
        yield from getattr(value, "model_extra", None) or ()
    elif isinstance(value, tuple):
        yield from getattr(value, "_fields", ())
    elif hasattr(kind, "from_dict") and hasattr(kind, "to_dict"):
        yield from (name for name in vars(value) if name not in _NOT_DATA and name[:1] != "_")


def _bytes_are_text(value: Any) -> bool:
    """Whether a pydantic model writes bytes into JSON as the text that they are: pydantic's way
    where the model says nothing of base64."""
    config = getattr(type(value), "model_config", None)
    return isinstance(config, dict) and config.get("ser_json_bytes", "utf8") == "utf8"  # pyright: ignore


def _wire_name(value: Any, name: str) -> str:
    """The name that a pydantic model's field has in JSON."""
    field = getattr(type(value), "model_fields", {}).get(name)
    return getattr(field, "serialization_alias", None) or getattr(field, "alias", None) or name


def _dumping_method(value: Any) -> Any:
    for name in ("model_dump", "to_dict", "dict"):
        method = getattr(value, name, None)
        if callable(method):
            return method
    if hasattr(value, "__dict__") and {"role", "content", "type"} & vars(value).keys():
        return partial(vars, value)
    return None
