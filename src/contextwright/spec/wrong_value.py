"""What is wrong with the value of an option, and one that would do: `max_tokens=8000` for "8k"."""

import re
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from msgspec import structs

from contextwright.errors import nearest

_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", str: "a text", bool: "a bool"}
_EXAMPLES: dict[Any, Any] = {int: 5, float: 0.5, str: "name", bool: True}
_NUMBER = re.compile(r"\s*([\d_,]*\.?\d+)\s*([km]?)\s*(?:tokens?)?\s*", re.IGNORECASE)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def wrong_value(field: structs.FieldInfo, value: Any) -> tuple[str, str]:
    """What is wrong, and the fix.

    Args:
        field: the option.
        value: what was given; of several the first that does not fit is named.
    """
    declared: Any = get_args(field.type)[0] if get_origin(field.type) is tuple else field.type
    values: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)  # pyright: ignore[reportUnknownVariableType]
    kinds = [declared] if get_origin(declared) is Literal else list(get_args(declared))
    kinds = [kind for kind in kinds or [declared] if kind is not NoneType]
    names = [name for kind in kinds if get_origin(kind) is Literal for name in get_args(kind)]
    if names:
        wrong = next((each for each in values if each not in names), value)
        what = f"expected one of {', '.join(map(repr, names))} as {field.name}, got {wrong!r}"
        near = nearest(wrong, names) if isinstance(wrong, str) else ""
        return what, near if near.startswith("did") else f"{field.name}={names[0]!r}, say"
    wrong = next((each for each in values if type(each) not in kinds), value)
    kind = "a number" if set(kinds) == {int, float} else " or ".join(map(_kind_name, kinds))
    return f"expected {kind} as {field.name}, got {wrong!r}", _example(field, kinds, wrong)


def _kind_name(kind: Any) -> str:
    return _KINDS.get(kind, getattr(kind, "__name__", str(kind)))


def _example(field: structs.FieldInfo, kinds: list[Any], value: object) -> str:
    """The number that a text says; else a value of the right type."""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is not None and {int, float} & set(kinds):
        number = float(match[1].replace(",", "").replace("_", "")) * _TIMES[match[2].lower()]
        return f"{field.name}={int(number) if number.is_integer() else number}"
    if isinstance(value, float) and int in kinds and value == value and abs(value) < 1e12:
        return f"{field.name}={round(value)}"
    default: Any = None if field.required else field.default
    if not isinstance(default, int | float | str) or default in {"", 0}:
        tokens = int in kinds and "tokens" in field.name
        default = 8000 if tokens else next((_EXAMPLES[k] for k in kinds if k in _EXAMPLES), None)
    return f"{field.name}={default!r}, say" if default is not None else f"leave {field.name} out"
