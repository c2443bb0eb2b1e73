"""A part of the log that is told by its places: what a word makes of it costs what is new."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.of_exchange import messages_of_events
from contextwright.blocks.ref import range_ref
from contextwright.compute_gate import holding
from contextwright.memo.ownership import belonging_to
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs, brought_by, digest_of
from contextwright.spec.lazy_blocks import LazyBlocks

Span = tuple[int, int]
"""Neighbouring exchanges: the place of the first, and of the one behind the last."""
LONG = 32
"""Ids up to which a lineage is written out: a turn's, such as anybody reads."""
AT_ONCE = 1024
"""Exchanges whose events are looked at in one go."""
FEW = 3
"""Neighbours from which on a range names them in fewer words than their ids."""


def front_tokens(tokens: int, span: int) -> int:
    """Of so many tokens, in spans of a length, those before the newest whole span: what lies there
    is looked at no more, and the place moves by a span at a time."""
    return (tokens // span - 1) * span


class LogPart(NamedTuple):
    """Exchanges of the log.

    Args:
        start: the first. stop: the one behind the last.
        without: those in between that are no part of it, ascending.
    """

    start: int
    stop: int
    without: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many they are."""
        return self.stop - self.start - len(self.without)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Their places."""
        return spans_between(self.start, self.stop, self.without)

    def place_of(self, count: int) -> int:
        """The place behind the first so many."""
        place = self.start
        for start, stop in self.spans:
            if not count:
                break
            place = start + min(count, stop - start)
            count -= place - start
        return place

    def blocks(self, spans: Iterable[Span], source: str, inputs: Inputs) -> Blocks:
        """Their blocks at these places, as somebody may read them: without what the spec
        redacts."""
        exchanges = [one for span in spans for one in inputs.snapshot.exchanges(*span)]
        return inputs.cleaned(inputs.blocks(exchanges, source))


Names = Callable[[Iterable[Span]], Iterable[bytes]]
"""The names of what is read of the exchanges at some places, one behind the other, in pieces."""


class NewBlocks(NamedTuple):
    """Blocks that a model has not read yet, and the names of what they say."""

    blocks: Sequence[Block]
    names: tuple[bytes, ...]


class ReadPart(NamedTuple):
    """A part of the log as a model reads it.

    Args:
        part: the exchanges. source: what their blocks are brought by.
        newest: the last of them, where something shortened them.
        seen: what is read of each of the others.
    """

    part: LogPart
    source: str
    newest: Blocks = ()
    seen: Callable[[Blocks], Blocks] = tuple

    def minus(self, without: Iterable[int]) -> "ReadPart":
        """The same without some more."""
        part = self.part
        more = {at for at in without if part.start <= at < part.stop}
        if more <= {*part.without}:
            return self
        return self._replace(part=part._replace(without=tuple(sorted(more | {*part.without}))))

    def others(self, known: "ReadPart", count: int, names: Names, inputs: Inputs) -> NewBlocks:
        """All but the first so many of those that were told.

        Args:
            names: of what is read of exchanges at some places.
        """
        part, newest, place = self.part, self.newest, known.part.place_of(count)
        stop = newest[0].order if newest else part.stop
        freed = sorted({at for at in known.part.without if at < place} - {*part.without})
        spans = [(at, at + 1) for at in freed]
        spans += [(max(at, place), min(end, stop)) for at, end in part.spans if place < end]
        spans = [(at, end) for at, end in spans if at < end]
        shortened = tuple([block for block in newest if block.order >= place])
        names_of_all = (*names(spans), *inputs.names(shortened))
        if inputs.guards and inputs.in_front is None:  # they look at all of it for its names
            blocks = self.seen(part.blocks(spans, self.source, inputs))
            return NewBlocks((*blocks, *shortened), names_of_all)
        return NewBlocks(self._read_later(spans, shortened, inputs), names_of_all)

    def names(self, spans: Iterable[Span], inputs: Inputs) -> tuple[bytes, ...]:
        """The names of what is read of the exchanges at these places."""
        snapshot = inputs.snapshot
        if inputs.in_front is not None:  # by what they were: nothing is brought, nor cleaned twice
            exchanges = [one for span in spans for one in snapshot.exchanges(*span)]
            return inputs.names(inputs.memo.blocks(exchanges))
        is_whole = snapshot.position == len(snapshot.log)
        if inputs.guards or self.seen is not tuple or not is_whole:
            return inputs.names(self.seen(self.part.blocks(spans, self.source, inputs)))
        return tuple([name for span in spans for name in _names_by_events(span, inputs)])

    def _read_later(self, spans: list[Span], shortened: Blocks, inputs: Inputs) -> LazyBlocks:
        """What is read of exchanges, made when it is read, and what something shortened."""
        # not the inputs, which have the task: a circle would outlive the session until a collection
        front, memo, snapshot = inputs.in_front, inputs.memo, inputs.snapshot
        places = [at for span in spans for at in range(*span)]

        def read(exchanges: list[Exchange]) -> Blocks:
            if not exchanges:
                return ()
            if front is not None:
                return self.seen(front.left_of(exchanges, self.source))
            return self.seen(brought_by(self.source, exchanges, memo))

        def between(start: int, stop: int) -> Blocks:
            exchanges = snapshot.exchanges_at(places[start:stop])
            with holding(memo.lock), belonging_to(memo):
                made = read(exchanges)
            return (*made, *shortened[max(0, start - len(places)) : max(0, stop - len(places))])

        return LazyBlocks(len(places) + len(shortened), between)


def _names_by_events(span: Span, inputs: Inputs) -> Iterator[bytes]:
    """The names of exchanges by their events: of most that a summary stands for no block is
    read, and none is made."""
    snapshot = inputs.snapshot
    for start in range(*span, AT_ONCE):
        stop = min(start + AT_ONCE, span[1])
        for place, events in enumerate(snapshot.log.events_of(start, stop), start):
            messages = messages_of_events(events)
            if messages is None:
                (exchange,) = snapshot.exchanges(place, place + 1)
                messages = inputs.memo.block(exchange).messages
            yield digest_of(messages)


def part_of(spans: Sequence[Span], start: int) -> LogPart:
    """The part from `start` on that these spans are, ascending, of which none touches the next."""
    gaps = (range(before, after) for (_, before), (after, _) in pairwise([(0, start), *spans]))
    return LogPart(start, spans[-1][1], tuple(chain.from_iterable(gaps)))


def free_part(stop: int, inputs: Inputs) -> tuple[LogPart, list[int]]:
    """The exchanges up to one that nothing holds and that have settled, and the places of the
    others."""
    first = inputs.snapshot.preamble
    settled = max(first, min(stop, inputs.settled))
    held = inputs.held_within(first, settled)
    return LogPart(first, settled, tuple(held)), [*held, *range(settled, stop)]


def spans_between(start: int, stop: int, without: Iterable[int]) -> tuple[Span, ...]:
    """The places from `start` up to `stop` but for some, as spans of neighbours."""
    edges = pairwise((start - 1, *sorted(at for at in set(without) if start <= at < stop), stop))
    return tuple((a + 1, b) for a, b in edges if b > a + 1)


def ends_of_part(part: LogPart, snapshot: Snapshot) -> tuple[str, str]:
    """The ids of its first event and of its last, exchange by exchange."""
    spans = part.spans
    first = snapshot.exchanges(spans[0][0], spans[0][0] + 1)[0]
    last = snapshot.exchanges(spans[-1][1] - 1, spans[-1][1])[0]
    return first.ids[0], last.ids[-1]


def lineage_of_part(part: LogPart, snapshot: Snapshot) -> tuple[str, ...]:
    """The ids of its events, exchange by exchange; where they are many, neighbours in the log as
    refs `event://FIRST#..LAST`."""
    log, runs = snapshot.log, _runs(part.spans, snapshot)
    if sum(stop - start for start, stop in runs) <= LONG:
        return tuple(id for run in runs for id in log.ids(*run))
    lineage: list[str] = []
    for start, stop in runs:
        if stop - start < FEW:
            lineage += log.ids(start, stop)
        else:
            lineage.append(range_ref(log.ids(start, start + 1)[0], log.ids(stop - 1, stop)[0]))
    return tuple(lineage)


def _runs(spans: Iterable[Span], snapshot: Snapshot) -> list[Span]:
    """The positions of the events of exchanges, one exchange behind the other, as longest runs."""
    runs: list[Span] = []
    for start, stop in _pieces(spans, snapshot):
        if runs and runs[-1][1] == start:
            start = runs.pop()[0]
        runs.append((start, stop))
    return runs


def _pieces(spans: Iterable[Span], snapshot: Snapshot) -> Iterator[Span]:
    mixed = sorted(_mixed(snapshot))
    for start, stop in spans:
        for index in [at for at in mixed if start <= at < stop]:
            if start < index:
                yield _positions(start, index, snapshot)
            one = snapshot.exchanges(index, index + 1)[0]
            yield from ((at, at + 1) for at in one.positions)
            start = index + 1
        if start < stop:
            yield _positions(start, stop, snapshot)


def _positions(start: int, stop: int, snapshot: Snapshot) -> Span:
    """The positions of exchanges that follow one another in the log."""
    first, last = (snapshot.exchanges(at, at + 1)[0] for at in (start, stop - 1))
    return first.positions[0], last.positions[-1] + 1


def _mixed(snapshot: Snapshot) -> set[int]:
    """The exchanges that were joined by results once another had begun, and those others."""
    log = snapshot.log
    late = snapshot.exchanges_at(set(log.late_joins()))
    return {log.exchange_count(at + 1) - 1 for one in late for at in one.positions}
