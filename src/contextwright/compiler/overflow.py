"""What goes when it does not fit: cheap before dear, reversible before lossy (design §5.13).

Every rung is a function from blocks to blocks; a rung runs only if those before it were not
enough. What must stay (`Hold.FLOOR`) is shortened at the very end, and never dropped: then the
compile fails, naming it.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Any

import msgspec

from contextwright.atoms.budget.allocate import Allocate
from contextwright.atoms.budget.budget import Budget
from contextwright.atoms.budget.compaction import Compaction
from contextwright.atoms.budget.fit import Fit
from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.dedup import Dedup
from contextwright.atoms.compress.summarize import SUMMARY_TOKENS
from contextwright.atoms.compress.truncate import truncate_to
from contextwright.atoms.select.salient import SALIENT, with_their_turns
from contextwright.atoms.summarize_block import in_few_words
from contextwright.atoms.summary_block import merged
from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.plan import Terminal
from contextwright.compiler.steps.fold import stepped
from contextwright.compiler.task_framing import with_short_task
from contextwright.compiler.trace import Tracer
from contextwright.errors import BudgetError
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Task
from contextwright.tasks.allocation import Allocation, shared_out
from contextwright.tasks.layers import LAYER_DROPS, drop_key, layer_rungs, needs_of

_COMPACT = Compact()
_COMPACT_RESULTS = Compact(strategy="tool_results")
STEP = 8
"""Exchanges by which the part of a conversation that `fit` summarizes grows."""
SMALLEST = 100
"""Tokens of the smallest block that `overflow="summarize"` summarizes."""
LEAST = 16
"""Tokens that each protected result keeps at the very end: halved from half of the limit, as
little as it takes; with fewer it is no more than named."""
LAST = "cap what is protected"
"""The last stages before the compile fails: nothing else could go."""


class Hold(IntEnum):
    """How strongly a block is held in the request."""

    NONE = 0
    RUNNING = 1
    """The running turn behind its live edge: goes after all finished turns."""
    FLOOR = 2
    """What is protected (`blocks.protection`): shortened at the very end, never dropped."""


class BudgetState(msgspec.Struct, frozen=True, eq=False):
    """The space there is.

    Args:
        limit: tokens of the whole request.
        fixed: tokens of what is not a block: instruction, tools, overheads.
        allocation: what each layer may have, where `C.allocate` shares the window out.
        parts: `fixed` by layer, then; signals: what it was shared out by.
    """

    limit: int
    fixed: int
    inputs: Inputs
    tracer: Tracer
    allocation: Allocation | None = None
    parts: Mapping[str, int] = {}
    signals: Mapping[str, int] = {}

    def over(self, blocks: Blocks) -> int:
        """Tokens too many; 0 or less if it fits."""
        return self.fixed + sum(map(self.inputs.cost, blocks)) - self.limit

    def caps(self, blocks: Blocks) -> dict[str, int]:
        """Tokens that each shared layer may have, with what others do not need."""
        assert self.allocation is not None
        return shared_out(self.allocation, needs_of(blocks, self.inputs.cost, self.parts))


def enforce_budget(room: BudgetState, blocks: Blocks, terminal: Terminal | None) -> Blocks:
    """The blocks, shortened and dropped as the terminal says until they fit.

    Raises:
        BudgetError: they do not fit and nothing may go: `overflow="error"`, or what must stay
            is too large by itself.
    """
    if isinstance(terminal, Compaction):
        before, space = blocks, due_at(terminal, room.limit) - room.fixed
        blocks = stepped(blocks, terminal, space, room.inputs)
        why = "a step of the compaction"
        blocks = room.tracer.record(repr(terminal), before, blocks, why, last=True)
    if room.over(blocks) <= 0:
        return blocks
    if isinstance(terminal, Budget) and terminal.overflow == "error":
        raise _too_large(room, blocks, "and overflow='error' lets nothing go")
    whole: Blocks = ()
    drops = {_drop_name(terminal), *LAYER_DROPS}
    for name, rung in _rungs(terminal, room):
        whole = blocks if name in drops and not whole else whole
        why, last = f"over {room.limit} tokens", name.endswith(LAST)
        blocks = room.tracer.record(name, blocks, rung(blocks), why, last=last)
        if room.over(blocks) <= 0:
            if not whole or name in drops:
                return blocks
            return _given_back(room, whole, blocks, _order(terminal, whole, room.inputs))
    floor = tuple(block for block in blocks if hold(block, room.inputs) is Hold.FLOOR)
    raise _too_large(room, floor, "with nothing left that may go")


def due_at(terminal: Compaction, limit: int) -> int:
    """Tokens of a request from which on a step is due: the soft threshold, or before the headroom
    is used (document 002)."""
    soft = limit if terminal.max_tokens else limit * terminal.soft // 100
    return max(1, min(soft, limit - terminal.headroom))


Rung = Callable[[Blocks], Blocks]
Order = Callable[[Block], tuple[Any, ...]]


def _rungs(terminal: Terminal | None, room: BudgetState) -> Iterator[tuple[str, Rung]]:
    name, inputs = _drop_name(terminal), room.inputs
    if isinstance(terminal, Fit):
        yield from _fit_rungs(terminal, room)
    elif isinstance(terminal, Budget) and terminal.overflow == "summarize":
        yield f"{name} largest", lambda blocks: _summarize_largest(room, blocks)
        yield f"{name}: compact largest", lambda blocks: _compact_largest(room, blocks)
    if isinstance(terminal, Allocate):
        yield from layer_rungs(
            inputs, room.caps, room.over, lambda block: hold(block, inputs) is Hold.NONE
        )
    else:
        yield name, lambda blocks: _drop(room, blocks, Hold.NONE, _order(terminal, blocks, inputs))
    half = max(LEAST, room.limit // 2)
    free = inputs.protection.may_change
    yield f"{name}: cap", lambda blocks: _cap(room, blocks, half, free)
    yield f"{name}: compact running turn", lambda blocks: _compact_running(room, blocks)
    yield f"{name}: cap", lambda blocks: _cap(room, blocks, max(LEAST, half // 4), free)
    yield f"{name}: shorten task, {LAST}", lambda b: with_short_task(b, room.limit, inputs)
    yield f"{name}: drop running turn", lambda blocks: _drop(room, blocks, Hold.RUNNING, _by_age)
    for tokens in _last_caps(half):
        yield f"{name}: {LAST}", _capped(room, tokens)


def _drop_name(terminal: Terminal | None) -> str:
    """The rung that drops what nothing holds."""
    if isinstance(terminal, Allocate):
        return "allocate"
    if isinstance(terminal, Fit):
        return f"fit: {terminal.strategy}"
    if isinstance(terminal, Compaction):
        return "compaction"
    return f"budget: {terminal.overflow}" if terminal is not None else "window of the model"


def _order(terminal: Terminal | None, blocks: Blocks, inputs: Inputs) -> Order:
    """What goes first."""
    if isinstance(terminal, Allocate):
        return drop_key
    how = getattr(terminal, "overflow", getattr(terminal, "strategy", ""))
    if how in {"truncate_least_salient", "salience"}:
        return _by_salience(blocks, inputs)
    return _by_tier if how == "truncate_lowest_priority" else _by_age


def _fit_rungs(terminal: Fit, room: BudgetState) -> Iterator[tuple[str, Rung]]:
    """The cascade of document 000 §12, whose first step, the archive, is out already."""
    inputs = room.inputs
    name = f"fit: {terminal.strategy}"
    if terminal.strategy == "strict":
        return
    if terminal.strategy != "summarize_only":
        yield f"{name}: compact results", lambda blocks: _COMPACT_RESULTS.apply(blocks, inputs)
        yield f"{name}: compact outputs", lambda blocks: _COMPACT.apply(blocks, inputs)
    if terminal.strategy in {"cascade", "salience"}:
        yield f"{name}: dedup", lambda blocks: Dedup(strategy="structural").apply(blocks, inputs)
        yield f"{name}: lowest tier", lambda blocks: _drop_tier(room, blocks)
    if terminal.strategy == "salience":
        return
    yield f"{name}: summarize oldest", lambda blocks: _summarize_oldest(room, blocks, terminal)
    if terminal.strategy == "summarize_only":
        yield f"{name}: compact", lambda blocks: _COMPACT.apply(blocks, inputs)


def hold(block: Block, inputs: Inputs) -> Hold:
    """How strongly a block is held (design §5.2)."""
    if inputs.protection.keep_reason(block):
        return Hold.FLOOR
    running = block.order >= 0 and block.turn == inputs.snapshot.turn
    return Hold.RUNNING if running else Hold.NONE


def _drop(room: BudgetState, blocks: Blocks, up_to: Hold, order: Order) -> Blocks:
    """Drop, one by one, what is held no stronger than `up_to`, until it fits."""
    inputs = room.inputs
    candidates = [block for block in blocks if hold(block, inputs) <= up_to]
    candidates.sort(key=order)
    over, gone = room.over(blocks), set[Block]()
    for block in candidates:
        if over <= 0:
            break
        gone.add(block)
        over -= inputs.cost(block)
    return tuple(block for block in blocks if block not in gone)


def _given_back(room: BudgetState, whole: Blocks, blocks: Blocks, order: Order) -> Blocks:
    """With what was dropped and has room again, once more than dropping was needed: what goes
    last comes back first, a conversation without gaps."""
    inputs = room.inputs
    now = {(block.id, block.source): block for block in blocks}
    dropped = [block for block in whole if (block.id, block.source) not in now]
    dropped.sort(key=order, reverse=True)
    over, back, gap = room.over(blocks), set[Block](), False
    for block in dropped:
        if gap and block.order >= 0:
            continue
        if hold(block, inputs) is Hold.NONE and over + inputs.cost(block) <= 0:
            back.add(block)
            over += inputs.cost(block)
        gap = gap or (block.order >= 0 and block not in back)
    room.tracer.take_back(back)
    kept = (block if block in back else now.get((block.id, block.source)) for block in whole)
    return tuple(block for block in kept if block is not None)


def _by_age(block: Block) -> tuple[int, ...]:
    """Oldest turn first; in a turn the user's words last, so that a cut request still begins
    with a user; texts outside the conversation after all of it, least important first."""
    if block.order < 0:
        return (1, -block.rank, 0, 0)
    return (0, block.turn, int(block.role == "user"), block.order)


def _by_tier(block: Block) -> tuple[int, ...]:
    """Highest tier number first; in a tier the lowest score, then the oldest."""
    return (-block.rank, block.score, *_by_age(block))


def _by_salience(blocks: Blocks, inputs: Inputs) -> Order:
    """Highest tier number first; in a tier the lowest score, or salience where it has none."""
    scores = [
        block.score if block.score >= 0 else salience
        for block, salience in zip(blocks, SALIENT.scores(blocks, inputs), strict=True)
    ]
    keys = dict(zip(blocks, with_their_turns(blocks, scores), strict=True))
    return lambda block: (-block.rank, *keys[block], *_by_age(block))


def _drop_tier(room: BudgetState, blocks: Blocks) -> Blocks:
    """Drop tagged blocks of the lowest tier that was set, if one was set below important."""
    tiers = {block.tier for block in blocks if block.tier > 2}
    if not tiers:
        return blocks
    return tuple(b for b in blocks if b.tier != max(tiers) or hold(b, room.inputs) > Hold.NONE)


def _compact_largest(room: BudgetState, blocks: Blocks) -> Blocks:
    """Compact the largest blocks that may be touched, one by one, until it fits."""
    inputs = room.inputs
    compacted = dict(zip(blocks, _COMPACT.apply(blocks, inputs), strict=True))
    over, chosen = room.over(blocks), set[Block]()
    for block in sorted(blocks, key=lambda block: (-inputs.cost(block), block.order)):
        if over <= 0:
            break
        gain = inputs.cost(block) - inputs.cost(compacted[block])
        if gain > 0:
            chosen.add(block)
            over -= gain
    return tuple(compacted[block] if block in chosen else block for block in blocks)


def _summarize_largest(room: BudgetState, blocks: Blocks) -> Blocks:
    """Summarize the largest blocks that may be touched, one by one, until it fits."""
    inputs = room.inputs
    over, shorter = room.over(blocks), dict[Block, Block]()
    for block in sorted(blocks, key=lambda block: (-inputs.cost(block), block.order)):
        if over <= 0 or inputs.cost(block) < SMALLEST:
            break
        if hold(block, inputs) is not Hold.NONE or block.role == "user":
            continue
        shorter[block] = in_few_words(block, inputs)
        over -= inputs.cost(block) - inputs.cost(shorter[block])
    return tuple(shorter.get(block, block) for block in blocks)


def _summarize_oldest(room: BudgetState, blocks: Blocks, terminal: Fit) -> Blocks:
    """One summary for the oldest exchanges, as many as it takes, in steps: while a step lasts,
    the summary and what stands behind it keep their bytes."""
    inputs = room.inputs
    old = [b for b in blocks if b.order >= 0 and hold(b, inputs) is Hold.NONE]
    over, needed = room.over(blocks) + SUMMARY_TOKENS, 0
    while over > 0 and needed < len(old):
        over -= inputs.cost(old[needed])
        needed += 1
    chosen = tuple(old[: -(-needed // STEP) * STEP])
    task = Task(kind="summary", max_tokens=SUMMARY_TOKENS)
    made = merged(chosen, inputs, task, repr(terminal), "oldest") if chosen else None
    if made is None or made is chosen:
        return blocks
    gone = set(chosen)
    return (*made, *(block for block in blocks if block not in gone))


def _compact_running(room: BudgetState, blocks: Blocks) -> Blocks:
    """Compact the running turn's trace, oldest first, but for its newest three exchanges."""
    inputs = room.inputs
    table = inputs.memo.table(("compact_running", inputs.counter_id))
    newest = {block.order for block in blocks[-3:]}
    over, out = room.over(blocks), list(blocks)
    for place, block in enumerate(blocks):
        if over <= 0:
            break
        if block.turn < inputs.snapshot.turn or block.order in newest:
            continue
        if not inputs.protection.may_change(block):
            continue
        if block not in table:
            table[block] = _COMPACT.compacted(block, inputs)
        over -= inputs.cost(block) - inputs.cost(table[block])
        out[place] = table[block]
    return tuple(out)


