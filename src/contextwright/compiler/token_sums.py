"""Tokens of a session's exchanges, summed from its beginning: what a range of them takes costs two
look-ups, and each exchange is counted once in its life."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable
from weakref import ref

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.of_exchange import HISTORY
from contextwright.render.event_cost import EventCost
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.memo import Memo
from contextwright.spec.saved_fold import SavedPrefix

SOURCE = HISTORY
"""The term of the spec that exchanges are counted as brought by."""
NEAR = 64
"""Exchanges that sums are brought up to date by where a look-up alone was asked for, and from their
blocks, which a request is likely to need as well; more are counted from their events."""
AT_ONCE = 1024
"""Events of so many exchanges are looked at in one go: nothing is appended meanwhile."""


class Count(msgspec.Struct, frozen=True, eq=False):
    """How exchanges are counted.

    Args:
        blocks: tokens of each of these exchanges.
        events: tokens of one, told from its events, where these can tell; None where none can.
    """

    blocks: Callable[[list[Exchange]], list[int]]
    events: EventCost | None = None

    def at(self, index: int, log: Log) -> int:
        """Tokens of an exchange of a log."""
        return self.blocks(log.exchanges(index, index + 1, len(log)))[0]

    def between(self, start: int, stop: int, log: Log) -> Iterable[int]:
        """Tokens of each exchange of a log from `start` up to `stop`."""
        if self.events is None or stop - start <= NEAR:
            return self.blocks(log.exchanges(start, stop, len(log)))
        return self._by_events(self.events, start, stop, log)

    def _by_events(self, events: EventCost, start: int, stop: int, log: Log) -> list[int]:
        tokens: list[int] = []
        for begin in range(start, stop, AT_ONCE):
            costs = list(map(events, log.events_of(begin, min(stop, begin + AT_ONCE))))
            if None in costs:
                untold = [begin + at for at, cost in enumerate(costs) if cost is None]
                exchanges = [log.exchanges(index, index + 1, len(log))[0] for index in untold]
                for index, cost in zip(untold, self.blocks(exchanges), strict=True):
                    costs[index - begin] = cost
            tokens += [cost for cost in costs if cost is not None]  # by now each
        return tokens


class TokenSums:
    """Running sums over one log, by one way to count, from its first exchange on or from the one
    where they were told to begin. They grow at their end; an exchange that is joined by a late
    result is counted anew, and what stands behind it summed anew."""

    def __init__(self) -> None:
        self._log: ref[Log] | None = None
        self._first = self._joins = 0
        self._tokens = array("q")
        self._sums = array("q", [0])

    def begin(self, first: int, log: Log) -> None:
        """Begin anew, from an exchange of a log on."""
        self._log, self._first = ref(log), first
        self._tokens = array("q")
        self._sums = array("q", [0])
        self._joins = 0

    def reaches(self, first: int, log: Log) -> bool:
        """Whether they are of this log, from an exchange on or from one before it."""
        return self._log is not None and self._log() is log and self._first <= first

    @property
    def held_bytes(self) -> int:
        """What they take in memory."""
        return self._tokens.itemsize * (len(self._tokens) + len(self._sums))

    def between(
        self,
        start: int,
        stop: int,
        snapshot: Snapshot,
        count: Count,
    ) -> int:
        """Tokens of the exchanges from `start` up to `stop`, as they stand in a snapshot.

        Args:
            stop: at most the newest exchange, which may still grow and is no part of any sum.
        """
        self._follow(snapshot, start, stop, count)
        more = self._unlike(start, stop, snapshot, count)
        first = self._first
        return self._sums[stop - first] - self._sums[start - first] + sum(more.values())

    def next_of_all(self, start: int, snapshot: Snapshot) -> int | None:
        """The first exchange behind what is summed, where all from `start` up to there is, and what
        is new is little; None elsewhere."""
        log, new = snapshot.log, self._first + len(self._tokens)
        is_near = start <= new < snapshot.exchange_count <= new + NEAR
        if not is_near or not self.reaches(start, log) or snapshot.position < len(log):
            return None
        return new if log.joins == self._joins else None

    def of_all(self, start: int, new: list[int]) -> int:
        """Tokens of all exchanges from `start` on.

        Args:
            new: those of each behind what is summed; the last one may still grow.
        """
        *settled, newest = new
        self._tokens.extend(settled)
        sums = self._sums
        for tokens in settled:
            sums.append(sums[-1] + tokens)
        return sums[-1] - sums[start - self._first] + newest

    def running(self, start: int, stop: int, snapshot: Snapshot, count: Count) -> list[int]:
        """Tokens of the exchanges from `start` up to each place, from `start` itself to `stop`."""
        self._follow(snapshot, start, stop, count)
        first = self._first
        before = self._sums[start - first]
        sums = [tokens - before for tokens in self._sums[start - first : stop + 1 - first]]
        for index, more in self._unlike(start, stop, snapshot, count).items():
            for place in range(index - start + 1, len(sums)):
                sums[place] += more
        return sums

    def _unlike(self, start: int, stop: int, snapshot: Snapshot, count: Count) -> dict[int, int]:
        """Exchanges that a late result had not joined by then, and the tokens that they had more
        or fewer."""
        if snapshot.position == len(snapshot.log):
            return {}
        return {
            index: count.blocks(snapshot.exchanges(index, index + 1))[0]
            - self._tokens[index - self._first]
            for index in set(snapshot.log.late_joins())
            if start <= index < stop
        }

    def newest(
        self, tokens: int, first: int, stop: int, snapshot: Snapshot, count: Count
    ) -> int | None:
        """The first of the exchanges in front of `stop` that together take so many tokens, and
        not before `first`; None where the sums do not nearly reach there: what is old is not
        counted for it."""
        log = snapshot.log
        near = self.reaches(0, log) and 0 < stop < snapshot.exchange_count
        if not near or stop - len(self._tokens) > NEAR or snapshot.position < len(log):
            return None
        self._follow(snapshot, 0, stop, count)
        return max(first, bisect_right(self._sums, self._sums[stop] - tokens, first, stop) - 1)

    def _follow(self, snapshot: Snapshot, start: int, stop: int, count: Count) -> None:
        whole = snapshot.log
        if not self.reaches(start, whole):
            self.begin(0, whole)
        first = self._first
        joins = whole.late_joins(self._joins)
        self._joins += len(joins)
        if joins:
            self._count_anew(joins, whole, count)
        if first + len(self._tokens) < stop:
            self._tokens.extend(count.between(first + len(self._tokens), stop, whole))
        total = self._sums[-1]
        for tokens in self._tokens[len(self._sums) - 1 :]:
            total += tokens
            self._sums.append(total)

    def _count_anew(self, joins: Iterable[int], log: Log, count: Count) -> None:
        """Count the exchanges again that late results joined."""
        first = self._first
        stale = [index for index in set(joins) if first <= index < first + len(self._tokens)]
        for index in stale:
            self._tokens[index - first] = count.at(index, log)
        if stale:
            del self._sums[min(stale) - first + 1 :]


def tokens_of_all(
    snapshot: Snapshot,
    cost: Callable[[Block], int],
    memo: Memo,
    known: SavedPrefix | None = None,
    event_cost: EventCost | None = None,
) -> int:
    """Tokens that the whole conversation would take in a request, unshortened, the newest exchange
    included; costs what is new.

    Args:
        known: what a fold of this log counted: a session that was loaded is not counted again.
        event_cost: as `cost`, from an exchange's events.
    """
    first, last = snapshot.preamble, snapshot.exchange_count - 1
    if last < first:
        return 0
    with memo.growing(("token sums", cost), TokenSums) as sums:
        if (new := sums.next_of_all(first, snapshot)) is not None:
            return sums.of_all(first, list(map(cost, memo.blocks(snapshot.exchanges(new)))))
        count = Count(lambda exchanges: list(map(cost, memo.blocks(exchanges))), event_cost)
        before = 0
        if known is not None and not sums.reaches(first, snapshot.log):
            if known.stop > last:
                return known.tokens
            first, before = known.stop, known.tokens
            if not sums.reaches(first, snapshot.log):
                sums.begin(first, snapshot.log)
        older = before + sums.between(first, last, snapshot, count)
    return older + sum(count.blocks(snapshot.exchanges(last)))


def newest_of(tokens: int, stop: int, inputs: Inputs) -> int | None:
    """As `TokenSums.newest`, from the session's first exchange behind its instruction."""
    snapshot = inputs.snapshot
    with inputs.memo.growing(("token sums", inputs.cost), TokenSums) as sums:
        return sums.newest(tokens, snapshot.preamble, stop, snapshot, _counted_by(inputs))


