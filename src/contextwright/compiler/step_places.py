"""Where the steps of a limit were taken: the places of the log at which what was sent had grown
past it, one after the other, as the requests were made (rules.md#steps-down).

They follow from what exchanges cost unshortened and from what must stay, so from the log alone: a
replay finds the same. A request before the next step decides as the one at the step did.

Each time that a log has grown by some rooms its steps begin anew, so that those of a long one are
known without all that were before (ADR 94).
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from weakref import ref

import msgspec
from msgspec.structs import replace

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.protection import Protection, protection_of
from contextwright.compiler.token_sums import (
    SOURCE,
    least_between,
    running_tokens,
    tokens_between,
)
from contextwright.render.event_cost import EventCost
from contextwright.session.event_index import SPOKEN
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import State, resolved_in
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.memo import Memo
from contextwright.spec.terminal import LOW, Terminal
from contextwright.spec.word_roles import Shortener

PART = 15
"""Percent of what exchanges may have that is history's at a step, beside what must stay."""
GRAIN = 20
"""What is no exchange takes its room in whole twentieths of a limit, so that a state that changes
by a few tokens from turn to turn moves no step."""
FREED = 25
"""Percent of what a step frees when it must that one at the beginning of a turn frees at least."""
GROWTH = 50
"""Percent of what exchanges may have that comes before the next step of a word whose limit is
passed by what it may not touch: it would else decide anew at every request, and gain nothing."""

SPACES = 16
"""Times its limit that a conversation grows by until its steps begin anew: with 8, as a fold has,
recorded service sessions had fewer calls with all their values in sight."""

Least = Callable[[Block], int]
"""Tokens that a word leaves of an exchange at least; they follow from the exchange alone."""


class LimitRule(msgspec.Struct, frozen=True):
    """A limit that goes down in steps.

    Args:
        limit: tokens of all that it limits.
        low: percent of what exchanges may have that a step goes down to.
        key: what the steps are of.
        least: what it leaves of an exchange at least, and then it may be passed; None where it
            drops whole exchanges, and is held.
        event_least: the same, told from its events.
        answers: whether a question of the user's is a step, once there was one.
        turns: whether a step comes where a turn begins, before it must, where turns are long: one
            is certain then, and at the beginning of a turn it stands for what is done, not for
            what the turn works with (ADR 88).
    """

    limit: int
    low: int
    key: object
    least: Least | None = None
    event_least: EventCost | None = None
    answers: bool = False
    turns: bool = False

    @property
    def long_turn(self) -> int:
        """Tokens above which a turn is long: what a step could free, were all of the request
        exchanges. Of a talk with much in front of it no turn is."""
        return self.limit * (100 - self.low) // 100

    def frees(self, base: int) -> int:
        """Tokens that a step frees where it must, beside so many that are no exchange."""
        return max(0, self.limit - base) * (100 - self.low) // 100

    def early(self, base: int) -> int:
        """Tokens of a request up to which no step is taken, also where a turn begins."""
        spare = self.frees(base) * (100 - FREED) // 100 if self.turns else 0
        return self.limit - spare

    @property
    def span(self) -> int:
        """Tokens of exchanges from one beginning of steps to the next: of a limit that what is no
        exchange has passed already, none."""
        return SPACES * max(0, self.limit)


class LimitStep(msgspec.Struct, frozen=True):
    """A step of a limit.

    Args:
        place: the first exchange behind it. number: of it, from 1.
        goal: what the whole request may have, without what came since.
        tokens: what is taken for what it has so.
        due: what it may have with what came since, before the next step.
        is_passed: whether what its word leaves at least of everything is over its limit.
        began: the place where steps last began anew; since: where they did before that: of what
            lies in front of it nothing is so short that it would stay.
        is_early: whether it, or one before it since steps began anew, came before the limit was
            passed.
    """

    place: int
    goal: int
    tokens: int
    due: int
    number: int = 0
    is_passed: bool = False
    began: int = 0
    since: int = 0
    is_early: bool = False


