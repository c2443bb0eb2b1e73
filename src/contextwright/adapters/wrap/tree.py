"""The texts and conversations within a value of any type."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, cast

from contextwright.formats.dump import Path, PathStep, fields_of
from contextwright.formats.record_copies import is_list

DEEPEST = 24
"""Levels of a value that are looked into."""


def parts_of(value: Any) -> list[tuple[PathStep, Any]]:
    """The items of a list or tuple, the fields of a dict, dataclass, NamedTuple, msgspec Struct or
    pydantic model; nothing for any other."""
    if isinstance(value, dict):
        pairs = cast(dict[Any, Any], value).items()
        return [(("key", key), item) for key, item in pairs]
    if is_list(value):
        return [(("item", place), item) for place, item in enumerate(value)]
    return [(("attr", name), item) for name, item in fields_of(value) if item is not None]


def is_record(value: Any) -> bool:
    """Whether it has named fields that can be read without running anything of the caller's."""
    return isinstance(value, dict) or bool(fields_of(value))


def field(value: Any, name: str) -> Any:
    """A field of a record; None where it has none of this name."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)  # pyright: ignore


def walk(
    value: Any, path: Path, is_leaf: Callable[[Any], bool], skip: Callable[[Path], bool]
) -> Iterator[tuple[Path, Any]]:
    """The leaves within a value, each with its path; no value is looked into within itself."""
    yield from _walk(value, path, is_leaf, skip, frozenset())


def _walk(
    value: Any,
    path: Path,
    is_leaf: Callable[[Any], bool],
    skip: Callable[[Path], bool],
    around: frozenset[int],
) -> Iterator[tuple[Path, Any]]:
    if skip(path):
        return
    if is_leaf(value):
        yield path, value
    elif id(value) not in around and len(around) < DEEPEST:
        for step, item in parts_of(value):
            yield from _walk(item, (*path, step), is_leaf, skip, around | {id(value)})


def retyped(old: str, text: str) -> str:
    """A text of the type of another one, with its attributes; nothing of the caller's is run.

    Raises:
        TypeError: a type that lays out its memory by itself.
    """
    if type(old) is str:
        return text
    made = str.__new__(type(old), text)
    getattr(made, "__dict__", {}).update(getattr(old, "__dict__", {}))
    return made


def is_text(value: Any) -> bool:
    """Whether it is a text of which a shorter one can be made: no member of an enum."""
    if type(value) is str:
        return True
    if not isinstance(value, str) or isinstance(value, Enum):
        return False
    try:
        return type(retyped(value, "")) is type(value)
    except TypeError:
        return False


def label(path: Path) -> str:
    """A path as code has it: `state.docs[2]`."""
    out = ""
    for kind, name in path:
        out += f"[{name}]" if kind == "item" else f".{name}"
    return out.lstrip(".")