def _last_caps(half: int) -> Iterator[int]:
    tokens = half
    while tokens >= LEAST:
        yield tokens
        tokens //= 2


def _capped(room: BudgetState, tokens: int) -> Rung:
    return lambda blocks: _cap(room, blocks, tokens, _is_answered)


def _is_answered(block: Block) -> bool:
    """Whether it holds what an agent or a tool said, whose whole a ref gives back."""
    return not block.pinned and block.role not in {"user", "system"}


def _cap(room: BudgetState, blocks: Blocks, tokens: int, may: Callable[[Block], bool]) -> Blocks:
    """Cut each result and output to `tokens`, oldest block first, until it fits."""
    inputs = room.inputs
    over, out = room.over(blocks), list(blocks)
    for place, block in enumerate(blocks):
        if over <= 0:
            break
        if not block.messages or not may(block):
            continue
        short = truncate_to(block, tokens, inputs)
        gain = inputs.cost(block) - inputs.cost(short)
        if gain > 0:
            out[place] = short
            over -= gain
    return tuple(out)


def _too_large(room: BudgetState, blocks: Blocks, why: str) -> BudgetError:
    cost = room.inputs.cost
    largest = sorted(blocks, key=cost, reverse=True)[:5]
    named = ", ".join(f"{block.id} ({block.source}) {cost(block)}" for block in largest)
    need = room.fixed + sum(map(cost, blocks))
    return BudgetError(
        f"{need} tokens must be sent and {room.limit} may be, {why}: "
        f"{room.fixed} for the instruction, tools and overheads" + (f"; {named}" if named else ""),
        where="budget",
        fix=f"allow {need} tokens or more, or shorten what is named",
    )