class _Ground(msgspec.Struct, frozen=True, eq=False):
    """What the steps of a log follow from beside what comes at its end.

    Args:
        log: one that was rewound is another. joins: results that came late, with which an exchange
            of before has other tokens; failures: the exchanges among these that failed so, and
            must stay now. state: the session's, of which `resolved` need not stay.
    """

    log: ref[Log]
    joins: int
    failures: frozenset[int]
    state: State
    resolved: tuple[str, ...]

    @classmethod
    def of(cls, inputs: Inputs) -> "_Ground":
        """That of a moment."""
        log, state = inputs.snapshot.log, inputs.snapshot.state
        joins = log.late_joins()
        failures = inputs.protection.failures.intersection(joins)
        return cls(ref(log), len(joins), failures, state, resolved_in(state))

    def holds(self, inputs: Inputs) -> bool:
        """Whether it is that of a later moment too."""
        log, state = inputs.snapshot.log, inputs.snapshot.state
        joins = log.late_joins()
        return (
            self.log() is log
            and self.joins == len(joins)
            and self.failures == inputs.protection.failures.intersection(joins)
            and (self.state is state or self.resolved == resolved_in(state))
        )


class StepPlaces:
    """The steps of one log since they last began anew, as far as they were taken; they grow at
    their end."""

    def __init__(self) -> None:
        self._ground: _Ground | None = None
        self._begin()

    def _begin(self) -> None:
        self.steps: list[LimitStep] = []
        self.at = 0
        self.origins: list[int] = []
        """The first exchange, and the places where steps began anew."""

    @property
    def held_bytes(self) -> int:
        """About what they take in memory."""
        return 64 * len(self.steps) + 8 * len(self.origins)

    def newest(self, rule: LimitRule, base: int, inputs: Inputs) -> LimitStep | None:
        """The step that the request of this moment stands behind; None before the first.

        Args:
            base: tokens of it that are no exchange.
        """
        snapshot = inputs.snapshot
        if self._ground is None or not self._ground.holds(inputs):
            self._begin()
            self._ground = _Ground.of(inputs)
        stop = snapshot.exchange_count
        if len(self.origins) > 1 and stop <= self.origins[-1]:  # a look back
            return StepPlaces().newest(rule, base, inputs)
        self._begin_anew(stop, rule, base, inputs)
        self._follow(stop, rule, base, inputs)
        before = next((step for step in reversed(self.steps) if step.place < stop), None)
        last = before or LimitStep(snapshot.preamble, base, base, rule.limit)
        newest = sum(map(inputs.cost, inputs.blocks(snapshot.exchanges(stop - 1, stop), SOURCE)))
        if tokens_between(self.origins[-1], stop - 1, inputs) + newest > rule.span:
            return _step_at(
                snapshot, rule, base, inputs, number=stop, origins=(*self.origins, stop)
            )
        tokens = last.tokens + tokens_between(last.place, stop - 1, inputs) + newest
        return self._due_at(stop, tokens, last, rule, base, inputs) or before

    def _begin_anew(self, stop: int, rule: LimitRule, base: int, inputs: Inputs) -> None:
        """Find where steps began anew before exchange `stop`, and take the step of the newest."""
        snapshot, most = inputs.snapshot, rule.span
        self.origins = self.origins or [snapshot.preamble]
        first, known = self.origins[-1], len(self.origins)
        sums = running_tokens(first, stop - 1, inputs)
        while True:
            start = self.origins[-1] - first
            place = first + bisect_right(sums, sums[start] + most, start)
            while place < stop and _role(place, snapshot) != "assistant":
                place += 1
            if place >= stop:
                break
            self.origins.append(place)
        if len(self.origins) > known:
            place = self.origins[-1]
            then = snapshot_before(place, snapshot)
            step = _step_at(then, rule, base, inputs, number=place, origins=self.origins)
            self.steps, self.at = [step], place + 1

    def _follow(self, stop: int, rule: LimitRule, base: int, inputs: Inputs) -> None:
        """Take the steps of the requests that were made before exchange `stop` began."""
        snapshot = inputs.snapshot
        first = snapshot.preamble
        self.at = max(self.at, first + 1)
        if self.at >= stop:
            return
        last = self.steps[-1] if self.steps else LimitStep(first, base, base, rule.limit)
        begin = last.place
        sums = running_tokens(begin, stop - 1, inputs)
        for place, exchange in enumerate(snapshot.exchanges(self.at, stop), self.at):
            if exchange.first.role != "assistant":
                continue
            tokens = last.tokens + sums[place - begin] - sums[last.place - begin]
            if (step := self._due_at(place, tokens, last, rule, base, inputs)) is not None:
                self.steps.append(last := step)
        self.at = stop

    def _due_at(
        self, stop: int, tokens: int, last: LimitStep, rule: LimitRule, base: int, inputs: Inputs
    ) -> LimitStep | None:
        """The step that is due at the request with the exchanges before `stop`, if one is.

        Args:
            tokens: that it has behind the last step, which has no number where there was none.
        """
        snapshot = inputs.snapshot
        is_question = rule.answers and last.number > 0 and _has_question(last.place, stop, snapshot)
        must = is_question or tokens > last.due
        if not must and not (tokens > rule.early(base) and self._turns(stop, rule, inputs)):
            return None
        then, number = snapshot_before(stop, snapshot), last.number + 1
        step = _step_at(then, rule, base, inputs, number=number, origins=self.origins)
        if must:
            return replace(step, is_early=last.is_early)
        frees = tokens - step.tokens
        is_enough = frees * 100 >= rule.frees(base) * FREED
        return replace(step, is_early=True) if is_enough else None

    def _turns(self, stop: int, rule: LimitRule, inputs: Inputs) -> bool:
        """Whether a turn begins with the newest exchange before `stop`, and those before it were
        long, in the mean since steps began anew."""
        snapshot, origin, newest = inputs.snapshot, self.origins[-1], stop - 1
        if not rule.turns or newest <= origin or not _has_question(newest, stop, snapshot):
            return False
        turns = turns_between(origin, newest, snapshot)
        return 0 < turns * rule.long_turn < tokens_between(origin, newest, inputs)


