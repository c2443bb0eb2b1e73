"""What lies before a step of a limit, told from the log, and what the step looks at of it
(rules.md#horizon).

What is too old to be looked at one by one goes before all else, whatever the words in front of the
limit make of it. So they make nothing of it: it stands there as the log has it.
"""

from operator import attrgetter
from typing import NamedTuple

from msgspec import structs

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.logged_near import LoggedNear, logged_near
from contextwright.compiler.mapped_log import mapped_at, mapped_between, mapped_exceeds
from contextwright.compiler.step_near import FEWEST, Near, divided, near_step, with_whole
from contextwright.compiler.step_places import LimitStep
from contextwright.compiler.token_sums import SOURCE
from contextwright.memo.owned_tables import Table
from contextwright.spec.growing import begins_with
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import Stage, Terminal

_ROLE, _ORDER = attrgetter("role"), attrgetter("order")


class BeforeStep(NamedTuple):
    """What lies before a step.

    Args:
        blocks: the conversation, exchange by exchange, and texts; these alone where the log tells
            what the step looks at.
        floor: the exchange from which on these are what words made.
        made: those in front of it that are, too, as something holds them.
        near: what the step looks at, where the log tells it.
    """

    blocks: Blocks
    floor: int = 0
    made: frozenset[int] = frozenset()
    near: LoggedNear | None = None

    def at(self, place: int, inputs: Inputs) -> Block:
        """The block of an exchange."""
        if self.near is None:
            return self.blocks[place - self.blocks[0].order]
        return inputs.blocks(inputs.snapshot.exchanges(place, place + 1), SOURCE)[0]

    def has_made(self, near: Near) -> bool:
        """Whether words made all that a step looks at."""
        return all(
            block.order >= self.floor or block.order < 0 or block.order in self.made
            for block in near.blocks
        )


class StepGround(NamedTuple):
    """What a step is taken of.

    Args:
        then: the space that there was. blocks: that the limit is given.
        stages: what the step does. span: as `weighed_span` has it. table: of the limit.
    """

    step: LimitStep
    then: BudgetState
    blocks: Blocks
    terminal: Terminal
    stages: tuple[Stage, ...]
    span: int | None
    table: Table
    inputs: Inputs

    def before(self, *, passing: bool) -> BeforeStep | None:
        """What lies before it; None where the limit was not given what the log has.

        Args:
            passing: whether what is too old goes before all else.
        """
        inputs, place = self.inputs, self.step.place
        if not inputs.behind_step:
            return BeforeStep(tuple([block for block in self.blocks if block.order < place]))
        near = self._near_in_log() if passing and not inputs.mapping else None
        parts = self.blocks, self.step, self.then, inputs, self.table
        return near or of_log(*parts, passing=passing)

    def _near_in_log(self) -> BeforeStep | None:
        """As `of_log`, where the log tells what the step looks at."""
        inputs, start, place = self.inputs, self.inputs.start, self.step.place
        exchanges = tuple([block for block in self.blocks if 0 <= block.order < place])
        orders = list(map(_ORDER, exchanges))
        if place < start or sum(map(start.__le__, orders)) < place - start:
            return None
        if min(orders, default=place) < inputs.snapshot.preamble:
            return None
        if inputs.blocks(inputs.snapshot.exchanges_at(orders), SOURCE) != exchanges:
            return None
        texts = tuple([block for block in self.blocks if block.order < 0])
        then, joins = self.then.inputs, inputs.snapshot.log.late_joins()
        key = (
            self.step,
            self.then.limit,
            texts,
            joins,
            then.settled,
            structs.astuple(then.protection),
        )
        known: tuple[object, BeforeStep | None] | None = self.table.known("near")
        if known is None or known[0] != key:
            parts = self.step, self.then, self.span, texts, self.terminal, self.stages, inputs
            near = logged_near(*parts)
            known = key, None if near is None else BeforeStep(texts, near=near)
            self.table["near"] = known
        return known[1]

    def look(self, old: BeforeStep, then: BudgetState) -> Near:
        """What it looks at of that."""
        inputs, terminal, stages = self.inputs, self.terminal, self.stages
        if old.near is not None:
            return old.near.of(then, old.blocks, inputs)
        whole = with_whole(then, old.blocks, self.step.since, self.span)
        if not inputs.behind_step:
            return Near(whole, old.blocks)
        near = near_step(whole, old.blocks, terminal, stages)
        if old.has_made(near):
            return near
        every = self.before(passing=False)
        assert every is not None, "what was given is what the log has"
        whole = with_whole(then, every.blocks, self.step.since, self.span)
        return near_step(whole, every.blocks, terminal, stages)


