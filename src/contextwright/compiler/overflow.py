"""Enforcing the limit of a request: cheap before dear, reversible before lossy
(rules.md#cheap-first).

The terminal declares the stages; a stage runs only if those before it were not enough. What must
stay (`Hold.FLOOR`) is shortened at the very end, and never dropped: then the compile fails,
naming it.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain, compress, filterfalse
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.before_step import StepGround
from contextwright.compiler.budget_state import BudgetState, Hold, hold, state_then
from contextwright.compiler.drop_order import DropKey, drop_key_of
from contextwright.compiler.mapped_log import merge_mapped, record_mapping, with_front
from contextwright.compiler.passed_turns import passed_by, told_with_passed
from contextwright.compiler.step_left import (
    StepLeft,
    is_over,
    left_by_step,
    record_mapped,
    table_of,
)
from contextwright.compiler.step_near import Near, merged_with_passed, passes, weighed_span
from contextwright.compiler.step_places import (
    LimitStep,
    base_of,
    joined,
    rule_of_limit,
    step_of,
    tokens_to_next,
    tokens_to_turn,
)
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.trace_findings import LimitStage
from contextwright.spec.terminal import (
    CompactRunning,
    Drop,
    FoldHistory,
    ModelWindow,
    Stage,
    SummarizeLargest,
    SummarizeOldest,
    Terminal,
)
from contextwright.tasks.left_turns import LEFT_TURNS, NONE_PASSED, Passed

if TYPE_CHECKING:
    from contextwright.compiler.stages import StageAction

_MODEL_WINDOW = ModelWindow()
_MESSAGES, _ORDER = attrgetter("messages"), attrgetter("order")


class Spare(msgspec.Struct, frozen=True):
    """Tokens that exchanges to come may have before a limit decides anything else.

    Args:
        tokens: of them, as they came; below 0 where it decides at each request.
        answers: whether the first of them has to be the assistant's: the limit took a step for
            this very request, whose place is in front of what answers it.
        turns: tokens that they may have where a turn begins among them: the limit may take a step
            there before it must. None where it takes none.
    """

    tokens: int
    answers: bool = False
    turns: int | None = None


def enforce_budget(state: BudgetState, blocks: Blocks, terminal: Terminal | None) -> Blocks:
    """The blocks, shortened and dropped as the terminal's stages say until they fit.

    Args:
        state: the space there is; its tracer writes down what every stage changed.
        terminal: None for the model's window alone.

    Raises:
        BudgetError: they do not fit and nothing may go: a stage refuses, or what must stay is
            too large by itself.
    """
    terminal = terminal or _MODEL_WINDOW
    if state.inputs.mapping:
        state = structs.replace(state, inputs=with_front(state.inputs))
    blocks = _standing(state, blocks, terminal)
    if not is_limited(state, blocks, terminal):
        if state.inputs.behind_step:
            state.inputs.unsure(terminal.word)
        return blocks
    stepped = _stepped(state, blocks, terminal)
    if stepped is not None:
        return stepped
    if state.inputs.behind_step:
        state.inputs.unsure(terminal.word)
        return blocks
    if not is_over(state, blocks):
        return blocks
    shortened = _shortened(state, blocks, terminal, terminal.stages)
    if shortened is None:
        floor = tuple(block for block in blocks if hold(block, state.inputs) is Hold.FLOOR)
        raise state.too_large(floor, "with nothing left that may go")
    return shortened


def is_limited(state: BudgetState, blocks: Blocks, terminal: Terminal | None) -> bool:
    """Whether a request is over its limit, or stands behind a step that came before it had to."""
    if is_over(state, blocks):
        return True
    if terminal is None or not terminal.step_turns:
        return False
    if not is_over(_low_of(state, blocks, terminal), blocks):
        return False
    rule = rule_of_limit(state.limit, terminal)
    standing = step_of(rule, _fixed(state, blocks), state.inputs)
    return standing is not None and standing[0].is_early


def step_behind(
    state: BudgetState, blocks: Blocks, terminal: Terminal | None
) -> tuple[LimitStep, int] | None:
    """The step that a request of these blocks stands behind, and the tokens of it that are no
    exchange, as the step takes them; None where it stands behind none."""
    terminal = terminal or _MODEL_WINDOW
    if not (terminal.step_low and is_limited(state, blocks, terminal)):
        return None
    fixed = _fixed(state, blocks)
    standing = step_of(rule_of_limit(state.limit, terminal), fixed, state.inputs)
    return None if standing is None else (standing[0], fixed + standing[1])


def _low_of(state: BudgetState, blocks: Blocks, terminal: Terminal) -> BudgetState:
    """The space that a request has before its limit takes any step."""
    if not terminal.step_turns:
        return state
    rule, base = rule_of_limit(state.limit, terminal), base_of(state.limit, _fixed(state, blocks))
    return structs.replace(state, limit=rule.early(base))


def _fixed(state: BudgetState, blocks: Blocks) -> int:
    """Tokens of a request that are no exchange."""
    own = compress(blocks, map((0).__gt__, map(_ORDER, blocks)))
    return state.fixed + sum(map(state.inputs.cost, own))


def _stepped(state: BudgetState, blocks: Blocks, terminal: Terminal) -> Blocks | None:
    """The blocks as the newest step of the limit left them, with what came since; None where the
    limit knows no steps, or this one was not enough (rules.md#steps-down)."""
    if not terminal.step_low:
        return None
    inputs = state.inputs
    rule = rule_of_limit(state.limit, terminal)
    standing = step_of(rule, _fixed(state, blocks), inputs)
    if standing is None:
        return None
    step, spare = standing
    stages = _stages_of_a_step(terminal)
    span = weighed_span(terminal, stages, state.limit)
    new = tuple(block for block in blocks if block.order >= step.place)

    def shorten(near: Near) -> Blocks | None:
        return _shortened(near.state, near.blocks, terminal, stages)

    for goal, keeps in _goals(step.goal, state.limit, stages, blocks):
        name = (terminal, state.limit, goal, keeps) if keeps else (terminal, state.limit)
        then = state_then(state, step.place, goal - spare, state.tracer.attempt())
        then = structs.replace(then, keeps_summaries=keeps)
        table = table_of(name, inputs)
        ground = StepGround(step, then, blocks, terminal, stages, span, table, inputs)
        old = ground.before(passing=passes(stages, inputs))
        if old is None:
            return None
        look = partial(ground.look, old)
        taken = left_by_step(then, old, step.place, name, look, shorten)
        if taken.left is not None and state.over((*taken.left, *new)) <= 0:
            state.tracer.limit_steps = step.number
            return _behind_step(taken, taken.left, new, state, blocks)
        if state.tracer.is_moot():
            break  # a summary is asked for: whether it has room is not known yet
    return None


def _behind_step(
    taken: StepLeft, old: Blocks, new: Blocks, state: BudgetState, blocks: Blocks
) -> Blocks:
    """The blocks as a step left the old ones, with what came since; what it did is written."""
    inputs, tracer = state.inputs, state.tracer
    if inputs.mapping:
        record_mapped(taken, blocks, inputs, tracer)
    left = taken.with_new(new) if inputs.behind_step else joined(blocks, old, taken.place)
    tracer.take(taken.findings_for(left, tracer.changes))
    return left


def spare_of_limit(state: BudgetState, blocks: Blocks, terminal: Terminal | None) -> Spare:
    """What exchanges to come may take before these blocks, which fit or are what a step is taken
    of, are over the limit, or its next step is due."""
    terminal, inputs = terminal or _MODEL_WINDOW, state.inputs
    low = _low_of(state, blocks, terminal)
    if not is_over(low, blocks):
        return Spare(-low.over(blocks))
    rule, stepped = rule_of_limit(state.limit, terminal), state.tracer.limit_steps > 0
    if not stepped and is_over(state, blocks):
        return Spare(-1)
    standing = step_of(rule, _fixed(state, blocks), inputs)
    snapshot, last = inputs.snapshot, inputs.snapshot.exchange_count - 1
    newest = sum(map(inputs.cost, inputs.blocks(snapshot.exchanges(last), SOURCE)))
    if standing is None or not stepped:
        began = standing[0].began if standing is not None else snapshot.preamble
        return Spare(-state.over(blocks), turns=tokens_to_turn(began, newest, rule, inputs))
    step = standing[0]
    turns = tokens_to_turn(step.began, newest, rule, inputs)
    if step.place > last:
        before = tokens_between(step.began, last, inputs) + newest if step.began <= last else 0
        return Spare(tokens_to_next(step, rule, before), answers=True, turns=turns)
    before = tokens_between(step.began, step.place, inputs)
    taken = tokens_between(step.place, last, inputs) + newest
    return Spare(tokens_to_next(step, rule, before) - taken, turns=turns)


def _goals(
    goal: int, limit: int, stages: tuple[Stage, ...], blocks: Blocks
) -> Iterator[tuple[int, bool]]:
    """How far down a step goes, and whether it keeps summaries: half as far where what the turn
    works with leaves one no room; without, where that is too little."""
    summarizes = any(isinstance(stage, SummarizeOldest) for stage in stages)
    texts = filterfalse(_MESSAGES, blocks)  # an exchange is no summary
    if summarizes or any(block.is_summary for block in texts):
        yield goal, True
        yield (goal + limit) // 2, True
    yield goal, False


def _stages_of_a_step(terminal: Terminal) -> tuple[Stage, ...]:
    """What a step does: all that leaves alone what is protected. As it goes far down, it shortens
    what has not settled before it asks for summaries, or drops, where the limit shortens at all."""
    stages = tuple(stage for stage in terminal.stages if not stage.last)
    if isinstance(stages[0], Drop):
        return stages
    dear = (at for at, stage in enumerate(stages) if isinstance(stage, SummarizeLargest | Drop))
    at = next(dear, len(stages))
    return (*stages[:at], CompactRunning(newest=1), *stages[at:])


def _shortened(
    state: BudgetState, blocks: Blocks, terminal: Terminal, stages: tuple[Stage, ...]
) -> Blocks | None:
    """The blocks as these stages leave them, as soon as they fit; None where they do not."""
    whole: Blocks = blocks
    state = structs.replace(state, originals=whole)
    undropped: Blocks = ()
    passed = passed_by(state) if terminal.order == "layer" else NONE_PASSED
    for action in _actions(state, terminal, stages, passed):
        undropped = undropped or (blocks if action.drops and not action.steps else ())
        shorter, why = action.change(blocks), f"over {state.limit} tokens"
        if action.drops and len(shorter) < len(blocks):
            protection = state.inputs.protection
            state.tracer.limit_drop = LimitStage(action.name, why, protection)
        merges = told_with_passed(state, passed, blocks, shorter)
        merges = merges or merged_with_passed(state, blocks, shorter)
        blocks = state.tracer.record(
            action.name, blocks, shorter, why, last=action.last, merges=merges
        )
        if state.over(blocks) <= 0:
            if terminal.order == "layer":
                key = drop_key_of(terminal.order, undropped, state.inputs)
                return _restored(state, undropped, blocks, key) if undropped else blocks
            return _refilled(state, whole, undropped, blocks, terminal)
    return None


def _standing(state: BudgetState, blocks: Blocks, terminal: Terminal) -> Blocks:
    """The blocks as the steps so far leave them: a step that was taken holds on."""
    for stage in terminal.stages:
        if isinstance(stage, FoldHistory):
            from contextwright.compiler.steps.stepped import stepped

            space = stage.due_at(state.limit) - state.fixed
            after = stepped(blocks, stage, space, state.limit, state.inputs)
            why = f"a step of the {terminal.label}"
            if state.inputs.mapping:
                orders = {block.order for block in blocks}
                held = (b.order for b in after.before if b.order not in orders)
                record_mapping(held, state.inputs, state.tracer)
            blocks = state.tracer.record(
                repr(terminal), after.before, after.blocks, why, last=True, merges=after.merges
            )
            spans = chain.from_iterable(one.spans for one in after.merges.values())
            if state.inputs.goes_by_log:
                merge_mapped(tuple(spans), state.inputs, state.tracer)
    return blocks


def _actions(
    state: BudgetState, terminal: Terminal, stages: tuple[Stage, ...], passed: Passed
) -> "Iterator[StageAction]":
    from contextwright.compiler.stages import actions_of

    for stage in stages:
        if not stage.standing:
            yield from actions_of(stage, terminal, state, passed)


def _restored(state: BudgetState, whole: Blocks, blocks: Blocks, key: DropKey) -> Blocks:
    """A pack with what was dropped and fits again whole: what goes last comes back first, a
    conversation without gaps."""
    inputs = state.inputs
    present = {(block.id, block.source): block for block in blocks}
    dropped = [block for block in whole if (block.id, block.source) not in present]
    dropped.sort(key=key, reverse=True)
    back, gap = set[Block](), False
    over = state.over(blocks) + state.markers_of_texts(whole, blocks)
    for block in dropped:
        if gap and block.order >= 0:
            continue
        if hold(block, inputs) is Hold.NONE and over + inputs.cost(block) <= 0:
            back.add(block)
            over += inputs.cost(block)
        gap = gap or (block.order >= 0 and block not in back)
    restored = (
        block if block in back else present.get((block.id, block.source)) for block in whole
    )
    own = {block.id for block in whole if block.source == LEFT_TURNS}  # of an earlier step
    made = (block for block in blocks if block.source == LEFT_TURNS and block.id not in own)
    return (*(block for block in restored if block is not None), *made)


def _refilled(
    state: BudgetState, whole: Blocks, undropped: Blocks, blocks: Blocks, terminal: Terminal
) -> Blocks:
    """With what still fits; what comes back shorter than it was is written down as such."""
    from contextwright.compiler.refill import refilled

    old = len(state.in_two(whole)[0])
    key = drop_key_of(terminal.order, whole, state.inputs, old)
    after = refilled(state, whole, undropped, blocks, key)
    # a text that comes back may part two others from their markers
    if after is blocks or (state.markers and state.over(after) > 0):
        return blocks
    known = {(block.id, block.source): block for block in (*whole, *blocks)}
    before = tuple(known[block.id, block.source] for block in after)
    return state.tracer.record(f"{terminal.label}: refill", before, after, last=True)
