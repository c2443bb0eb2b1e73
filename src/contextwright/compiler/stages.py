"""The stages that a terminal declares, as functions from blocks to blocks."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate, compress
from operator import attrgetter

import msgspec

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.truncate import truncate_to
from contextwright.atoms.summarize_block import in_few_words, saved_at_least
from contextwright.atoms.summary_block import merged, summary_of_log
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import Layer
from contextwright.compiler.budget_state import BudgetState, Hold, hold
from contextwright.compiler.drop_order import DropKey, by_age, drop_key_of, in_drop_order
from contextwright.compiler.layer_step import at_layer_step
from contextwright.compiler.stood_for import joined_spans
from contextwright.compiler.task_framing import with_short_task
from contextwright.compiler.token_sums import SOURCE
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.log_part import ReadPart, part_of
from contextwright.spec.task import Task
from contextwright.spec.terminal import (
    CapProtected,
    CapResults,
    CompactLargest,
    CompactLongTurn,
    CompactRunning,
    Drop,
    DropRunning,
    DropTier,
    Refuse,
    Run,
    ShortenTask,
    ShrinkLayers,
    Stage,
    SummarizeLargest,
    SummarizeOldest,
    Terminal,
)
from contextwright.tasks.layers import layer_stages
from contextwright.tasks.left_turns import LeftTurns, Passed

_COMPACT, _ORDER = Compact(), attrgetter("order")
_OLDEST = "oldest"
"""What a summary of the oldest is named for."""
SECTION = 64
"""Tokens of a summary's section, about."""
MOST_SUMMARIES = 16
"""Blocks that one compile summarizes each by itself: each is a question to a model."""
LEAST = 16
"""Tokens that each protected result keeps at the very end; with fewer it is no more than named."""

Shorten = Callable[[Blocks], Blocks]


class StageAction(msgspec.Struct, frozen=True):
    """A function of a stage, with its name in the manifest.

    Args:
        drops: whether it drops what nothing holds, so that some of it may come back where a
            later stage gave more room than was needed.
        last: whether it may touch what is protected.
        steps: whether none of that comes back before the next step.
    """

    name: str
    change: Shorten
    drops: bool = False
    last: bool = False
    steps: bool = False


def actions_of(
    stage: Stage, terminal: Terminal, state: BudgetState, passed: Passed
) -> Iterator[StageAction]:
    """A stage as what it does, cheapest first.

    Args:
        passed: the turns that left before all that is given.

    Raises:
        SpecError: a stage that is none of `spec.terminal`.
    """
    label = terminal.label
    if isinstance(stage, ShrinkLayers):
        droppable, turns = _droppable(state), LeftTurns(passed)
        if terminal.layer_low:
            name = f"{label}: drop {Layer.CONVERSATION.label}"
            yield StageAction(name, lambda b: at_layer_step(state, b, terminal, turns), True,
                              steps=True)  # fmt: skip
        made = layer_stages(state.inputs, state.caps, state.over, droppable, turns)
        for name, change, drops in made:
            yield StageAction(f"{label}: {name}", change, drops)
        return
    if isinstance(stage, CapProtected):
        for may_cut in (_before(state.inputs.protection.edge), _is_answered):
            for tokens in _halved(state):
                change = _capped(state, tokens, may_cut)
                yield StageAction(f"{label}: {stage.name}", change, last=True)
        return
    name = stage.title if isinstance(stage, Run) else stage.name
    change = _change(stage, terminal, state)
    yield StageAction(
        f"{label}: {name}" if name else label, change, isinstance(stage, Drop), stage.last
    )


def _droppable(state: BudgetState) -> Callable[[Block], bool]:
    return lambda block: hold(block, state.inputs) is Hold.NONE


