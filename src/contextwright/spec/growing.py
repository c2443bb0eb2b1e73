"""A sequence that grows at its end, and what was worked out for it, brought up to date by what is
new.

A conversation is looked at again at every turn, and all but its end is what it was. To see that
costs a comparison of pointers for each block; what was worked out for the rest stays.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import compress, count
from operator import eq, is_not
from typing import Any, Generic, TypeVar

T = TypeVar("T")

ITEM = 40
"""Bytes of an item's places in the sequences that are remembered."""
LOOSE = 32
"""Items at the end that may be others at the next look: an exchange grows by its results."""


class Beginning:
    """How far a sequence begins as it did when it was last looked at."""

    __slots__ = ("_settled", "items", "swapped")

    def __init__(self) -> None:
        self._settled: tuple[Any, ...] = ()
        self.items: tuple[Any, ...] = ()
        """Those of the last look."""
        self.swapped: list[int] = []
        """Places of first items, at the last look, that were others before, but the same to us."""

    def shared(self, items: tuple[Any, ...], same: Callable[[Any, Any], bool] = eq) -> int:
        """How many first items are the same as at the last look. The items are remembered for the
        next.

        Args:
            same: whether an item may stand for another one.
        """
        before, self.items, self.swapped = self.items, items, []
        if items is before:
            return len(items)
        start = len(self._settled) if begins_with(items, self._settled) else 0
        place = min(len(items), len(before))
        for place in _differing(before, items, start):
            if not same(before[place], items[place]):
                break
            self.swapped.append(place)
        else:
            place = min(len(items), len(before))
        if self.swapped or place < len(self._settled) or len(items) - start > 2 * LOOSE:
            self._settled = items[:-LOOSE]
        return place


def begins_with(items: tuple[Any, ...], first: tuple[Any, ...]) -> bool:
    """Whether items begin with these: told without a copy where items have no order. Tuples are
    compared by identity first; only the first items that differ are asked which is less, and
    blocks can not say."""
    if first and isinstance(first[0], (bytes, str)):  # one that is less is none that begins so
        return items[: len(first)] == first
    try:
        return first <= items
    except TypeError:
        return False


def _differing(one: tuple[Any, ...], other: tuple[Any, ...], start: int) -> Iterator[int]:
    """The places from `start` on where two sequences do not have the very same item."""
    if start:
        one, other = one[start:], other[start:]
    return compress(count(start), map(is_not, one, other))


class Growing(ABC, Generic[T]):
    """What is kept of a sequence that grows at its end: its items are put in one by one, and those
    that are others by now are taken out again, the last first."""

    def __init__(self) -> None:
        self._beginning = Beginning()

    def follow(self, items: tuple[T, ...]) -> None:
        """Bring it up to date with the sequence as it is now."""
        before = self._beginning.items
        start = self._beginning.shared(items, self.is_same)
        for item in reversed(before[start:]):
            self.pop(item)
        for item in items[start:]:
            self.append(item)

    def is_same(self, old: T, new: T) -> bool:
        """Whether all that is kept of an item holds for another one in its place."""
        return old == new

    @abstractmethod
    def append(self, item: T) -> None:
        """One more item at the end."""

    @abstractmethod
    def pop(self, item: T) -> None:
        """Without the last item, which is this one, or one that is the same."""


class GrowingMap:
    """What was made of each item of a sequence."""

    __slots__ = ("_beginning", "_list", "_made")

    def __init__(self) -> None:
        self._beginning = Beginning()
        self._list: list[Any] = []
        self._made: tuple[Any, ...] = ()

    @property
    def held_bytes(self) -> int:
        """About what it takes; what was made is counted where it is kept as well."""
        return ITEM * len(self._list)

    def of(
        self, items: tuple[Any, ...], make: Callable[[tuple[Any, ...]], Iterable[Any]]
    ) -> tuple[Any, ...]:
        """What was made of each item; `make` is called for those that are new."""
        start = self._beginning.shared(items)
        if start < len(items) or start < len(self._list):
            del self._list[start:]
            self._list.extend(make(items[start:]))
            self._made = tuple(self._list)
        return self._made
