"""A value of any type with others in its place: of the same types, everything else the very same
objects. Nothing that was given is changed."""

import copy
import dataclasses
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeGuard, cast

import msgspec

from contextwright.formats.dump import Path, PathStep

FieldNames = Callable[[Any], Mapping[str, str]]
"""The fields of a record: the key that each has as data, and its attribute."""
_CACHED: Any = cached_property


def is_list(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether it is a list or a tuple; no named tuple."""
    return isinstance(value, list | tuple) and not hasattr(value, "_fields")  # pyright: ignore


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
    return copy_with(value, {step[1]: new for step, new in inner.items()})


def put_data(own: Any, was: Any, now: Any, names: FieldNames) -> Any:
    """A value that says what its data says now: of the same types, and itself where that is the
    same. What is another kind of thing now, or has names that its type has not, is data.

    Args:
        was: the value as JSON data. What is not in it, its owner keeps for itself.
        now: the same with other values, or other keys.
        names: of a record's fields: the key in the data, and the attribute.
    """
    if now == was:
        return own
    if isinstance(own, bytes) and isinstance(now, str):
        return b64decode(now) if was == b64encode(own).decode() else now.encode()
    if isinstance(own, Mapping) and isinstance(was, Mapping) and isinstance(now, Mapping):
        entries, before, after = (cast("Mapping[Any, Any]", one) for one in (own, was, now))
        return _entries(entries, before, after, names)
    if is_list(own) and isinstance(was, list) and isinstance(now, list):
        items = own, cast("list[Any]", was), cast("list[Any]", now)
        if len(set(map(len, items))) > 1:
            return now
        made = (put_data(*each, names) for each in zip(*items, strict=True))
        return copy_with(own, dict(enumerate(made)))
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        attributes = names(own)
        before, after = (cast("Mapping[str, Any]", one) for one in (was, now))
        if after.keys() <= attributes.keys():
            changed = {key: item for key, item in after.items() if item != before.get(key)}
            fields = ((attributes[key], key, item) for key, item in changed.items())
            return copy_with(
                own, {a: put_data(getattr(own, a), before.get(k), v, names) for a, k, v in fields}
            )
    return now


def _entries(
    own: Mapping[Any, Any], was: Mapping[Any, Any], now: Mapping[Any, Any], names: FieldNames
) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for key, item in own.items():
        if (name := str(key)) not in was:
            made[key] = item
        elif name in now:
            made[key] = put_data(item, was[name], now[name], names)
    known = {str(key) for key in own}
    return {**made, **{key: item for key, item in now.items() if key not in known}}


def copy_with(value: Any, new: Mapping[Any, Any]) -> Any:
    """A copy of a record, a list or a tuple, of its type, with other fields or items.

    Args:
        new: by the name of the field, or the place of the item.
    """
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


def with_method(value: Any, name: str, answer: Any) -> Any:
    """A copy whose method of this name answers so, of a type derived from its own."""
    made = copy.copy(value)
    object.__setattr__(made, "__class__", derived(type(value), {name: answering(answer)}))
    return made


def answering(answer: Any) -> Callable[..., Any]:
    """A function that gives this, whatever it is called with."""

    def answered(*_: Any, **__: Any) -> Any:
        return copy.deepcopy(answer)  # who asks may change it

    return answered


def derived(kind: type, own: Mapping[str, Any]) -> type:
    """A type like another one, with attributes of its own."""
    fields = {"__module__": kind.__module__, "__doc__": kind.__doc__, **own}
    return type(kind)(kind.__name__, (kind,), fields)


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
