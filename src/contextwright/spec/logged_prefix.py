"""What a conversation begins with, as one object for as long as the log begins so: whatever was
worked out of it is known by that, without a look at each exchange."""

from collections.abc import Callable
from weakref import ref

from contextwright.blocks.block import Block, Blocks
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot

PLACE = 8
"""Bytes of a block's place."""
MOST = 2
"""Prefixes that are kept: of this turn, and of the one before."""

Make = Callable[[list[Exchange]], Blocks]
"""The blocks of exchanges."""


class LoggedPrefix:
    """The exchanges of one log behind its instruction. They grow at their end; a result that comes
    late begins what is behind it anew."""

    def __init__(self) -> None:
        self._log: ref[Log] | None = None
        self._begin(0)

    def _begin(self, first: int) -> None:
        self._first, self._joins = first, 0
        self._blocks: list[Block] = []
        self._prefixes: dict[int, Blocks] = {}

    @property
    def held_bytes(self) -> int:
        """What the places take; the blocks are counted where they are kept."""
        return PLACE * (len(self._blocks) + sum(map(len, self._prefixes.values())))

    def until(self, stop: int, snapshot: Snapshot, make: Make) -> Blocks:
        """The blocks of the exchanges up to `stop`; the very same object as before, where nothing
        of them has changed.

        Args:
            stop: at most the newest exchange, which may still grow.
        """
        self._follow(stop, snapshot, make)
        count = stop - self._first
        known = self._prefixes.pop(count, None)
        if known is None:
            known = tuple(self._blocks[:count])
        self._prefixes[count] = known
        for old in list(self._prefixes)[:-MOST]:
            del self._prefixes[old]
        return known

    def _follow(self, stop: int, snapshot: Snapshot, make: Make) -> None:
        log, first = snapshot.log, snapshot.preamble
        if self._log is None or self._log() is not log or first != self._first:
            self._log = ref(log)
            self._begin(first)
        joins = log.late_joins(self._joins)
        self._joins += len(joins)
        stale = min((index - first for index in joins), default=len(self._blocks))
        if stale < len(self._blocks):
            del self._blocks[max(0, stale) :]
            self._prefixes = {n: one for n, one in self._prefixes.items() if n <= stale}
        start = first + len(self._blocks)
        if start < stop:
            self._blocks += make(snapshot.exchanges(start, stop))
