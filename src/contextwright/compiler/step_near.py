"""What a step of a limit decides about: the newest of what lies before it, and what something
holds of the rest, which goes whatever the step makes of the newest (rules.md#steps-down).

A step drops the oldest first, and what is too old to be shortened one by one goes before all else
(`BudgetState.whole`). Of that so much is looked at that more than the limit of it could go: so some
of it goes, or nothing is enough, and all that lies in front goes before.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from itertools import accumulate, compress, dropwhile, takewhile
from operator import attrgetter
from typing import NamedTuple

from msgspec import structs

from contextwright.blocks.block import DEFAULT_TIER, Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change import Change
from contextwright.compiler.change_ranges import ReceiptRanges
from contextwright.compiler.stood_for import NO_MERGES, StoodFor, joined_spans
from contextwright.compiler.token_sums import tokens_between
from contextwright.compiler.trace_findings import Findings
from contextwright.session.event_index import SPOKEN
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import front_tokens, spans_between
from contextwright.spec.terminal import (
    CompactLargest,
    CompactLongTurn,
    CompactRunning,
    Drop,
    DropTier,
    Run,
    Stage,
    SummarizeLargest,
    SummarizeOldest,
    Terminal,
)

_TIER = attrgetter("tier")
_ORDER, _TEXT = attrgetter("order"), -1
FEWEST = 64
"""Exchanges that pay for leaving them out of sight."""
NEAR = 3
"""Limits after which what a step shortens one by one begins anew: the newest exchanges that take
three to six of them."""
WEIGHED = 12
"""The same where the least salient leave: with three, a recorded coding session had 6 of 356 calls
fewer with all their values in sight."""
_EACH = SummarizeOldest | SummarizeLargest | CompactLargest
"""Stages that shorten each exchange."""
_ALONE = Run | CompactRunning | SummarizeLargest | CompactLargest | DropTier
"""Stages that leave alone what goes as a whole: `DropTier` what is in no tier below important."""


class Near(NamedTuple):
    """What a step looks at: the space, whose `passed` lies before it, and the blocks."""

    state: BudgetState
    blocks: Blocks


def weighed_span(terminal: Terminal, stages: tuple[Stage, ...], limit: int) -> int | None:
    """Tokens after which what a step shortens, or weighs, one by one begins anew; None where it
    does neither."""
    if terminal.order == "salience":
        return WEIGHED * limit
    return NEAR * limit if any(isinstance(stage, _EACH) for stage in stages) else None


def with_whole(then: BudgetState, old: Blocks, since: int, span: int | None) -> BudgetState:
    """With what a step summarizes, or drops, as it came, before anything else: all that lies before
    `since`, and the spans of so many tokens from there on, but for the newest one or two. Of what
    is that old nothing is so short, or so salient, that it would stay. A span at a time, so that
    the scores of the others are brought up to date at their end."""
    if span is None:
        return then
    orders = list(map(_ORDER, old))
    if _TEXT in orders:
        del orders[orders.index(_TEXT) :]
    stop = len(list(takewhile(since.__gt__, orders)))
    costs = then.inputs.costs(old[: len(orders)])
    if span > 0 and orders == sorted(orders):
        sums = list(accumulate(costs[stop:], initial=0))
        stop += max(0, bisect_left(sums, front_tokens(sums[-1], span)))
    return structs.replace(then, whole=old[:stop], whole_tokens=sum(costs[:stop]))


def near_step(
    state: BudgetState, old: Blocks, terminal: Terminal, stages: tuple[Stage, ...]
) -> Near:
    """What a step has to look at of what lies before it.

    Args:
        old: the conversation before the step, exchange by exchange, and texts.
        stages: what the step does.
    """
    inputs, whole = state.inputs, state.whole
    if len(whole) < FEWEST or not goes_first(set(map(_TIER, old)), terminal, stages):
        return Near(state, old)
    first, turn = whole[0].order, inputs.snapshot.turn_start(inputs.snapshot.turn)
    if not passes(stages, inputs, runs=whole[-1].order >= turn):
        return Near(state, old)
    held = set(inputs.held_within(first, first + len(whole)))
    costs = [*inputs.costs(whole)]
    for order in held:
        costs[order - first] = 0
    sums = [*accumulate(costs, initial=0)]
    cut = min(bisect_left(sums, sums[-1] - state.limit) - 1, inputs.settled - first)
    if cut < FEWEST:
        return Near(state, old)
    held |= divided(first + cut, inputs)
    spans = spans_between(first, first + cut, held)
    parts = [whole[start - first : stop - first] for start, stop in spans]
    if not all(_may_pass(blocks, inputs) for blocks in parts):
        return Near(state, old)
    front = [whole[at - first] for at in sorted(held) if first <= at < first + cut]
    near = (*front, *whole[cut:])
    passed = sum(sums[stop - first] - sums[start - first] for start, stop in spans)
    state = structs.replace(state, whole=near, passed=passed, passed_spans=spans)
    return Near(state, (*near, *old[len(whole) :]))


def _may_pass(blocks: Blocks, inputs: Inputs) -> bool:
    """Whether all of these may go, and the names of their range may be shown."""
    ends = blocks[0].lineage[0], blocks[-1].lineage[-1]
    return inputs.protection.frees(blocks) and all(inputs.clean_name(id) == id for id in ends)


def goes_first(tiers: set[int], terminal: Terminal, stages: tuple[Stage, ...]) -> bool:
    """Whether what goes as a whole goes before all else, oldest first, among blocks of tiers."""
    if max(tiers) > DEFAULT_TIER and any(isinstance(stage, DropTier) for stage in stages):
        return False
    if terminal.order == "salience":  # in each tier by itself
        return len(tiers) == 1
    return terminal.order == "age"


def passes(stages: tuple[Stage, ...], inputs: Inputs, *, runs: bool = False) -> bool:
    """Whether nothing is done to what goes as a whole before it is told in a summary, or dropped.

    Args:
        runs: whether some of that is of the running turn.
    """
    alone = _ALONE if runs else _ALONE | CompactLongTurn  # which has the running turn alone
    if inputs.snapshot.begins_log:  # what is told is known by what the log has, and had at the step
        alone |= SummarizeOldest
    others = dropwhile(lambda stage: isinstance(stage, alone), stages)
    return isinstance(next(others, None), Drop)


def divided(place: int, inputs: Inputs) -> set[int]:
    """The user's words in front of the turn that a place divides: in a turn they go last."""
    snapshot = inputs.snapshot
    start = snapshot.turn_start(snapshot.log.turn_of(place))
    return {one.index for one in snapshot.exchanges_with("kind", SPOKEN, start, place)}


