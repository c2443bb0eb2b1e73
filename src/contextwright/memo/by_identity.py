"""What was found out of objects that nobody writes into, by which object it is."""

from collections.abc import Callable, Sequence
from operator import is_, itemgetter
from typing import Any, TypeVar

from contextwright.memo.owned_tables import Table

T = TypeVar("T")
V = TypeVar("V")

_OBJECT, _VALUE = itemgetter(0), itemgetter(1)


def by_identity(table: Table, items: Sequence[T], make: Callable[[T], V]) -> list[V]:
    """What is made of each item, from memory where it was made of the very same object before.

    An entry holds its object, so that no other one can come to have its identity. A request of a
    thousand messages is looked up as a whole, at the speed of a dict's own look-ups.
    """
    known: list[Any] = list(map(table.get, map(id, items)))
    if None in known or not all(map(is_, map(_OBJECT, known), items)):
        for place, item in enumerate(items):
            if known[place] is None or known[place][0] is not item:
                known[place] = _entry(table, item, make)
    return list(map(_VALUE, known))


def _entry(table: Table, item: T, make: Callable[[T], V]) -> tuple[T, V]:
    entry = table.known(id(item))  # it may stand there twice
    if entry is None or entry[0] is not item:
        entry = table[id(item)] = (item, make(item))
    return entry