def of_log(
    blocks: Blocks,
    step: LimitStep,
    then: BudgetState,
    inputs: Inputs,
    table: Table,
    *,
    passing: bool,
) -> BeforeStep | None:
    """That of a compile that begins behind a step, or not far in front of it; None where what it
    was given is not what the log has.

    Args:
        then: the space at the step. table: of the limit.
        passing: whether what is too old goes before all else.
    """
    place, first, start = step.place, inputs.snapshot.preamble, inputs.start
    exchanges = [block for block in blocks if 0 <= block.order < place]
    if place < start or sum(block.order >= start for block in exchanges) < place - start:
        return None
    floor = _floor(step, then, inputs, table) if passing and inputs.mapping else first
    near = mapped_between(floor, place, inputs)
    for block in exchanges:
        at = block.order
        made = near[at - floor : at - floor + 1] if at >= floor else mapped_at(at, inputs)
        if at < first or made != (block,):
            return None
    front = inputs.until(floor, SOURCE) if floor > first else ()
    texts = tuple(block for block in blocks if block.order < 0)
    known: tuple[Blocks, Blocks, Blocks, BeforeStep] | None = table.known("log")
    if known is not None and known[0] is front and known[1] is near and known[2] == texts:
        return known[3]
    if _has_orphan((*front, *near), () if known is None else (*known[0], *known[1])):
        return None
    held = _held_before(floor, first, then.inputs)
    standing = list(front)
    for at in held:
        standing[at - first : at - first + 1] = mapped_at(at, inputs)
    before = BeforeStep((*standing, *near, *texts), floor, held)
    table["log"] = front, near, texts, before
    return before


def _has_orphan(prefix: Blocks, known: Blocks) -> bool:
    """Whether there is a result without its call, which is in no request.

    Args:
        known: what has none.
    """
    since = len(known) if begins_with(prefix, known) else 0
    return "tool" in map(_ROLE, prefix[since:])


def _held_before(floor: int, first: int, then: Inputs) -> frozenset[int]:
    """The exchanges before a floor that something holds, or that are the user's in the turn that
    it divides."""
    if floor == first:
        return frozenset()
    return frozenset((*then.held_within(first, floor), *divided(floor, then)))


def _floor(step: LimitStep, then: BudgetState, inputs: Inputs, table: Table) -> int:
    """The exchange from which on words have to make what a step is given: of what has settled in
    front of where steps began anew, those that take more than the limit by themselves."""
    key = step.place, step.since, then.limit
    known: tuple[object, int] | None = table.known("floor")
    if known is None or known[0] != key:
        known = table["floor"] = key, _floor_of(min(step.since, then.inputs.settled), then, inputs)
    return known[1]


def _floor_of(stop: int, then: BudgetState, inputs: Inputs) -> int:
    first = inputs.snapshot.preamble
    if stop - first < FEWEST or any(word.traits.tier for word in inputs.mapping):
        return first  # what a tier holds is told by what the words make
    held: list[Block] = []
    for at in then.inputs.held_within(first, stop):
        held += mapped_at(at, inputs)
    # what is held does not go
    room = then.limit + sum(map(inputs.cost, held))
    return mapped_exceeds(room, stop, inputs) or first