def merged_with_passed(
    state: BudgetState, before: Blocks, after: Blocks
) -> Mapping[Block, StoodFor]:
    """What a summary of the oldest stands for, with what lay in front of all blocks."""
    spans = state.spans_in_front(before)
    if not spans or state.spans_in_front(after):
        return NO_MERGES
    present = {*before}
    made = next((block for block in after if block not in present), None)
    if made is None or made.order >= 0 or made.fidelity is not Fidelity.SUMMARIZED:
        return NO_MERGES
    stays = {*after}
    sources = frozenset(block for block in before if block not in stays)
    tokens = state.passed + sum(map(state.inputs.cost, sources))
    return {made: StoodFor(sources, frozenset(), joined_spans(spans, map(_ORDER, sources)), tokens)}


def with_passed(
    findings: Findings, near: Near, at: Callable[[int], Block], inputs: Inputs
) -> Findings:
    """The findings with what a step dropped without a look, as ranges in front of the others that
    the limit dropped.

    Args:
        at: the block of an exchange that lay before it.
    """
    stage, spans = findings.limit_drop, near.state.passed_spans
    if not spans or stage is None or findings.summarized:
        return findings
    ranges, passed = ReceiptRanges(inputs, findings.orders), list[Change]()
    for start, stop in spans:
        tokens = tokens_between(start, stop, inputs)
        passed.append(ranges.of_ends(at(start), at(stop - 1), stop - start, stage, tokens))
    changes, orders = findings.changes, ranges.orders
    is_dropped = [one.action == "dropped" and one.step == stage.name for one in changes]
    place = is_dropped.index(True) if True in is_dropped else len(changes)
    # a stage drops texts after exchanges, and writes down both in their order
    others = [one for one in compress(changes, is_dropped) if orders[one.id] >= 0]
    behind = changes[place + len(others) :]
    passed = sorted((*passed, *others), key=lambda one: orders[one.id])
    changes = (*changes[:place], *passed, *behind)
    return structs.replace(findings, changes=changes, orders=orders)
