"""What is sent, once the limit had its say, and what is written of it."""

from typing import NamedTuple

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.assemble import Assembled, guard_again, has_called
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change_ranges import LimitDrop, ReceiptRanges, without_superseded
from contextwright.compiler.horizon import is_bounded, is_sure
from contextwright.compiler.left_out import within_limit
from contextwright.compiler.manifest import Range
from contextwright.compiler.overflow import enforce_budget
from contextwright.compiler.plan import Plan
from contextwright.compiler.stood_for import gaps_between, places_among, spans_of
from contextwright.compiler.trace import Tracer
from contextwright.compiler.trace_findings import Findings, LimitStage, left_out
from contextwright.render.target import Target
from contextwright.spec.inputs import Inputs
from contextwright.spec.traits import View


class Fitted(NamedTuple):
    """What came of a try: the blocks that are sent, what they were, and what was written of them
    before the limit."""

    inputs: Inputs
    assembled: Assembled
    room: BudgetState
    blocks: Blocks
    findings: Findings


class RequestDecision(msgspec.Struct, frozen=True, eq=False):
    """What is sent, and what is written of it.

    Args:
        worded: what was written before the limit.
        left_out: exchanges that are neither sent, nor told by a summary, nor changed.
    """

    inputs: Inputs
    assembled: Assembled
    room: BudgetState
    blocks: Blocks
    ranges: ReceiptRanges
    worded: Findings
    left_out: tuple[Range, ...]


def fitted_in(
    room: BudgetState, assembled: Assembled, planned: Plan, inputs: Inputs, target: Target
) -> Fitted:
    """What fits of what a request could hold.

    Raises:
        BudgetError: what must stay does not fit.
    """
    worded = room.tracer.findings()
    blocks, room = within_limit(room, assembled, planned, target)
    if planned.redactions:
        blocks = guard_again(planned, inputs, room.tracer, blocks)
        if room.over(blocks) > 0:
            blocks = enforce_budget(room, blocks, None)
    return Fitted(inputs, assembled, room, blocks, worded)


def is_enough(view: View, fitted: Fitted, target: Target, oldest: int) -> bool:
    """Whether what lies before the exchanges that were looked at changes nothing of what is sent.

    Args:
        oldest: the first exchange that is not too old for the spec.
    """
    tried, assembled = fitted.inputs, fitted.assembled
    if view == "step":
        return fitted.room.tracer.limit_steps > 0
    if view == "fold":
        return bool(tried.folded)  # else its fold does not know what lies before
    if view == "turn" and not (assembled.tools or assembled.called):
        if target.takes_messages and has_called(tried, tried.start):
            return False
    start, drop = tried.start, fitted.room.tracer.limit_drop
    if start <= oldest:
        return True
    # without a drop what is left of the newest did not need it
    return drop is not None and is_sure(start, assembled.blocks, fitted.blocks, drop, tried)


def oldest_of(planned: Plan, inputs: Inputs) -> int:
    """The first exchange that is not too old for the spec; 0 where it has no such limit."""
    age = planned.age_limit.traits.max_age if planned.age_limit is not None else None
    is_known = planned.view in {"block", "all"} and not inputs.snapshot.has_summaries
    return inputs.snapshot.first_within(age) if age is not None and is_known else 0


def decided(planned: Plan, fitted: Fitted) -> RequestDecision:
    """The decision of a try that holds, the changes in as few entries as say the same."""
    inputs, assembled, room, blocks, worded = fitted
    room.tracer.reconcile(blocks)
    ranges = _in_ranges(planned, inputs, room.tracer, blocks)
    untold = exchanges_left_out(blocks, ranges, room.tracer, inputs)
    return RequestDecision(inputs, assembled, room, blocks, ranges, worded, untold)


def exchanges_left_out(
    blocks: Blocks, ranges: ReceiptRanges, tracer: Tracer, inputs: Inputs
) -> tuple[Range, ...]:
    """The gaps between the exchanges that are in the request, in a summary of it, or stand in its
    changes."""
    snapshot = inputs.snapshot
    of_changes, count = ranges.places(tracer.changes), snapshot.exchange_count
    sent = spans_of(places_among(blocks))
    places = (*sent, *tracer.summarized, *of_changes, (count, count))
    return tuple(
        [_range(start, stop, inputs) for start, stop in gaps_between(places, snapshot.preamble)]
    )


def _range(start: int, stop: int, inputs: Inputs) -> Range:
    first = inputs.snapshot.exchanges(start, start + 1)[0]
    last = inputs.snapshot.exchanges(stop - 1, stop)[0]
    clean = inputs.clean_name
    return Range(clean(first.first.id), clean(last.events[-1].id), stop - start)


def _in_ranges(planned: Plan, inputs: Inputs, tracer: Tracer, blocks: Blocks) -> ReceiptRanges:
    ranges = ReceiptRanges(inputs, tracer.orders)
    changes = without_superseded(tracer.changes)
    first = inputs.snapshot.preamble
    oldest = max(first, oldest_of(planned, inputs))
    if is_bounded(planned.view, inputs) and (stage := tracer.limit_drop) is not None:
        drop = LimitDrop(stage, blocks, tracer.summarized)
        changes = ranges.with_dropped(changes, drop, oldest, drop.cut(inputs.protection))
    if planned.age_limit is not None and oldest > first:
        word = repr(planned.age_limit)
        stale = LimitStage(word, left_out(word), inputs.protection)
        drop = LimitDrop(stale, blocks, tracer.summarized)
        changes = ranges.with_dropped(changes, drop, first, oldest)
    tracer.changes = ranges.joined(changes)
    return ranges
