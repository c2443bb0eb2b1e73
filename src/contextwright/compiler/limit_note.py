"""What holds on of what a limit drops, or a window in tokens lets go: the rules, decisions and
remarks that a fold's note tells before all calls, and the lists of what is to be done. The line
that names what is missing tells it (rules.md#left-out), from one step to the next in the same
bytes."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple
from weakref import ref

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.step_places import GRAIN, LimitStep, inputs_then, snapshot_before
from contextwright.compiler.steps.forms import entry
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.known_prefix import LoggedBlocks
from contextwright.compiler.steps.note_builder import (
    NoteBuilder,
    NoteScope,
    end_of_request,
)
from contextwright.compiler.steps.note_pages import page_of
from contextwright.compiler.steps.note_rules import (
    SENTENCE,
    note_for_rules,
    tell_what_holds,
)
from contextwright.compiler.steps.note_todos import LEAST_TODOS, tell_todos
from contextwright.compiler.token_sums import place_of, tokens_between
from contextwright.session.event_index import ORPHAN
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span, spans_between

SHARE, MOST = 40, 2_400
"""Percent of what a limit leaves for exchanges that such a note has at most, and tokens: some
eighty rules and remarks."""
ALL = 100
"""Percent of its room for what holds: it tells nothing else but lists, which come first."""
SAFETY = 24
"""Tokens that are kept free for what joins its lines."""
TAIL = 50
"""Percent of what a step leaves that it leaves for certain: nearly always more stands, for it drops
whole exchanges, and fills what is free again."""
LAID_DOWN = 256
"""Exchanges that are looked through for what agents and tools lay down: of each a block is made."""
ENDED = 128
"""Exchanges in which something may have been asked for of which it is told that it is over: to look
further back for what is said of it is to read all of a session, but where old requests stand."""
RECENT = 4
"""Notes and rooms that are kept: those of a request's step, and of the one that told its room."""


class NoteLine(NamedTuple):
    """A line of a note: of an exchange, or of the list that it changed last.

    Args:
        unit: of lines that stand together, the same; the lower, the sooner it is told.
    """

    exchange: int
    text: str
    unit: int = 0


