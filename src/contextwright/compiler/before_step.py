"""What lies before a step of a limit, told from the log (rules.md#horizon).

What is too old to be looked at one by one goes before all else, whatever the words in front of the
limit make of it. So they make nothing of it: it stands there as the log has it.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.mapped_log import mapped_at, mapped_between, mapped_exceeds
from contextwright.compiler.step_near import FEWEST, Near, divided
from contextwright.compiler.step_places import LimitStep
from contextwright.compiler.token_sums import SOURCE, costs_between
from contextwright.memo.owned_tables import Table
from contextwright.spec.growing import begins_with
from contextwright.spec.inputs import Inputs

_ROLE = attrgetter("role")


class BeforeStep(NamedTuple):
    """What lies before a step.

    Args:
        blocks: the conversation, exchange by exchange, and texts.
        floor: the exchange from which on these are what words made.
        made: those in front of it that are, too, as something holds them.
        costs: tokens of each exchange, where the log has them.
    """

    blocks: Blocks
    floor: int = 0
    made: frozenset[int] = frozenset()
    costs: Sequence[int] = ()

    def has_made(self, near: Near) -> bool:
        """Whether words made all that a step looks at."""
        return all(
            block.order >= self.floor or block.order < 0 or block.order in self.made
            for block in near.blocks
        )


def of_blocks(blocks: Blocks, place: int) -> BeforeStep:
    """That of a compile that looked at everything."""
    return BeforeStep(tuple([block for block in blocks if block.order < place]))


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
    costs = () if inputs.mapping else costs_between(first, place, inputs)
    before = BeforeStep((*standing, *near, *texts), floor, held, costs)
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
