"""What was found out of objects that nobody writes into, by which object it is."""

from collections.abc import Callable, Iterable, Sequence
from operator import is_, itemgetter
from typing import Any, TypeVar

from contextwright.memo.owned_tables import Table

T = TypeVar("T")
V = TypeVar("V")
_Look = tuple[tuple[Any, ...], list[Any]]
"""The objects of a look, and what is made of each."""

_NEWEST = "newest"
"""Where the newest look stands; all other entries are called by the numbers of their objects."""
_OBJECT, _VALUE = itemgetter(0), itemgetter(1)


def by_identity(table: Table, items: Sequence[T], make: Callable[[T], V]) -> list[V]:
    """What is made of each item, from memory where it was made of the very same object before;
    nobody may write into the list.

    An entry holds its object, so that no other one can come to have its identity. Most requests
    begin as the one before, which costs a comparison of pointers for each message; another one is
    looked up as a whole, at the speed of a dict's own look-ups.
    """
    look: _Look = table.known(_NEWEST) or ((), [])
    before, made = look
    if len(before) > len(items) or not all(map(is_, before, items)):
        before, made = (), []
    if len(before) < len(items) or not items:
        made = [*made, *_looked_up(table, items[len(before) :], make, look)]
        table[_NEWEST] = tuple(items), made
    return made


def _looked_up(
    table: Table, items: Sequence[T], make: Callable[[T], V], look: _Look
) -> Iterable[V]:
    known: list[Any] = list(map(table.get, map(id, items)))
    if None in known or not all(map(is_, map(_OBJECT, known), items)):
        # what stood in the looks before was not asked for one by one
        recent = dict(zip(map(id, look[0]), zip(*look, strict=True), strict=True))
        for place, item in enumerate(items):
            if known[place] is None or known[place][0] is not item:
                known[place] = recent.get(id(item)) or _entry(table, item, make)
    return map(_VALUE, known)


def _entry(table: Table, item: T, make: Callable[[T], V]) -> tuple[T, V]:
    entry = table.known(id(item))  # it may stand there twice
    if entry is None or entry[0] is not item:
        entry = table[id(item)] = (item, make(item))
    return entry