class LimitHistory:
    """What the notes of a limit know of one log. It grows with it: an exchange is looked at once.

    Args:
        limit: tokens of the whole request.
        leaves_gaps: whether what is sent stands here and there, old requests among it.
    """

    def __init__(self, limit: int, *, leaves_gaps: bool = False) -> None:
        self._limit, self._leaves_gaps = limit, leaves_gaps
        self._log: ref[Log] | None = None
        self._joins = 0
        self._begin()

    def _begin(self) -> None:
        self._history = History()
        self._rooms = dict[Any, int]()
        self._notes = dict[Any, tuple[NoteLine, ...]]()
        self._texts = dict[Any, str]()
        self._over = dict[int, dict[int, int | None]]()

    @property
    def most(self) -> int:
        """Tokens that a note has of all that the limit is of."""
        return _most_of(self._limit)

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        lines = chain.from_iterable(self._notes.values())
        texts = chain((line.text for line in lines), self._texts.values())
        return self._history.held_bytes + sum(map(len, texts))

    def room(
        self, step: LimitStep, base: int, inputs: Inputs, brought: Blocks | None = None
    ) -> int:
        """Tokens that a note needs of what this step drops, in whole parts of the limit: so what
        users lay down moves few steps.

        Args:
            base: tokens of a request that are no exchange.
            brought: what windows brought the limit of the exchanges before it, where that is told.
        """
        self._follow(inputs.snapshot.log)
        most = _most_of(max(0, self._limit - base))
        about = (_position(step.place, inputs), step.goal, base, brought)
        if about not in self._rooms:
            spans = _dropped_by(step, base, inputs)
            scope = self._scope(spans, step.place, inputs, brought)
            tokens = 0 if scope is None else _needed(scope, most)
            over = self._ends(spans, step.place, inputs, brought) if tokens < most else ()
            tokens += sum(inputs.count(line.text) + 1 for line in over)
            _put(self._rooms, about, min(most, tokens + SAFETY) if tokens else 0)
        grain = max(1, self._limit // GRAIN)
        return min(-(-self._rooms[about] // grain) * grain, most)

    def note(
        self,
        spans: Sequence[Span],
        place: int,
        room: int,
        inputs: Inputs,
        brought: Blocks | None = None,
        *,
        step: tuple[LimitStep, int] | None = None,
        lists: bool = True,
        most: int = 0,
    ) -> str:
        """What holds on of these exchanges, in so many tokens, a line each, and what says that
        something is over of which only the beginning is sent; empty where nothing does.

        Args:
            place: the first exchange that had not begun when they went.
            brought: as for `room`.
            step: of a limit, with the tokens that are no exchange, if one dropped them. The note is
                told of what it drops at least, so that it need not be told anew where an exchange
                more or less is sent.
            lists: whether it tells what is to be done.
            most: tokens that are left of its room, if they are fewer: what it tells first has them.
        """
        self._follow(inputs.snapshot.log)
        about = spans if step is None else _usual(spans, *step, inputs)
        key = (_position(place, inputs), room, lists, *about, brought)
        most = most or room
        if (text := self._texts.get((*key, most, *spans))) is not None:
            return text
        if key not in self._notes:
            scope = self._scope(about, place, inputs, brought)
            lines = () if scope is None else _lines_of(scope, room - SAFETY, lists=lists)
            _put(self._notes, key, lines)
        known = self._notes[key]
        lines = [*compress(known, _are_in(spans, map(attrgetter("exchange"), known)))]
        if most < room:
            lines = _first_of(lines, most - SAFETY, inputs)
        left = most - SAFETY - inputs.count("\n".join([line.text for line in lines]))
        if left >= SENTENCE:
            over = self._ends(spans, place, inputs, brought)
            lines = sorted({*lines, *_fitting(over, lines, left, inputs)})
        text = "\n".join([line.text for line in lines])
        _put(self._texts, (*key, most, *spans), text)
        return text

    def _ends(
        self, spans: Sequence[Span], place: int, inputs: Inputs, brought: Blocks | None
    ) -> list[NoteLine]:
        """That what a user asked for is over, by one of these exchanges: of what is sent in front
        of the last of them, and of what lies behind a window, which a summary may tell, the newest
        first. Without it, it would look as if it were still to do."""
        scope = self._scope(spans, place, inputs, None)
        if scope is None:
            return []
        own = None if brought is None else {block.order: block for block in brought}
        preamble, stop = inputs.snapshot.preamble, spans[-1][1]
        first = preamble if self._leaves_gaps else max(preamble, stop - ENDED)
        users = scope.history.users_behind(first - preamble - 1, stop - first)
        places = [at + preamble for at in reversed(users) if at + preamble < stop]
        dropped = {*compress(places, _are_in(spans, places))}
        requests = [at for at in places if at not in dropped or (own and at not in own)]
        position = scope.inputs.snapshot.position
        if position not in self._over:
            _put(self._over, position, {})
        known = self._over[position]
        if new := [at for at in requests if at not in known]:
            known.update(_ends_of(scope, new))
        ends = [*dict.fromkeys([end for at in requests if (end := known[at]) is not None])]
        lines = [_line_of(end, scope, own) for end in compress(ends, _are_in(spans, ends))]
        return [line for line in lines if line is not None]

    def _follow(self, log: Log) -> None:
        if self._log is None or self._log() is not log or self._joins != log.joins:
            self._log, self._joins = ref(log), log.joins
            self._begin()

    def _scope(
        self, spans: Sequence[Span], place: int, inputs: Inputs, brought: Blocks | None
    ) -> NoteScope | None:
        """What a note of these exchanges stands for, as it was when an exchange had not begun; None
        where there are none, or results without calls lie among what is looked at."""
        then = inputs_then(place, inputs)
        first = then.snapshot.preamble
        if brought is not None:
            return _scope_of_blocks(brought, spans, then, page_of(self._limit))
        if not spans or _has_orphans(place, then.snapshot):
            return None
        stop = place - first
        blocks = LoggedBlocks(stop)
        blocks.read_from(then)
        history = self._history
        if not history.stop:
            history.begin_logged(stop, then.snapshot)
        upto = spans[-1][1] - first
        history.begin_unused(stop, max(0, upto - LAID_DOWN))
        history.grow(blocks, stop - 1)  # the last may have grown since
        history.grow(blocks, stop)
        held = chain.from_iterable(range(*gap) for gap in _outside_of(spans, first))
        held = frozenset(at - first for at in held)
        return NoteScope(blocks, stop, upto, held, history, then, page_of(self._limit))


def _most_of(tokens: int) -> int:
    """Tokens that a note has at most of so many that exchanges may have."""
    return min(MOST, tokens * SHARE // 100)


def _usual(spans: Sequence[Span], step: LimitStep, base: int, inputs: Inputs) -> Sequence[Span]:
    """What a step drops for certain; the spans themselves where they are others."""
    usual = _dropped_by(step, base, inputs, share=TAIL)
    is_usual = all(any(a <= start and stop <= b for a, b in usual) for start, stop in spans)
    return usual if is_usual else spans


def _outside_of(spans: Sequence[Span], first: int) -> list[Span]:
    """The exchanges from `first` on between these spans."""
    between = pairwise(chain((first,), chain.from_iterable(spans)))
    return [*islice(between, 0, None, 2)]


def _are_in(spans: Sequence[Span], exchanges: Iterable[int]) -> list[bool]:
    """Of each of these exchanges, whether it is in one of some spans, which ascend: of both there
    may be hundreds."""
    starts, ends = [-1, *map(itemgetter(0), spans)], [-1, *map(itemgetter(1), spans)]
    return [at < ends[bisect_right(starts, at) - 1] for at in exchanges]


def _position(place: int, inputs: Inputs) -> int:
    """The events before an exchange, which may be more until it has begun."""
    return snapshot_before(place, inputs.snapshot).position


def _scope_of_blocks(
    brought: Blocks, spans: Sequence[Span], then: Inputs, page: int
) -> NoteScope | None:
    """The same of exchanges that words brought and made, and no others."""
    first = then.snapshot.preamble
    known = {block.order: block for block in brought if block.order >= first}
    blocks = [known[order] for order in sorted(known)]
    are_dropped = _are_in(spans, map(attrgetter("order"), blocks))
    places = [*compress(range(len(blocks)), are_dropped)]
    if not places:
        return None
    stop, upto = len(blocks), places[-1] + 1
    history = History()
    history.begin_unused(stop, max(0, upto - LAID_DOWN))
    history.grow(blocks, stop)
    return NoteScope(blocks, stop, upto, frozenset(range(upto)) - {*places}, history, then, page)


def _put(known: dict[Any, Any], about: Any, made: Any) -> None:
    known[about] = made
    while len(known) > RECENT:
        del known[next(iter(known))]


def _has_orphans(place: int, snapshot: Snapshot) -> bool:
    """Whether the log has a result without its call there: no request has an exchange of it."""
    orphans = snapshot.log.ends("kind", ORPHAN, snapshot.position)
    return orphans is not None and snapshot.log.exchange_index(orphans[0]) < place


def _dropped_by(step: LimitStep, base: int, inputs: Inputs, share: int = 100) -> tuple[Span, ...]:
    """About the exchanges that a step drops: all but what must stay, and the newest that its goal
    has room for.

    Args:
        share: percent of that room.
    """
    first, last = inputs.snapshot.preamble, step.place - 1
    if last <= first:
        return ()
    room = max(0, step.goal - base) * share // 100
    tokens = tokens_between(first, last, inputs) - room
    stop = place_of(tokens, last, inputs) if tokens > 0 else first
    held = inputs_then(step.place, inputs).held_within(first, stop)
    return spans_between(first, stop, held)


def _needed(scope: NoteScope, most: int) -> int:
    """Tokens that a note needs to tell all that holds, so many at most."""
    tokens = note_for_rules(scope, most)
    if scope.history.todo_places(scope.upto):
        tokens += LEAST_TODOS
    return tokens


def _lines_of(scope: NoteScope, room: int, *, lists: bool) -> tuple[NoteLine, ...]:
    """What a note tells of it in so many tokens, with the lists of what is to be done or without
    them."""
    if room <= 0:
        return ()
    note = NoteBuilder(scope, room)
    todos = tell_todos(note, room) if lists else []
    tell_what_holds(note, room, ALL, remarks_from=0)
    units = dict(zip(note.forms, _units_of(note), strict=True))
    lines = [(at, note.entry(at, form).text, units[at]) for at, form in sorted(note.forms.items())]
    lines += [(todo.places[-1], text, 0) for todo, text in todos]
    return tuple([NoteLine(scope.blocks[at].order, text, unit) for at, text, unit in lines])


def _units_of(note: NoteBuilder) -> Iterator[int]:
    """The unit of each of a note's forms, in the order in which they were told."""
    ends, unit = sorted({*note.units}), 1
    last = ends[-1] if ends else 0
    for place in range(len(note.forms)):
        yield unit + max(0, place - last)
        unit += place + 1 in ends


def _first_of(lines: Sequence[NoteLine], room: int, inputs: Inputs) -> list[NoteLine]:
    """The lines that a note tells first, in so many tokens."""
    by_unit = dict[int, list[NoteLine]]()
    for line in lines:
        by_unit.setdefault(line.unit, []).append(line)
    chosen = list[NoteLine]()
    for unit in sorted(by_unit):
        room -= sum(inputs.count(line.text) + 1 for line in by_unit[unit])
        if room < 0:
            break
        chosen += by_unit[unit]
    return sorted(chosen)


def _ends_of(scope: NoteScope, requests: Sequence[int]) -> Iterator[tuple[int, int | None]]:
    """What users said in the log, each with the exchange that says that what they asked for is
    over; None where none says so."""
    first = scope.inputs.snapshot.preamble
    for request in requests:
        end = end_of_request(scope, request - first)
        yield request, None if end is None else end + first


def _line_of(exchange: int, scope: NoteScope, own: dict[int, Block] | None) -> NoteLine | None:
    """An exchange of the log in a line.

    Args:
        own: what words brought of the log, where that is what is told.
    """
    first = scope.inputs.snapshot.preamble
    block = scope.blocks[exchange - first] if own is None else own.get(exchange)
    if block is None:
        return None
    return NoteLine(exchange, entry(block, "line", scope.inputs, scope.page).text)


def _fitting(
    ends: Sequence[NoteLine], lines: Sequence[NoteLine], room: int, inputs: Inputs
) -> Iterator[NoteLine]:
    """The ends that nothing tells, in so many tokens."""
    known = {line.exchange for line in lines}
    for line in ends:
        tokens = inputs.count(line.text) + 1
        if line.exchange not in known and tokens <= room:
            known.add(line.exchange)
            room -= tokens
            yield line
