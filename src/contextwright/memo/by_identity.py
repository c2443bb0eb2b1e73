"""What was found out of objects that nobody writes into, by which object it is."""

from collections.abc import Callable, Sequence
from operator import is_, itemgetter
from typing import Any, TypeVar

from contextwright.memo.owned_tables import NEWEST, Table

T = TypeVar("T")
V = TypeVar("V")
_Look = tuple[tuple[Any, ...], list[Any]]
"""The objects of a look, and what is made of each."""

_OBJECT, _VALUE = itemgetter(0), itemgetter(1)


def by_identity(table: Table, items: Sequence[T], make: Callable[[T], V]) -> list[V]:
    """What is made of each item, from memory where it was made of the very same object before.

    A request begins with the messages of the one before, nearly always with all of them: what was
    made of these is known as a whole. The others are looked up, each by its identity; an entry
    holds its object, so that no other one can come to have it.
    """
    known: _Look = table.known(NEWEST) or ((), [])
    same = same_beginning(known[0], items)
    if same == len(items):
        return known[1][:same]
    values = known[1][:same]
    values += _looked_up(table, items[same:], make, known)
    table[NEWEST] = tuple(items), values
    return list(values)


def same_objects(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether both hold the very same objects."""
    return len(one) == len(other) and all(map(is_, one, other))


def same_beginning(one: Sequence[Any], other: Sequence[Any]) -> int:
    """With how many of the very same objects both begin."""
    if all(map(is_, one, other)):  # as nearly always
        return min(len(one), len(other))
    return list(map(is_, one, other)).index(False)


def _looked_up(
    table: Table,
    items: Sequence[T],
    make: Callable[[T], V],
    newest: _Look,
) -> list[V]:
    known: list[Any] = list(map(table.get, map(id, items)))
    if None in known or not all(map(is_, map(_OBJECT, known), items)):
        before = dict(zip(map(id, newest[0]), zip(*newest, strict=True), strict=True))
        for place, item in enumerate(items):
            entry = known[place]
            if entry is None or entry[0] is not item:
                key = id(item)
                entry = before.get(key) or table.get(key)  # it may stand there twice
                if entry is None and table.before:
                    entry = table.recall(key, None)
                if entry is None or entry[0] is not item:
                    entry = table[key] = (item, make(item))
                known[place] = entry
    return list(map(_VALUE, known))
