"""Tokens of a session's exchanges, summed from its beginning: what a range of them takes costs two
look-ups, and each exchange is counted once in its life."""

from array import array
from collections.abc import Callable
from weakref import ref

from contextwright.blocks.block import Block
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs, with_source
from contextwright.spec.memo import Memo

Count = Callable[[list[Exchange]], list[int]]
"""Tokens of each of these exchanges."""
SOURCE = "history"
"""The term of the spec that exchanges are counted as brought by."""


class TokenSums:
    """Running sums over one log, by one way to count. They grow at their end; an exchange that is
    joined by a late result is counted anew, and what stands behind it summed anew."""

    def __init__(self) -> None:
        self._log: ref[Log] | None = None
        self._begin()

    def _begin(self) -> None:
        self._tokens = array("q")
        self._sums = array("q", [0])
        self._joins = 0

    @property
    def held_bytes(self) -> int:
        """What they take in memory."""
        return self._tokens.itemsize * (len(self._tokens) + len(self._sums))

    def between(
        self,
        start: int,
        stop: int,
        snapshot: Snapshot,
        count: Callable[[list[Exchange]], list[int]],
    ) -> int:
        """Tokens of the exchanges from `start` up to `stop`, as they stand in a snapshot.

        Args:
            stop: at most the newest exchange, which may still grow and is no part of any sum.
        """
        self._follow(snapshot, stop, count)
        tokens = self._sums[stop] - self._sums[start]
        if snapshot.position == len(snapshot.log):
            return tokens
        for index in set(snapshot.log.late_joins()):  # which may not have been joined by then
            if start <= index < stop:
                tokens += count(snapshot.exchanges(index, index + 1))[0] - self._tokens[index]
        return tokens

    def _follow(self, snapshot: Snapshot, stop: int, count: Count) -> None:
        if self._log is None or self._log() is not snapshot.log:
            self._log = ref(snapshot.log)
            self._begin()
        joins = snapshot.log.late_joins(self._joins)
        self._joins += len(joins)
        stale = [index for index in set(joins) if index < len(self._tokens)]
        whole = snapshot.log
        for index in stale:
            self._tokens[index] = count(whole.exchanges(index, index + 1, len(whole)))[0]
        if stale:
            del self._sums[min(stale) + 1 :]
        if len(self._tokens) < stop:
            new = whole.exchanges(len(self._tokens), stop, len(whole))
            self._tokens.extend(count(new))
        total = self._sums[-1]
        for tokens in self._tokens[len(self._sums) - 1 :]:
            total += tokens
            self._sums.append(total)


def tokens_of_all(snapshot: Snapshot, cost: Callable[[Block], int], memo: Memo) -> int:
    """Tokens that the whole conversation would take in a request, unshortened, the newest exchange
    included; costs what is new."""

    def count(exchanges: list[Exchange]) -> list[int]:
        return [cost(with_source(block, SOURCE)) for block in memo.blocks(exchanges)]

    first, last = snapshot.preamble, snapshot.exchange_count - 1
    if last < first:
        return 0
    with memo.growing(("token sums", cost), TokenSums) as sums:
        older = sums.between(first, last, snapshot, count)
    return older + sum(count(snapshot.exchanges(last)))


def tokens_between(start: int, stop: int, inputs: Inputs) -> int:
    """Tokens that the exchanges from `start` up to `stop` would take in a request, unshortened."""
    snapshot = inputs.snapshot

    def count(exchanges: list[Exchange]) -> list[int]:
        return list(map(inputs.cost, inputs.blocks(exchanges, SOURCE)))

    with inputs.memo.growing(("token sums", inputs.cost), TokenSums) as sums:
        return sums.between(start, min(stop, snapshot.exchange_count - 1), snapshot, count)
