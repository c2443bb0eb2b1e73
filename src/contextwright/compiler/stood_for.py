"""What a summary stands for."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, count, pairwise
from operator import attrgetter, not_, sub
from types import MappingProxyType

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.memo.owned_tables import Table
from contextwright.session.log import Log
from contextwright.spec.growing import begins_with
from contextwright.spec.log_part import Span, spans_between

_LINEAGE = attrgetter("lineage")

PLACE = 8
"""Bytes of a place in a list."""


class StoodFor(msgspec.Struct, frozen=True):
    """What a summary replaced: its blocks, as far as a compile looked at them, the ids in its
    lineage, the spans of exchanges that the blocks were, the tokens they took; and of which blocks
    that was told, where it was told of all of them, with those of them that it left, and the
    lineage as the summary has it."""

    blocks: frozenset[Block]
    lineage: frozenset[str]
    spans: tuple[Span, ...]
    tokens: int
    before: Blocks = ()
    rest: Blocks = ()
    ids: tuple[str, ...] = ()

    def holds(self, before: Blocks) -> bool:
        """Whether it replaces the same of these blocks, no more and no less."""
        known = self.before
        if known and begins_with(before, known):  # as nearly always: what came since is looked at
            return not any(map(self.lineage.issuperset, map(_LINEAGE, before[len(known) :])))
        every = set(before)
        if not self.blocks <= every:
            return False
        rest = every - self.blocks
        return not any(map(self.lineage.issuperset, map(_LINEAGE, rest)))

    def is_begun_by(self, summary: Block, before: Blocks) -> bool:
        """Whether a summary of these blocks goes on where this one ended."""
        known = self.before
        return bool(known) and begins_with(before, known) and begins_with(summary.lineage, self.ids)


NOTHING = StoodFor(frozenset(), frozenset(), (), 0)
"""What no summary replaced."""
NO_MERGES: Mapping[Block, StoodFor] = MappingProxyType({})
"""No summary."""


def stood_for(
    summary: Block, before: Blocks, cost: Callable[[Block], int], known: StoodFor = NOTHING
) -> StoodFor:
    """The blocks whose events are in a summary's lineage.

    Args:
        known: of the summary before it: where this one goes on, what is new is looked at.
    """
    if not known.is_begun_by(summary, before):
        known = NOTHING
    lineage = known.lineage.union(summary.lineage[len(known.ids) :])
    new = (*known.rest, *before[len(known.before) :])
    # not by a map: it would hold the interpreter's lock for as long as a log is
    is_told = [lineage.issuperset(block.lineage) for block in new]
    sources = tuple(compress(new, is_told))
    rest = tuple(compress(new, map(not_, is_told)))
    spans = joined_spans(known.spans, {block.order for block in sources if block.order >= 0})
    tokens = known.tokens + sum(map(cost, sources))
    blocks = known.blocks.union(sources)
    return StoodFor(blocks, lineage, spans, tokens, before, rest, summary.lineage)


KnownMerges = Table
"""What summaries stood for, and among which blocks, by the summary; of each id, the newest."""


def replaced_by(
    summary: Block, before: Blocks, known: KnownMerges, cost: Callable[[Block], int]
) -> StoodFor | None:
    """What a summary stands for of the blocks before it; None for one that stood there already."""
    made, ground = known.get(summary, (None, None))
    if made is not None and ground is before:
        return made
    if made is None or not made.holds(before):
        if summary.id in map(attrgetter("id"), before):
            return None
        newest, _ = known.known(summary.id) or (NOTHING, None)
        made = stood_for(summary, before, cost, newest)
        known[summary.id] = made, before
    known[summary] = made, before
    return made


def stood_for_spans(
    spans: tuple[Span, ...], tokens: int, before: Blocks, log: Log, cost: Callable[[Block], int]
) -> StoodFor:
    """The same for a summary of all exchanges in `spans`, without a look at those that a compile
    did not look at.

    Args:
        tokens: that these exchanges took.
        before: blocks of the conversation that stand as the log has them, and texts.
    """

    def is_told(text: Block) -> bool:
        places = map(log.position_of, text.lineage)
        return all(at is not None and is_within(log.exchange_index(at), spans) for at in places)

    exchanges = [block for block in before if block.messages]
    blocks = {one for start, stop in spans for one in exchanges if start <= one.order < stop}
    texts = {block for block in before if not block.messages and is_told(block)}
    every = frozenset(blocks | texts)
    return StoodFor(every, frozenset(), spans, tokens + sum(map(cost, texts)))


def is_within(order: int, spans: Iterable[Span]) -> bool:
    """Whether an exchange is in one of the spans."""
    for start, stop in spans:
        if start <= order < stop:
            return True
    return False


def places_among(blocks: Blocks) -> list[int]:
    """The places of the exchanges among blocks, ascending, each once."""
    orders = sorted({block.order for block in blocks})
    return orders[bisect_left(orders, 0) :]


def spans_of(orders: Sequence[int]) -> tuple[Span, ...]:
    """Ascending places as spans of neighbours: the first, and the one behind the last."""
    if not orders:
        return ()
    if orders[-1] - orders[0] == len(orders) - 1:
        return ((orders[0], orders[-1] + 1),)
    steps = map(sub, orders[1:], orders)
    ends = list(compress(count(1), map((1).__ne__, steps)))
    edges = pairwise((0, *ends, len(orders)))
    return tuple([(orders[start], orders[stop - 1] + 1) for start, stop in edges])


def joined_spans(spans: tuple[Span, ...], orders: Iterable[int]) -> tuple[Span, ...]:
    """Spans with more places."""
    return united(spans, spans_of(sorted(orders)))


def united(spans: tuple[Span, ...], more: tuple[Span, ...]) -> tuple[Span, ...]:
    """The places that are in one of these spans or of those, ascending."""
    if not spans or not more:
        return spans or more
    joined: list[Span] = []
    for start, stop in sorted((*spans, *more)):
        if joined and joined[-1][1] >= start:
            first, end = joined[-1]
            joined[-1] = first, max(end, stop)
        else:
            joined.append((start, stop))
    return tuple(joined)


def gaps_between(spans: Iterable[Span], start: int) -> list[Span]:
    """The places from `start` on that lie in front of a span, and in none."""
    gaps: list[Span] = []
    for first, stop in sorted(spans):
        if first > start:
            gaps.append((start, first))
        start = max(start, stop)
    return gaps


class NoteLineage:
    """The ids of a conversation's exchanges, one behind the other."""

    def __init__(self) -> None:
        self._base = 0
        self._ids: list[str] = []
        self._starts = [0]  # of the exchanges from the base on

    def begin(self, place: int, ids: list[str]) -> None:
        """Begin with the ids of the exchanges before `place`, which are not told apart."""
        self._base, self._ids, self._starts = place, ids, [len(ids)]

    @property
    def held_bytes(self) -> int:
        """About what it takes: the ids are the log's."""
        return PLACE * (len(self._ids) + len(self._starts))

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        if start < self._base:
            self.begin(0, [])
        elif (place := start - self._base) < len(self._starts) - 1:
            del self._ids[self._starts[place] :], self._starts[place + 1 :]

    def of(self, blocks: Sequence[Block], upto: int, held: Iterable[int]) -> tuple[str, ...]:
        """The ids of the exchanges before `upto`, but for those at the places that are held."""
        base, starts = self._base, self._starts
        for at in range(base + len(starts) - 1, upto):
            self._ids += blocks[at].lineage
            starts.append(len(self._ids))
        held = set(held)
        without = {id for at in held if at < base for id in blocks[at].lineage}
        ids = [id for id in self._ids[: starts[0]] if id not in without]
        for start, stop in spans_between(base, upto, held):
            ids += self._ids[starts[start - base] : starts[stop - base]]
        return tuple(ids)
