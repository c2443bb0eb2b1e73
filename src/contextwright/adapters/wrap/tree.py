"""The texts and conversations within a value of any type, and the value with others in place."""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, TypeGuard, cast

import msgspec

from contextwright.formats.dump import Path, PathStep, fields_of

_CACHED: Any = cached_property
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


def is_list(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether it is a list or a tuple; no named tuple."""
    return isinstance(value, list | tuple) and not hasattr(value, "_fields")  # pyright: ignore


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


def at(value: Any, path: Path) -> Any:
    """What stands at a path."""
    for kind, name in path:
        value = getattr(value, name) if kind == "attr" else value[name]
    return value


def put(value: Any, changes: Mapping[Path, Any]) -> Any:
    """The value with others at these paths: of the same types, everything else the very same
    objects. Nothing that was given is changed."""
    if () in changes:
        return changes[()]
    if not changes:
        return value
    below: dict[PathStep, dict[Path, Any]] = {}
    for path, new in changes.items():
        below.setdefault(path[0], {})[path[1:]] = new
    inner = {step: put(at(value, (step,)), changes_below) for step, changes_below in below.items()}
    return _with(value, {step[1]: new for step, new in inner.items()})


def _with(value: Any, new: dict[Any, Any]) -> Any:
    if isinstance(value, tuple):
        whole = cast(tuple[Any, ...], value)
        if hasattr(whole, "_replace"):
            return whole._replace(**new)  # pyright: ignore
        items = (new.get(place, item) for place, item in enumerate(whole))
        return tuple(items) if type(whole) is tuple else type(whole)(items)
    if hasattr(value, "model_copy"):
        return _fresh(value.model_copy(update=new))
    changed = _copied(value)
    for name, item in new.items():
        if isinstance(value, dict | list):
            changed[name] = item
        elif isinstance(value, msgspec.Struct):
            msgspec.structs.force_setattr(changed, name, item)
        else:
            object.__setattr__(changed, name, item)  # a frozen one is a copy of ours by now
    return _fresh(changed)


def _copied(value: Any) -> Any:
    """A shallow copy."""
    if dataclasses.is_dataclass(value) and hasattr(type(value), "__deprecated__"):
        # its `__new__` would warn the caller of what the caller did not do
        made = object.__new__(type(value))
        made.__dict__.update(value.__dict__)
        return made
    return copy.copy(value)


def _fresh(made: Any) -> Any:
    """Without what cached properties had worked out of the fields as they were."""
    own: dict[str, Any] = getattr(made, "__dict__", {})
    for name in [name for name in own if isinstance(getattr(type(made), name, None), _CACHED)]:
        del own[name]
    return made


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