def _change(stage: Stage, terminal: Terminal, state: BudgetState) -> Shorten:
    match stage:
        case Run(step=step):
            return lambda blocks: _run(state, blocks, step)
        case Drop():
            return lambda blocks: _drop_ordered(state, blocks, terminal)
        case CapResults():
            tokens = max(LEAST, state.limit // stage.part)
            return lambda blocks: _cap(state, blocks, tokens, state.inputs.protection.may_change)
        case ShortenTask():
            return lambda blocks: with_short_task(blocks, state.limit, state.inputs)
        case DropTier():
            return lambda blocks: _drop_tier(state, blocks)
        case SummarizeOldest():
            return lambda blocks: _summarize_oldest(state, blocks, stage, repr(terminal))
        case SummarizeLargest():
            return lambda blocks: _summarize_largest(state, blocks, stage.min_tokens, terminal)
        case CompactLargest():
            return lambda blocks: _compact_largest(state, blocks)
        case CompactLongTurn() | CompactRunning():
            return lambda blocks: _compact_turn(state, blocks, stage)
        case DropRunning():
            return lambda blocks: _drop(state, blocks, Hold.RUNNING, by_age)
        case Refuse():
            return lambda blocks: _refuse(state, blocks, stage)
        case _:
            raise SpecError(
                f"expected a stage of contextwright.spec.terminal, got {stage!r}",
                where=repr(terminal),
                fix="say it with one of them, such as Run(step=C.compact(), title='compact')",
            )


def _run(state: BudgetState, blocks: Blocks, step: Atom) -> Blocks:
    """Apply a word to the blocks; of a long conversation's step to those alone that may stay."""
    whole, rest = state.in_two(blocks)
    if not whole:
        return step.apply(blocks, state.inputs)
    # wherever the compile began to look, this is all that the word knows
    inputs = msgspec.structs.replace(state.inputs, start=state.inputs.snapshot.preamble)
    return (*whole, *step.apply(rest, inputs))


def _refuse(state: BudgetState, blocks: Blocks, stage: Refuse) -> Blocks:
    raise state.too_large(blocks, f"and {stage.reason}")


def _drop_ordered(state: BudgetState, blocks: Blocks, terminal: Terminal) -> Blocks:
    old = len(state.in_two(blocks)[0])
    return _drop(state, blocks, Hold.NONE, drop_key_of(terminal.order, blocks, state.inputs, old))


def _drop(state: BudgetState, blocks: Blocks, up_to: Hold, key: DropKey) -> Blocks:
    """Drop, one by one, what is held no stronger than `up_to`, until it fits."""
    inputs = state.inputs
    over, dropped = state.over_in_sight(blocks), set[Block]()
    sections = inputs.section_costs(blocks)
    for block in in_drop_order(blocks, key):
        if over <= 0:
            break
        if hold(block, inputs) <= up_to and not (state.keeps_summaries and block.is_summary):
            dropped.add(block)
            over -= sections.leave(block)
    return tuple(block for block in blocks if block not in dropped)


def _drop_tier(state: BudgetState, blocks: Blocks) -> Blocks:
    """Drop tagged blocks of the lowest tier that was set, if one was set below important."""
    tiers = {block.tier for block in blocks if block.tier > 2}
    if not tiers:
        return blocks
    return tuple(b for b in blocks if b.tier != max(tiers) or hold(b, state.inputs) > Hold.NONE)


def _compact_largest(state: BudgetState, blocks: Blocks) -> Blocks:
    """Compact the largest blocks that may be touched, one by one, until it fits."""
    inputs, (_, rest) = state.inputs, state.in_two(blocks)
    compacted = dict(zip(rest, _COMPACT.apply(rest, inputs), strict=True))
    over, chosen = state.over(blocks), set[Block]()
    for block in _largest_first(state, rest):
        if over <= 0:
            break
        gain = inputs.cost(block) - inputs.cost(compacted[block])
        if gain > 0:
            chosen.add(block)
            over -= gain
    return tuple(compacted[block] if block in chosen else block for block in blocks)


def _summarize_largest(
    state: BudgetState, blocks: Blocks, min_tokens: int, terminal: Terminal
) -> Blocks:
    """Summarize the largest blocks that may be touched, as many as it takes. Which ones follows
    from their sizes alone, so that all are asked for at once and what is paid for is sent."""
    chosen = _to_summarize(state, blocks, min_tokens, terminal)
    shorter = {block: in_few_words(block, state.inputs) for block in chosen}
    return tuple(shorter.get(block, block) for block in blocks)


def _to_summarize(
    state: BudgetState, blocks: Blocks, min_tokens: int, terminal: Terminal
) -> dict[Block, int]:
    """The blocks to summarize, with the tokens that each saves: none that will be dropped."""
    inputs = state.inputs
    table = inputs.memo.table(("saved by summary", inputs.counter_id))

    def saved(block: Block) -> int:
        return table.remembered(block, lambda block: saved_at_least(block, inputs))

    over, chosen = state.over(blocks), dict[Block, int]()
    for block in _largest_first(state, state.in_two(blocks)[1]):
        if over <= 0:
            return chosen
        if inputs.cost(block) < min_tokens or len(chosen) == MOST_SUMMARIES:
            break
        if hold(block, inputs) is Hold.NONE and block.role != "user" and saved(block) > 0:
            chosen[block] = saved(block)
            over -= chosen[block]
    over -= state.over(blocks) - state.over_in_sight(blocks)
    droppable = [block for block in blocks if hold(block, inputs) is Hold.NONE]
    for block in sorted(droppable, key=drop_key_of(terminal.order, blocks, inputs)):
        if over <= 0:
            break
        over -= inputs.cost(block) - chosen.pop(block, 0)
    return chosen


def _largest_first(state: BudgetState, blocks: Blocks) -> list[Block]:
    return sorted(blocks, key=lambda block: (-state.inputs.cost(block), block.order))


def _summarize_oldest(
    state: BudgetState, blocks: Blocks, stage: SummarizeOldest, name: str
) -> Blocks:
    """One summary for the oldest exchanges, as many as it takes, in steps: while a step lasts,
    the summary and what stands behind it keep their bytes. What goes as a whole is all told."""
    front, near = _free(state, blocks, name)
    old = (*front, *near)
    passed = sum(stop - start for start, stop in state.spans_in_front(blocks))
    over = state.over_in_sight(blocks) + stage.max_tokens
    costs = [0, *accumulate(map(state.inputs.cost, old))]
    needed = bisect_left(costs, over) if over > 0 else 0
    chosen = old[: -(-(passed + needed) // stage.grain) * stage.grain - passed]
    room = costs[-1] - over  # if it were told of all: with more it would have no place itself
    rules = max(0, min(stage.rule_tokens, room - SECTION)) if not state.note else 0
    task = Task(kind="summary", max_tokens=stage.max_tokens, rule_tokens=rules)
    if passed:
        made = _summary_with_passed(state, chosen, len(front), task, name)
    else:
        made = _summary(state, chosen, len(front), task, name) if chosen else None
    if made is None:
        return blocks
    summarized = set(chosen)
    return (made, *(block for block in blocks if block not in summarized))


def _summary(state: BudgetState, chosen: Blocks, front: int, task: Task, name: str) -> Block | None:
    """The summary of these blocks, of which so many go as a whole; None where there is none that
    is shorter."""
    by_order = {block.order: block for block in state.in_two(state.originals)[1]}
    newest = (by_order.get(block.order, block) for block in chosen[front:])
    logged = (*chosen[:front], *newest)
    made = merged(chosen, state.inputs, task, name, _OLDEST, logged)
    return None if made is None or made is chosen else made[0]


def _summary_with_passed(
    state: BudgetState, chosen: Blocks, front: int, task: Task, name: str
) -> Block | None:
    """As `_summary`, with what lies in front of all blocks, which the log has as it was."""
    inputs = state.inputs
    spans = joined_spans(state.passed_spans, map(_ORDER, chosen))
    part = part_of(spans, inputs.snapshot.preamble)
    read = ReadPart(part, SOURCE, chosen[front:])
    tokens = state.passed + sum(map(inputs.cost, chosen))
    return summary_of_log(read, tokens, inputs, task, name, _OLDEST)


def _free(state: BudgetState, blocks: Blocks, name: str) -> tuple[Blocks, Blocks]:
    """The exchanges that nothing holds: of those that go as a whole, and of the others."""
    whole, rest = state.in_two(blocks)
    held = state.inputs.held_places((name, "oldest"), blocks, unsettled=True)
    is_free = bytearray(b"\1") * len(blocks)
    texts = [place for place, block in enumerate(rest, len(whole)) if block.order < 0]
    for place in (*held, *texts):
        is_free[place] = False
    near = compress(rest, is_free[len(whole) :])
    return tuple(compress(whole, is_free)), tuple(near)


def _compact_turn(
    state: BudgetState, blocks: Blocks, stage: CompactLongTurn | CompactRunning
) -> Blocks:
    """Compact the running turn's exchanges, oldest first, until it fits: what has settled of it,
    or what has not, but for the newest."""
    inputs, snapshot = state.inputs, state.inputs.snapshot
    start, stop = snapshot.turn_start(snapshot.turn), inputs.settled
    if isinstance(stage, CompactRunning):
        start, stop = stop, snapshot.exchange_count - stage.newest
    table = inputs.memo.table(("compact_between", inputs.counter_id))
    over, out = state.over(blocks), list(blocks)
    for place, block in enumerate(blocks):
        if over <= 0:
            break
        if not start <= block.order < stop or not inputs.protection.may_change(block):
            continue
        short = table.remembered(block, lambda block: _COMPACT.compacted(block, inputs))
        over -= inputs.cost(block) - inputs.cost(short)
        out[place] = short
    return tuple(out)


def _halved(state: BudgetState) -> Iterator[int]:
    tokens = max(LEAST, state.limit // 2)
    while tokens >= LEAST:
        yield tokens
        tokens //= 2


def _capped(state: BudgetState, tokens: int, may_cut: Callable[[Block], bool]) -> Shorten:
    return lambda blocks: _cap(state, blocks, tokens, may_cut)


def _before(edge: int) -> Callable[[Block], bool]:
    """The newest exchange is cut once nothing older could give way."""
    return lambda block: block.order < edge and _is_answered(block)


def _is_answered(block: Block) -> bool:
    """Whether it holds what an agent or a tool said, whose whole a ref gives back. A result whose
    call the provider has is pinned, since it has to be sent, and may be sent in short."""
    if block.role == "tool":
        return True
    return not block.pinned and block.role not in {"user", "system"}


def _cap(
    state: BudgetState, blocks: Blocks, tokens: int, may_cut: Callable[[Block], bool]
) -> Blocks:
    """Cut each result and output to `tokens`, oldest block first, until it fits."""
    inputs = state.inputs
    over, out = state.over(blocks), list(blocks)
    for place, block in enumerate(blocks):
        if over <= 0:
            break
        if not block.messages or not may_cut(block):
            continue
        short = truncate_to(block, tokens, inputs)
        gain = inputs.cost(block) - inputs.cost(short)
        if gain > 0:
            out[place] = short
            over -= gain
    return tuple(out)
