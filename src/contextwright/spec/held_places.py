"""Where those blocks of a sequence stand that may not be dropped, found without asking each."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from contextwright.blocks.block import Block
from contextwright.blocks.protection import Protection, reason_of_its_own
from contextwright.spec.growing import Growing


class HeldPlaces(Growing[Block]):
    """The places of the blocks that something of their own holds, and those of each exchange."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._own: list[int] = []
        self._orders = array("q")  # of the exchanges, ascending
        self._places = array("q")  # of their blocks

    def is_same(self, old: Block, new: Block) -> bool:
        """Whether both stand in one place of the log, held by the same of their own."""
        return old.order == new.order and reason_of_its_own(old) == reason_of_its_own(new)

    def append(self, item: Block) -> None:
        """One more block, at the end."""
        if reason_of_its_own(item):
            self._own.append(self._count)
        if item.order >= 0:
            at = bisect_right(self._orders, item.order)
            self._orders.insert(at, item.order)
            self._places.insert(at, self._count)
        self._count += 1

    def pop(self, item: Block) -> None:
        """Without the last block."""
        self._count -= 1
        if self._own and self._own[-1] == self._count:
            self._own.pop()
        if item.order >= 0:
            at = bisect_right(self._orders, item.order) - 1
            self._orders.pop(at)
            self._places.pop(at)

    def of(self, exchanges: Iterable[int]) -> set[int]:
        """The places of the blocks of these exchanges."""
        places: set[int] = set()
        for order in exchanges:
            at = bisect_left(self._orders, order)
            while at < len(self._orders) and self._orders[at] == order:
                places.add(self._places[at])
                at += 1
        return places

    def held(self, protection: Protection, count: int) -> set[int]:
        """The places of the blocks that may not be dropped, in a session of `count` exchanges."""
        return self.of(protection.held_exchanges(count)).union(self._own)