def place_of(tokens: int, stop: int, inputs: Inputs) -> int:
    """The newest exchange, at most `stop`, in front of which those behind the session's
    instruction take no more than so many tokens."""
    snapshot = inputs.snapshot
    first = snapshot.preamble
    if snapshot.position < len(snapshot.log):  # a late result may not have joined by then
        return first + bisect_right(running_tokens(first, stop, inputs), tokens) - 1
    whole = tokens_between(first, stop, inputs)
    place = newest_of(whole - tokens, stop, inputs)
    assert place is not None, "the sums reach there"
    return place


def tokens_between(start: int, stop: int, inputs: Inputs) -> int:
    """Tokens that the exchanges from `start` up to `stop` would take in a request, unshortened."""
    last = min(stop, inputs.snapshot.exchange_count - 1)
    with inputs.memo.growing(("token sums", inputs.cost), TokenSums) as sums:
        return sums.between(start, last, inputs.snapshot, _counted_by(inputs))


def running_tokens(start: int, stop: int, inputs: Inputs) -> list[int]:
    """Tokens that the exchanges from `start` up to each place would take in a request, unshortened:
    from `start` itself to `stop`, at most the newest exchange."""
    last = min(stop, inputs.snapshot.exchange_count - 1)
    with inputs.memo.growing(("token sums", inputs.cost), TokenSums) as sums:
        return sums.running(start, last, inputs.snapshot, _counted_by(inputs))


def _counted_by(inputs: Inputs) -> Count:
    def counted(exchanges: list[Exchange]) -> list[int]:
        return list(map(inputs.cost, inputs.blocks(exchanges, SOURCE)))

    return Count(counted, inputs.event_cost)


def least_between(
    start: int,
    stop: int,
    key: object,
    least: Callable[[Block], int],
    inputs: Inputs,
    event_least: EventCost | None = None,
) -> int:
    """Tokens that a word leaves at least of the exchanges from `start` up to `stop`.

    Args:
        key: the word. least: what it leaves of one. event_least: the same, from its events.
    """
    snapshot = inputs.snapshot

    def counted(exchanges: list[Exchange]) -> list[int]:
        return list(map(least, inputs.blocks(exchanges, SOURCE)))

    with inputs.memo.growing(("least sums", key, inputs.cost), TokenSums) as sums:
        last = min(stop, snapshot.exchange_count - 1)
        return sums.between(start, last, snapshot, Count(counted, event_least))
