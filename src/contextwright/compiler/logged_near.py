"""What a step looks at of what lies before it, told from the log: what goes as a whole, before all
else, is known by its place and its tokens, and no block is made of it (rules.md#horizon)."""

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

from msgspec import structs

from contextwright.blocks.block import Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.step_near import FEWEST, Near, divided, goes_first, passes
from contextwright.compiler.step_places import LimitStep
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.session.event_index import ORPHAN
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span, front_tokens, spans_between
from contextwright.spec.terminal import Stage, Terminal


class LoggedNear(NamedTuple):
    """What a step looks at, by its places in the log.

    Args:
        held: exchanges in front of `near` that something holds. near: the first of those that are
            looked at. whole: the one behind those that go as a whole. stop: the one behind all.
        tokens: of those that go as a whole, `passed` among them: what of that is not looked at.
        spans: of what is not.
    """

    held: tuple[int, ...]
    near: int
    whole: int
    stop: int
    tokens: int
    passed: int
    spans: tuple[Span, ...]

    def of(self, then: BudgetState, texts: Blocks, inputs: Inputs) -> Near:
        """It, with the texts beside the conversation."""
        snapshot = inputs.snapshot
        front = inputs.blocks(snapshot.exchanges_at(self.held), SOURCE)
        near = inputs.blocks(snapshot.exchanges(self.near, self.stop), SOURCE)
        whole = (*front, *near[: self.whole - self.near])
        state = structs.replace(
            then,
            whole=whole,
            whole_tokens=self.tokens,
            passed=self.passed,
            passed_spans=self.spans,
        )
        return Near(state, (*whole, *near[self.whole - self.near :], *texts))


def logged_near(
    step: LimitStep,
    then: BudgetState,
    span: int | None,
    texts: Blocks,
    terminal: Terminal,
    stages: tuple[Stage, ...],
    inputs: Inputs,
) -> LoggedNear | None:
    """What a step looks at, as `step_near.near_step` finds it of all that lies before; None where
    it has to be given that.

    Args:
        span: as `step_near.weighed_span` has it. texts: beside the conversation.
    """
    first, log = inputs.snapshot.preamble, inputs.snapshot.log
    orphans = log.ends("kind", ORPHAN, inputs.snapshot.position)  # which no request has
    if span is None or orphans or log.late_joins() or not inputs.snapshot.begins_log:
        return None
    whole = _whole_until(first, step, span, inputs)
    turn = then.inputs.snapshot.turn_start(then.inputs.snapshot.turn)
    tiers = {0, *(block.tier for block in texts)}  # no exchange has one as it comes
    if whole - first < FEWEST or not goes_first(tiers, terminal, stages):
        return None
    if not passes(stages, then.inputs, runs=whole > turn):
        return None
    held = then.inputs.held_within(first, whole)
    near = _near_from(first, whole, held, then.limit, inputs)
    near = min(near, then.inputs.settled)
    if near - first < FEWEST:
        return None
    out = {*(at for at in held if at < near), *divided(near, then.inputs)}
    spans = spans_between(first, near, out)
    if not all(_may_pass(one, then.inputs) for one in spans):
        return None
    passed = sum(tokens_between(*one, inputs) for one in spans)
    tokens = tokens_between(first, whole, inputs)
    return LoggedNear(tuple(sorted(out)), near, whole, step.place, tokens, passed, spans)


def _whole_until(first: int, step: LimitStep, span: int, inputs: Inputs) -> int:
    """The exchange behind those that go as a whole, as `step_near.with_whole` has it."""
    stop = min(max(first, step.since), step.place)
    if span <= 0:
        return stop
    front = front_tokens(tokens_between(stop, step.place, inputs), span)
    places = range(stop, step.place + 1)
    return stop + bisect_left(places, front, key=lambda at: tokens_between(stop, at, inputs))


def _near_from(first: int, whole: int, held: list[int], limit: int, inputs: Inputs) -> int:
    """The newest exchange from which on more than the limit could go of what goes as a whole."""
    costs = (tokens_between(at, at + 1, inputs) for at in held)
    before = list(accumulate(costs, initial=0))

    def free(stop: int) -> int:
        return tokens_between(first, stop, inputs) - before[bisect_left(held, stop)]

    return first + bisect_left(range(first, whole + 1), free(whole) - limit, key=free) - 1


def _may_pass(span: Span, inputs: Inputs) -> bool:
    """Whether the names of a range may be shown."""
    first, last = inputs.snapshot.exchanges_at((span[0], span[1] - 1))
    ends = first.first.id, last.events[-1].id
    return all(inputs.clean_name(id) == id for id in ends)