def turns_between(origin: int, stop: int, snapshot: Snapshot) -> int:
    """The turns that began from the one of exchange `origin` on, before the one of `stop`."""
    return snapshot.log.turn_of(stop) - snapshot.log.turn_of(origin)


def _role(place: int, snapshot: Snapshot) -> str:
    return snapshot.exchanges(place, place + 1)[0].first.role


def _has_question(start: int, stop: int, snapshot: Snapshot) -> bool:
    """Whether the user said something in the exchanges from `start` up to `stop`."""
    return bool(snapshot.exchanges_with("kind", SPOKEN, start, stop))


def snapshot_before(place: int, snapshot: Snapshot) -> Snapshot:
    """The session when this exchange had not begun."""
    if place >= snapshot.exchange_count:
        return snapshot
    position = snapshot.exchanges(place, place + 1)[0].positions[0]
    return msgspec.structs.replace(snapshot, position=position)


def protection_then(then: Snapshot, inputs: Inputs) -> Protection:
    """What had to stay at that moment, and of it what must stay now: a result that came late may
    have failed since."""
    now = inputs.protection
    request = now.edge < inputs.snapshot.exchange_count
    held = _held_at(then, inputs.memo, request=request)
    failures = held.failures | {at for at in now.failures if at < then.exchange_count}
    return msgspec.structs.replace(held, edge=min(held.edge, now.edge), failures=failures)


def _held_at(then: Snapshot, memo: Memo, *, request: bool) -> Protection:
    """What had to stay at a moment that is past: the log in front of it is what it was, and the
    state is one value as long as nobody writes."""
    table = memo.table("held then", brief=True)
    key = then.position, request
    known: tuple[object, Protection] | None = table.known(key)
    if known is None or known[0] is not then.state:
        known = table[key] = (then.state, protection_of(then, request=request))
    return known[1]


