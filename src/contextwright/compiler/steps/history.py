"""What steps know of a conversation. It grows with it: each exchange is looked at once."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.protection import protection_of
from contextwright.blocks.todo_states import calls_todo_tool
from contextwright.compiler.steps.directive_places import (
    LastingPlaces,
    choices_at,
    conditions_at,
    directives_at,
    foreign_at,
    passed_over_at,
    remarks_at,
)
from contextwright.compiler.steps.first_look import exchanges_with
from contextwright.compiler.steps.forms import WORDS
from contextwright.compiler.steps.last_uses import LastUses
from contextwright.compiler.steps.late_ends import LateEnds
from contextwright.compiler.steps.newer_calls import NewerCalls
from contextwright.compiler.steps.repeats import Superseded
from contextwright.compiler.steps.word_weights import WordWeights
from contextwright.session.event_index import SPOKEN
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.text.todo_lists import is_todo_tool

CONDITIONS_REACH = 1_024
"""Exchanges that are looked through for what agents and tools lay down: what is shut opens."""
REMARKS_REACH = 400
"""Messages of users that are looked through for what may hold: more would tell on a first
compile, and hardly ever has a note room for those of more."""
WORD = 120
"""Bytes of an identifier with its tokens, about."""


class History:
    """The exchanges before the newest step, by what a step asks of them: of all of them who spoke
    and what holds from there on, and of those from `first` on what they say.

    Attributes:
        uses: where each was used last.
        weights: what their identifiers weigh.
        repeats: those whose results later ones hold.
        newer: those that later ones say anew.
        word_tokens: what identifiers take in a note, as far as they were counted.
    """

    def __init__(self) -> None:
        self._begin(0)
        self._stop = 0
        self._users: list[int] = []
        self._directives = LastingPlaces(directives_at)
        self._passed_over = LastingPlaces(passed_over_at)
        self._choices = LastingPlaces(choices_at)
        self._remarks = LastingPlaces(remarks_at)
        self._foreign = LastingPlaces(foreign_at)
        self._conditions = LastingPlaces(conditions_at)
        self._ends = LateEnds()
        self._lasting: list[int] = []  # places that are held in every request
        self._todos: list[int] = []  # places that call tools for things to do
        self._by_order: list[tuple[int, int]] = []  # (exchange of the log, place)
        self._logged, self._preamble = 0, 0  # so many begin it, as the log has them behind that

    def _begin(self, first: int) -> None:
        self._first = first
        self.uses = LastUses(first)
        self.weights = WordWeights(first)
        self.repeats = Superseded(first)
        self.newer = NewerCalls(first)
        self.word_tokens: dict[str, int] = {}

    def begin(self, first: int) -> None:
        """What older exchanges than `first` say is not asked for any more."""
        if first != self.uses.first:
            self._begin(first)

    def begin_unused(self, stop: int, first: int) -> None:
        """Of what the exchanges before `stop` were used for, and set, nothing is asked; and of
        those before `first`, what agents and tools lay down."""
        self.begin(stop)
        self._first = first

    @property
    def stop(self) -> int:
        """The exchange behind the last that was taken in."""
        return self._stop

    def begin_logged(self, count: int, snapshot: Snapshot) -> None:
        """Begin with so many exchanges as the log has them: who spoke, and what is held, its
        indexes tell."""
        first = snapshot.preamble
        spoke = partial(exchanges_with, start=first, stop=first + count, snapshot=snapshot)
        pinned = snapshot.exchanges_with("pinned", "yes", first, first + count)
        lasting = {*spoke("role", "system"), *(exchange.index for exchange in pinned)}
        self._logged, self._preamble, self._stop = count, first, count
        self._users = [index - first for index in spoke("kind", SPOKEN)]
        self._lasting = sorted(index - first for index in lasting)
        called = dict.fromkeys(tool for _, tool in snapshot.log.called_tools(snapshot.position))
        calls = (
            snapshot.exchanges_with("tool", tool, first, first + count)
            for tool in called
            if is_todo_tool(tool)
        )
        self._todos = sorted({one.index - first for exchanges in calls for one in exchanges})

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        own = self.newer.held_bytes + self._ends.held_bytes + WORD * len(self.word_tokens)
        return self.uses.held_bytes + self.weights.held_bytes + own

    def grow(self, blocks: Sequence[Block], stop: int) -> None:
        """Take in the exchanges before `stop`, and no others."""
        self._truncate(blocks, stop)
        for at, block in enumerate(blocks[self._stop : stop], self._stop):
            role, order = block.role, block.order
            if block.by_user:
                self._users.append(at)
            if role == "system" or block.pinned or block.tier == 1:
                self._lasting.append(at)
            if calls_todo_tool(block):
                self._todos.append(at)
            if order < 0:
                continue
            if self._by_order and order < self._by_order[-1][0]:
                insort(self._by_order, (order, at))
            else:
                self._by_order.append((order, at))
        self._stop = stop
        for block in blocks[self.uses.stop : stop]:
            self.uses.append(block)
            self.newer.append(block)

    def forget(self, blocks: Sequence[Block], start: int) -> None:
        """The conversation is another one from `start` on. `blocks`: as it was."""
        self.repeats.forget(start)
        self._truncate(blocks, start)

    def _truncate(self, blocks: Sequence[Block], start: int) -> None:
        if start < self.weights.upto:
            self.weights.move(blocks, start)
        if start < self.uses.stop:
            self.uses.truncate(start)
            self.newer.truncate(start)
            for form in WORDS:  # what is told in them depends on what later exchanges hold
                self.uses.forget_sizes(form)
        if start >= self._stop:
            return
        self._stop = start
        for places in (self._users, self._lasting, self._todos):
            del places[bisect_left(places, start) :]
        self._directives.truncate(start)
        self._passed_over.truncate(start)
        self._choices.truncate(start)
        self._remarks.truncate(start)
        self._foreign.truncate(start)
        self._conditions.truncate(start)
        self._ends.truncate(start)
        self._by_order = [pair for pair in self._by_order if pair[1] < start]
        self._logged = min(self._logged, start)

    def first_user(self, upto: int, held: frozenset[int]) -> int | None:
        """The first words of the user before `upto` that are not held."""
        for at in self._users:
            if at >= upto:
                return None
            if at not in held:
                return at
        return None

    def directives(self, blocks: Sequence[Block], upto: int, held: frozenset[int]) -> Iterator[int]:
        """Exchanges before `upto` that say what holds from there on, the newest first, and of those
        that say the same the newest."""
        places = self._directives.before(blocks, self._stop, upto)
        return (at for at in places if at not in held)

    def passed_over(
        self, blocks: Sequence[Block], upto: int, held: frozenset[int]
    ) -> Iterator[int]:
        """Exchanges before `upto` in which a user says what nothing came of, the newest first, and
        of those that say the same the newest."""
        start, users = self._reach(upto), self._users
        places = self._passed_over.before(blocks, self._stop, upto, start, users)
        return (at for at in places if at not in held)

    def choices(self, blocks: Sequence[Block], upto: int, held: frozenset[int]) -> Iterator[int]:
        """Exchanges before `upto` in which a user only chooses of what was asked in front of them,
        the newest first, and of those that choose the same the newest."""
        start, users = self._reach(upto), self._users
        places = self._choices.before(blocks, self._stop, upto, start, users)
        return (at for at in places if at not in held)

    def remarks(self, blocks: Sequence[Block], upto: int, held: frozenset[int]) -> Iterator[int]:
        """Exchanges before `upto` in which a user says something beside what they ask for, the
        newest first, and of those that say the same the newest."""
        places = self._remarks.before(blocks, self._stop, upto, self._reach(upto))
        return (at for at in places if at not in held)

    def foreign(self, blocks: Sequence[Block], upto: int, held: frozenset[int]) -> Iterator[int]:
        """Exchanges before `upto` in which a user says what may hold in another language than
        English, the newest first, and of those that say the same the newest."""
        places = self._foreign.before(blocks, self._stop, upto, self._reach(upto))
        return (at for at in places if at not in held)

    def conditions(self, blocks: Sequence[Block], upto: int, held: frozenset[int]) -> Iterator[int]:
        """Exchanges before `upto` in which an agent or a tool lays something down, the newest
        first, and of those that say the same the newest."""
        start = max(self._first, upto - CONDITIONS_REACH)
        places = self._conditions.before(blocks, self._stop, upto, start)
        return (at for at in places if at not in held)

    def _reach(self, upto: int) -> int:
        """Where the messages of users begin that are looked through for what may hold."""
        first = max(0, bisect_left(self._users, upto) - REMARKS_REACH)
        return self._users[first] if self._users else 0

    def todo_places(self, stop: int) -> list[int]:
        """Exchanges before `stop` that call tools for things to do, ascending."""
        return self._todos[: bisect_left(self._todos, stop)]

    def end_of(self, blocks: Sequence[Block], request: str, at: int) -> int | None:
        """The newest exchange that says that what a user asked for at `at` is done, or called off,
        naming it; None where none does."""
        return self._ends.end_of(blocks, request, at, self._stop)

    def last_status_of(self, blocks: Sequence[Block], request: str, at: int) -> int | None:
        """The newest exchange, of later turns, in which a tool says something of what a user asked
        for at `at`, by name; None where none does."""
        following = self.users_behind(at, 1)
        if not following:
            return None
        return self._ends.last_status_of(blocks, request, following[0], self._stop)

    def last_word_on(self, blocks: Sequence[Block], request: str, at: int) -> int | None:
        """The newest exchange that tells something, in whatever language, of what a user asked for
        at `at`; None where none does."""
        return self._ends.last_word_on(blocks, request, at, self._stop)

    def news_of(self, blocks: Sequence[Block], statement: str, at: int) -> int | None:
        """The newest exchange in which a user tells something of what was said at `at`; None where
        none does."""
        return self._ends.news_of(blocks, statement, at, self._stop)

    def last_by_rare_word(
        self, blocks: Sequence[Block], statement: str, at: int, *, by_users: bool = False
    ) -> int | None:
        """The newest exchange, of a user's alone if `by_users`, that tells something with a word of
        what was said at `at` which hardly any other has; None where none does."""
        stop = self._stop
        return self._ends.last_by_rare_word(blocks, statement, at, stop, by_users=by_users)

    def is_asked_for(self, blocks: Sequence[Block], text: str, at: int) -> bool:
        """Whether a user asked, before `at`, for what is spoken of there."""
        return self._ends.is_asked_for(blocks, text, at, self._stop)

    def users_behind(self, at: int, most: int) -> list[int]:
        """Where the user speaks next behind an exchange, so many times at most."""
        following = bisect_right(self._users, at)
        return self._users[following : following + most]

    def task_turn(self, upto: int, held: frozenset[int]) -> tuple[int, int] | None:
        """The first words of the user, where they are held, and what stands in front of what the
        user said next, behind some work: an answer alone asks for more as often as it ends it."""
        task, *following = self._users[:2] or (upto,)
        last = (following[0] if following else self._stop) - 1
        ended = task in held and task + 1 < last < upto and last not in held
        return (task, last) if ended else None

    def requests(self, upto: int, held: frozenset[int]) -> Iterator[tuple[int, ...]]:
        """What the user said before `upto`, the newest first, each with what stands in front of
        what the user said next."""
        following = self._stop
        for place in range(len(self._users) - 1, -1, -1):
            at, last = self._users[place], following - 1
            following = at
            if at < upto and at not in held:
                yield (at, *self._within(at, last, upto, held))

    def end_of_turn(self, at: int, upto: int, held: frozenset[int]) -> tuple[int, ...]:
        """What stands in front of what the user said next behind `at`, where that is before
        `upto`."""
        following = self.users_behind(at, 1)
        return self._within(at, (following[0] if following else self._stop) - 1, upto, held)

    @staticmethod
    def _within(at: int, last: int, upto: int, held: frozenset[int]) -> tuple[int, ...]:
        return (last,) if at < last < upto and last not in held else ()

    def held(self, blocks: Sequence[Block], inputs: Inputs) -> frozenset[int]:
        """Places of what was protected when the request was made that ended with the newest
        exchange; what the system said in between stays as well. Results that just came have
        their own place."""
        newest = self._stop - 1
        snapshot, order = inputs.snapshot, blocks[newest].order
        last = snapshot.exchanges(order, order + 1)[0]
        then = msgspec.structs.replace(snapshot, position=last.positions[-1] + 1)
        protection = protection_of(then)
        places = {*self._lasting, *self._ordered(0, protection.preamble)}
        places.update(self._ordered(protection.edge, None))
        for one in protection.exchanges:
            places.update(self._ordered(one, one + 1))
        block = blocks[newest]
        if block.results and not block.pinned and block.tier != 1:
            places.discard(newest)
        return frozenset(places)

    def _ordered(self, start: int, stop: int | None) -> list[int]:
        """Places of the log's exchanges from `start` to `stop`."""
        by_order, first = self._by_order, self._preamble
        end = len(by_order) if stop is None else bisect_left(by_order, (stop, -1))
        newer = [at for _, at in by_order[bisect_left(by_order, (start, -1)) : end]]
        most = self._logged if stop is None else min(self._logged, stop - first)
        return [*range(max(0, start - first), most), *newer]
