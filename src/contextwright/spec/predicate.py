"""Conditions on the state, as text: `C.when("urgency >= 3 and intent == 'billing'", spec)`.

Nothing is ever evaluated: names are state keys, and what else may stand in a condition is a
whitelist over its tree. So a condition is a value that prints, compares and is stored as text.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from contextwright.errors import SpecError

_KEY = re.compile(r"[^\W\d][\w:.-]*", re.ASCII)
"""A state key by itself: it holds where the key is there and not empty."""
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, many: value in many,
    ast.NotIn: lambda value, many: value not in many,
}
_FIX = (
    "a state key, or such as \"intent == 'billing' and not resolved\"; "
    "state['user:tier'] for a key that is no name"
)


def holds(condition: str, state: Mapping[str, Any]) -> bool:
    """Whether a condition is true of a state. A key that is not there is None, and of what can
    not be compared no order holds.

    Raises:
        SpecError: it is no condition.
    """
    node = parsed(condition)
    return bool(state.get(node) if isinstance(node, str) else _value(node, state))


@lru_cache(1024)
def parsed(condition: str) -> str | ast.expr:
    """A condition as the key that it is, or as its tree.

    Raises:
        SpecError: it is no condition.
    """
    text = condition.strip()
    if _KEY.fullmatch(text) and text not in {"True", "False", "None"}:
        return text
    try:
        node = ast.parse(text, mode="eval").body
        _check(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SpecError(
            f"not a condition: {getattr(error, 'msg', error)}", where=text[:80], fix=_FIX
        ) from error
    return node


def keys_of(condition: str) -> tuple[str, ...]:
    """The state keys that a condition reads."""
    node = parsed(condition)
    if isinstance(node, str):
        return (node,)
    keys = (_key(each) for each in ast.walk(node))
    return tuple(dict.fromkeys(key for key in keys if key not in {None, "state"}))  # pyright: ignore[reportReturnType]


def _key(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript):
        index = node.slice
        named = isinstance(node.value, ast.Name) and node.value.id == "state"
        if named and isinstance(index, ast.Constant) and isinstance(index.value, str):
            return index.value
    return None


def _check(node: ast.expr) -> None:
    parts: list[ast.expr] = []
    match node:
        case ast.BoolOp(values=values):
            parts = values
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            parts = [operand]
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(type(op) not in _COMPARISONS for op in ops):
                raise ValueError(f"{ast.unparse(node)!r} compares by identity")
            parts = [left, *others]
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            parts = elements
        case ast.Constant() | ast.Name():
            pass
        case _:
            if _key(node) is None:
                raise ValueError(f"{ast.unparse(node)!r} is not read here")
    for part in parts:
        _check(part)


def _value(node: ast.expr, state: Mapping[str, Any]) -> Any:
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(part, state) for part in values)
        case ast.BoolOp(values=values):
            return any(_value(part, state) for part in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, state)
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(part, state) for part in (left, *others)]
            pairs = zip(values, ops, values[1:], strict=False)
            return all(_compared(one, type(op), other) for one, op, other in pairs)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return [_value(part, state) for part in elements]
        case ast.Constant(value=value):
            return value
        case _:
            return state.get(_key(node) or "")


def _compared(one: Any, op: type[ast.cmpop], other: Any) -> bool:
    try:
        return bool(_COMPARISONS[op](one, other))
    except TypeError:
        return False