def _step_at(
    then: Snapshot,
    rule: LimitRule,
    base: int,
    inputs: Inputs,
    *,
    number: int,
    origins: Sequence[int],
) -> LimitStep:
    """The step of a request that was made then; the last of the origins is where steps began anew
    before it, or with it."""
    anew = origins[-1], origins[-2] if len(origins) > 1 else 0
    held = protection_then(then, inputs).held_exchanges(then.exchange_count)
    exchanges = (then.exchanges(at, at + 1)[0] for at in sorted({*held}) if at >= then.preamble)
    pinned = then.exchanges_with("pinned", "yes", then.preamble, then.exchange_count)
    stays = {exchange.index: exchange for exchange in (*exchanges, *pinned)}
    newest = inputs.snapshot.exchange_count - 1
    blocks = inputs.blocks([*stays.values()], SOURCE)
    tokens = sum(map(inputs.cost, blocks))
    limit, room = rule.limit, max(0, rule.limit - base)
    low, part = room * rule.low // 100, room * PART // 100
    if rule.least is not None:
        settled = least_of(rule, then.preamble, then.exchange_count, inputs)
        # the newest exchange stays, and is in no sum yet
        tokens += settled - sum(rule.least(block) for block in blocks if block.order < newest)
        if tokens + part > room:
            due = max(limit, base + tokens + room * GROWTH // 100)
            place = then.exchange_count
            return LimitStep(place, base + low, base + tokens, due, number, True, *anew)
    # what only shortens takes all that it can: with a part left, its next step is due soon
    spare = part if rule.least is None else 0
    taken = min(limit, base + max(low, tokens + spare))
    if rule.answers and _has_question(then.exchange_count - 1, then.exchange_count, then):
        taken = limit  # all of the room for the answer; what follows it makes its own
    return LimitStep(then.exchange_count, taken, taken, limit, number, False, *anew)


def base_of(limit: int, fixed: int) -> int:
    """The room of what is no exchange, of so many tokens."""
    grain = max(1, limit // GRAIN)
    return -(-fixed // grain) * grain


def step_of(rule: LimitRule, fixed: int, inputs: Inputs) -> tuple[LimitStep, int] | None:
    """The step that a request stands behind, and the tokens that are kept free beside `fixed`.

    Args:
        fixed: tokens of what is no exchange.
    """
    base = base_of(rule.limit, fixed)
    log = inputs.snapshot.log
    if inputs.snapshot.exchange_count <= inputs.snapshot.preamble:
        return None  # a text may be made of a session in which nobody spoke yet
    if inputs.snapshot.position < len(log) and log.late_joins():
        # a look back at exchanges that had other tokens then
        step = StepPlaces().newest(rule, base, inputs)
        return None if step is None else (step, base - fixed)
    key = ("limit steps", rule.key, rule.limit, rule.low, base, inputs.cost_id)
    with inputs.memo.growing(key, StepPlaces) as steps:
        step = steps.newest(rule, base, inputs)
    return None if step is None else (step, base - fixed)


def tokens_to_next(step: LimitStep, rule: LimitRule, before: int) -> int:
    """Tokens of exchanges that come behind a step before the next is due, or steps begin anew.

    Args:
        before: of those between where steps last began anew and this one.
    """
    return min(step.due - step.tokens, rule.span - before)


def tokens_to_turn(began: int, newest: int, rule: LimitRule, inputs: Inputs) -> int | None:
    """Tokens of exchanges to come with which a turn may begin that takes no step before it must;
    None where no turn does.

    Args:
        began: the place where steps last began anew. newest: tokens of the newest exchange.
    """
    if not rule.turns:
        return None
    snapshot = inputs.snapshot
    last = snapshot.exchange_count - 1
    if began > last:
        return 0
    turns = turns_between(began, last, snapshot) + 1
    passed = tokens_between(began, last, inputs) + newest
    return turns * rule.long_turn - passed


def joined(blocks: Blocks, left: Blocks, place: int) -> Blocks:
    """What a step left of the blocks, with those that came since, in their order; in front, what
    the step made."""
    own = {(block.id, block.source) for block in blocks}
    made = [block for block in left if (block.id, block.source) not in own]
    standing = {(block.id, block.source): block for block in left}
    rest = [
        block if block.order >= place else standing.get((block.id, block.source))
        for block in blocks
    ]
    return (*made, *[block for block in rest if block is not None])


def rule_of_limit(limit: int, terminal: Terminal) -> LimitRule:
    """The rule of a limit of so many tokens."""
    return LimitRule(limit, terminal.step_low, terminal, turns=terminal.step_turns)


def rule_of(word: Atom, limit: int, inputs: Inputs) -> LimitRule:
    """The rule of a word with a limit of so many tokens."""
    if not isinstance(word, Shortener):
        return LimitRule(limit, LOW, word, answers=word.traits.answers)
    least = partial(word.least, inputs=inputs)
    event_least = partial(word.least_of_events, inputs=inputs)
    return LimitRule(limit, LOW, word, least, event_least, word.traits.answers)


def least_of(rule: LimitRule, start: int, stop: int, inputs: Inputs) -> int:
    """Tokens that the word of a rule leaves at least of the exchanges from `start` to `stop`."""
    assert rule.least is not None
    return least_between(start, stop, rule.key, rule.least, inputs, rule.event_least)


def inputs_then(place: int, inputs: Inputs) -> Inputs:
    """What a compile depended on when this exchange had not begun."""
    then = snapshot_before(place, inputs.snapshot)
    protection = protection_then(then, inputs)
    return msgspec.structs.replace(
        inputs, snapshot=then, protection=protection, settled=protection.settled(then)
    )
