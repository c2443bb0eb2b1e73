"""About how many bytes a value holds: an estimate that takes as long for a large value as for a
small one, since everything that is remembered is measured."""

from collections.abc import Callable, Collection
from itertools import islice
from sys import getrefcount, getsizeof
from typing import Any

SAMPLE = 8
"""Items of a collection that are measured; the others are taken for their like."""
DEPTH = 2
"""Levels of collections that are looked into."""
UNKNOWN = 64
"""Bytes of a value that does not say its size."""
_COUNTING = 2
"""References to a value of a list while they are counted: the list's, and the call's."""

_PLAIN = (str, int, float, bool, bytes)
_COLLECTIONS = (tuple, list, set, frozenset)
_RULES: dict[type, Callable[[Any], int]] = {}


def measured_by(kind: type, rule: Callable[[Any], int]) -> None:
    """Measure values of a type by a rule of its own: what it holds that nobody else does."""
    _RULES[kind] = rule


def bytes_of(value: Any, depth: int = DEPTH) -> int:
    """About how many bytes a value holds. What grows may say it itself, as `held_bytes`."""
    kind = type(value)
    rule = _RULES.get(kind)
    if rule is not None:
        return rule(value)
    own = getsizeof(value, UNKNOWN)
    if kind in _PLAIN or not depth:
        return own
    if kind in _COLLECTIONS:
        return own + _sampled(value, depth)
    if kind is dict:
        return own + _sampled(value.keys(), depth) + _sampled(value.values(), depth)
    held = getattr(value, "held_bytes", None)
    if held is not None:
        return held
    names = getattr(kind, "__struct_fields__", ()) or getattr(value, "__dict__", ())
    return own + sum(bytes_of(getattr(value, name), depth - 1) for name in names)


def shared(values: list[Any], others: int = 0, depth: int = DEPTH) -> list[int]:
    """The part of each value's bytes that is one holder's: what several hold, each holds in part.

    Args:
        others: references to each value that are none of a holder's, the list's own aside.
    """
    # counted by a call from C: how many references Python code has itself is its version's
    counts = list(map(getrefcount, values))
    return [
        bytes_of(value, depth) // max(1, count - _COUNTING - others)
        for value, count in zip(values, counts, strict=True)
    ]


def _sampled(items: Collection[Any], depth: int) -> int:
    count = len(items)
    if not count:
        return 0
    step = max(1, count // SAMPLE)
    sample = list(islice(items, 0, min(count, step * SAMPLE), step))
    return sum(shared(sample, depth=depth - 1)) * count // len(sample)
