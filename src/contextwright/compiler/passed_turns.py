"""The turns that a limit by layers lets go of without a look: what lies before where a compile
begins (`compiler.horizon`)."""

from collections.abc import Mapping

from msgspec import structs

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.stood_for import NO_MERGES, StoodFor, stood_for
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import spans_between
from contextwright.tasks.left_turns import LEFT_TURNS, NONE_PASSED, Passed


def passed_by(state: BudgetState) -> Passed:
    """What lies before the exchanges that the limit is given, but for what is given of it."""
    inputs = state.inputs
    first, stop = inputs.snapshot.preamble, inputs.start
    if stop <= first:
        return NONE_PASSED
    orders = {block.order for block in state.originals if first <= block.order < stop}
    ends = _end(range(first, stop), inputs), _end(range(stop - 1, first - 1, -1), inputs)
    if None in ends:
        return NONE_PASSED  # all of it has to stay
    oldest, newest = (_logged(at, inputs) for at in ends if at is not None)
    tokens = tokens_between(first, stop, inputs)
    return Passed(
        tokens=tokens - sum(inputs.cost(_logged(at, inputs)) for at in orders),
        first=inputs.clean_name(oldest.lineage[0]),
        last=inputs.clean_name(newest.lineage[-1]),
        stop=stop,
        turn=oldest.turn,
        spans=spans_between(first, stop, orders),
    )


def _end(places: range, inputs: Inputs) -> int | None:
    """The first of these exchanges that need not stay."""
    may_drop = inputs.protection.may_drop
    return next((at for at in places if may_drop(_logged(at, inputs))), None)


def _logged(at: int, inputs: Inputs) -> Block:
    return inputs.blocks(inputs.snapshot.exchanges(at, at + 1), SOURCE)[0]


def told_with_passed(
    state: BudgetState, passed: Passed, before: Blocks, after: Blocks
) -> Mapping[Block, StoodFor]:
    """What the summary of turns that left stands for, with what was passed by."""
    if not passed.tokens:
        return NO_MERGES
    made = next((block for block in after if block.source == LEFT_TURNS), None)
    if made is None or any(block.source == LEFT_TURNS for block in before):
        return NO_MERGES
    stays = set(after)
    # the user's words of the turn that this divides are told by its range
    older = (b for b in before if 0 <= b.order < passed.stop and b not in stays)
    every = (*made.lineage, *(id for block in older for id in block.lineage))
    stands = stood_for(structs.replace(made, lineage=every), before, state.inputs.cost)
    spans, tokens = passed.spans + stands.spans, passed.tokens + stands.tokens
    return {made: structs.replace(stands, spans=spans, tokens=tokens)}
