"""What a step of a limit decides about: the newest of what lies before it, and what something
holds of the rest, which goes whatever the step makes of the newest (rules.md#steps-down).

A step drops the oldest first, and what is too old to be shortened one by one goes before all else
(`BudgetState.whole`). Of that so much is looked at that more than the limit of it could go: so some
of it goes, or nothing is enough, and all that lies in front goes before.
"""

from bisect import bisect_left
from itertools import accumulate, compress, dropwhile
from operator import attrgetter
from typing import NamedTuple

from msgspec.structs import replace

from contextwright.blocks.block import Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change import Change
from contextwright.compiler.change_ranges import ReceiptRanges
from contextwright.compiler.token_sums import tokens_between
from contextwright.compiler.trace_findings import Findings
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span, spans_between
from contextwright.spec.terminal import (
    CompactLargest,
    CompactLongTurn,
    CompactRunning,
    Drop,
    Stage,
    SummarizeLargest,
    Terminal,
)

FEWEST = 64
"""Exchanges that pay for leaving them out of sight."""
_ALONE = CompactRunning | SummarizeLargest | CompactLargest
"""Stages that leave alone what goes as a whole."""


class Near(NamedTuple):
    """What a step looks at: the space, whose `passed` lies before it, the blocks, and the exchanges
    that are not among them."""

    state: BudgetState
    blocks: Blocks
    spans: tuple[Span, ...] = ()


def near_step(
    state: BudgetState, old: Blocks, terminal: Terminal, stages: tuple[Stage, ...]
) -> Near:
    """What a step has to look at of what lies before it.

    Args:
        old: the conversation before the step, exchange by exchange, and texts.
        stages: what the step does.
    """
    inputs, whole = state.inputs, state.whole
    if len(whole) < FEWEST or not (_goes_first(old, terminal) and _stays_whole(state, stages)):
        return Near(state, old)
    first = whole[0].order
    held = set(inputs.held_within(first, first + len(whole)))
    costs = [*inputs.costs(whole)]
    for order in held:
        costs[order - first] = 0
    sums = [*accumulate(costs, initial=0)]
    cut = min(bisect_left(sums, sums[-1] - state.limit) - 1, inputs.settled - first)
    if cut < FEWEST:
        return Near(state, old)
    held |= _divided(first + cut, inputs)
    spans = spans_between(first, first + cut, held)
    passes = [whole[start - first : stop - first] for start, stop in spans]
    if not all(_passes(blocks, inputs) for blocks in passes):
        return Near(state, old)
    front = [whole[at - first] for at in sorted(held) if first <= at < first + cut]
    near = (*front, *whole[cut:])
    passed = sum(sums[stop - first] - sums[start - first] for start, stop in spans)
    state = replace(state, whole=near, passed=passed)
    return Near(state, (*near, *old[len(whole) :]), spans)


def _passes(blocks: Blocks, inputs: Inputs) -> bool:
    """Whether all of these may go, and the names of their range may be shown."""
    ends = blocks[0].lineage[0], blocks[-1].lineage[-1]
    return inputs.protection.frees(blocks) and all(inputs.clean_name(id) == id for id in ends)


def _goes_first(old: Blocks, terminal: Terminal) -> bool:
    """Whether what goes as a whole goes before all else, oldest first."""
    if terminal.order == "salience":  # in each tier by itself
        return len(set(map(attrgetter("tier"), old))) == 1
    return terminal.order == "age"


def _stays_whole(state: BudgetState, stages: tuple[Stage, ...]) -> bool:
    """Whether nothing is done to what goes as a whole before it is dropped."""
    snapshot = state.inputs.snapshot
    alone = _ALONE
    if state.whole[-1].order < snapshot.turn_start(snapshot.turn):
        alone = _ALONE | CompactLongTurn  # which has the running turn alone
    others = dropwhile(lambda stage: isinstance(stage, alone), stages)
    return isinstance(next(others, None), Drop)


def _divided(place: int, inputs: Inputs) -> set[int]:
    """The user's words in front of the turn that a place divides: in a turn they go last."""
    snapshot = inputs.snapshot
    start = snapshot.turn_start(snapshot.log.turn_of(place))
    return {one.index for one in snapshot.exchanges_with("role", "user", start, place)}


def with_passed(findings: Findings, near: Near, old: Blocks, inputs: Inputs) -> Findings:
    """The findings with what a step dropped without a look, as ranges in front of the others that
    the limit dropped."""
    stage = findings.limit_drop
    if not near.spans or stage is None:
        return findings
    first, ranges = old[0].order, ReceiptRanges(inputs, findings.orders)
    costs, passed = inputs.costs(old), list[Change]()
    for start, stop in near.spans:
        places = slice(start - first, stop - first)
        tokens = tokens_between(start, stop, inputs) if inputs.mapping else sum(costs[places])
        passed.append(ranges.of_blocks(old[places], stage, tokens))
    changes, orders = findings.changes, ranges.orders
    is_dropped = [one.action == "dropped" and one.step == stage.name for one in changes]
    at = is_dropped.index(True) if True in is_dropped else len(changes)
    # a stage drops texts after exchanges, and writes down both in their order
    others = [one for one in compress(changes, is_dropped) if orders[one.id] >= 0]
    behind = changes[at + len(others) :]
    passed = sorted((*passed, *others), key=lambda one: orders[one.id])
    changes = (*changes[:at], *passed, *behind)
    return replace(findings, changes=changes, orders=orders)
