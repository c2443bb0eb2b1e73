"""A decision that goes on: in a session that only grows, most requests are the one before and what
came since (rules.md#horizon).

What a compile decided is kept. At the next one the words are asked again about the exchanges that
had not settled then. Where they say of them what they said, nothing has moved that the others
depend on, and the limit has room for what is new without another step, the decision is the one
before with the new exchanges behind it. Anything else is decided as if nothing was kept.
"""

from operator import attrgetter
from weakref import ref

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.blocks.protection import Protection
from contextwright.compiler.assemble import (
    ARCHIVE,
    LIVE_EDGE,
    Assembled,
    guard_again,
    in_log_order,
    once,
)
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change_ranges import LimitDrop, ReceiptRanges
from contextwright.compiler.kept_fold import begins_alike, left_by_fold
from contextwright.compiler.left_out import spare_tokens
from contextwright.compiler.overflow import Spare
from contextwright.compiler.plan import Plan
from contextwright.compiler.token_sums import SOURCE
from contextwright.compiler.trace import Tracer, run
from contextwright.compiler.trace_findings import Findings
from contextwright.memo.owned_tables import Table
from contextwright.memo.sizes import measured_by
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.state import State
from contextwright.spec.inputs import Inputs

PLACE = 8
"""Bytes of a block's place; the blocks are counted where they were made."""


class RequestDecision(msgspec.Struct, frozen=True, eq=False):
    """What is sent, and what is written of it."""

    inputs: Inputs
    assembled: Assembled
    room: BudgetState
    blocks: Blocks
    ranges: ReceiptRanges


class KeptDecision(msgspec.Struct, frozen=True, eq=False):
    """A decision, without what would hold its session.

    Args:
        log: of the session. facts: what all of it depends on. state: the session's, then.
        position: of the log, then. count: of its exchanges. joins: results that had come late.
        settled: the first exchange that had not settled.
        held: exchanges that had to stay, and some day need not: the newest user message, and
            those with open failures.
        limit, fixed, bare: of the space. spare: what exchanges to come may have.
        findings: what is written of it. limit_steps: of the limit so far. orders: of its ranges.
        cut: the oldest exchange that stands because of its age. start: where its compile began.
    """

    log: ref[Log]
    facts: tuple[object, ...]
    state: State
    position: int
    count: int
    joins: int
    settled: int
    held: frozenset[int]
    assembled: Assembled
    blocks: Blocks
    limit: int
    fixed: int
    bare: int
    spare: Spare
    findings: Findings
    limit_steps: int
    orders: dict[str, int]
    cut: int
    start: int

    @property
    def texts(self) -> Blocks:
        """What stands beside the conversation."""
        return tuple([block for block in self.assembled.blocks if block.order < 0])


def _bytes(before: KeptDecision) -> int:
    return PLACE * (len(before.blocks) + len(before.assembled.blocks) + len(before.orders))


measured_by(KeptDecision, _bytes)


def table_of(planned: Plan, limit: int, inputs: Inputs) -> Table:
    """Where the newest decision of a spec is kept."""
    parts = planned.body, planned.redactions, planned.terminal, planned.is_silent, planned.ports
    return inputs.memo.table(("decision", *parts, limit, inputs.cost_id))


def keep(decision: RequestDecision, planned: Plan, target: Target, table: Table) -> None:
    """Keep a decision that the next one may go on from; nothing where it may not."""
    table.pop("", None)
    inputs, tracer = decision.inputs, decision.room.tracer
    if _is_collecting(inputs) or tracer.notes:
        return
    if LIVE_EDGE in map(attrgetter("source"), decision.blocks):
        return  # it stands there because it was newest
    spare = spare_tokens(decision.room, decision.assembled, decision.blocks, planned, target)
    cut = _cut(decision.blocks, tracer, inputs)
    has_summary = inputs.snapshot.positions("kind", "summary")
    if spare.tokens < 0 or cut >= inputs.protection.edge or has_summary:
        return
    table[""] = _to_keep(decision, _facts(planned, inputs, target), spare, cut)


def _to_keep(
    decision: RequestDecision, facts: tuple[object, ...], spare: Spare, cut: int
) -> KeptDecision:
    inputs, room, snapshot = decision.inputs, decision.room, decision.inputs.snapshot
    return KeptDecision(
        log=ref(snapshot.log),
        facts=facts,
        state=snapshot.state,
        position=snapshot.position,
        count=snapshot.exchange_count,
        joins=len(snapshot.log.late_joins()),
        settled=inputs.settled,
        held=_held(inputs.protection),
        assembled=decision.assembled,
        blocks=decision.blocks,
        limit=room.limit,
        fixed=room.fixed,
        bare=room.bare,
        spare=spare,
        findings=room.tracer.findings(),
        limit_steps=room.tracer.limit_steps,
        orders=decision.ranges.orders,
        cut=cut,
        start=inputs.start,
    )


def _is_collecting(inputs: Inputs) -> bool:
    """Whether a word asked a model, wrote, took a step or had something to tell."""
    return any((inputs.asked, inputs.used, inputs.wrote, inputs.notes, inputs.stepped))


def _from(start: int, blocks: Blocks) -> Blocks:
    return tuple([block for block in blocks if block.order >= start])


def _cut(blocks: Blocks, tracer: Tracer, inputs: Inputs) -> int:
    drop = tracer.limit_drop
    return -1 if drop is None else LimitDrop(drop, blocks, tracer.summarized).cut(inputs.protection)


def _facts(planned: Plan, inputs: Inputs, target: Target) -> tuple[object, ...]:
    """What all that a decision holds depends on, beside the session's exchanges and its state, and
    what a block costs."""
    snapshot, protection = inputs.snapshot, inputs.protection
    called = () if inputs.tools else tuple(snapshot.log.called_tools(snapshot.position))
    return (
        called,
        target.window,
        target.reserved_output,
        target.reserved_system,
        target.response_format,
        target.overrides,
        target.translation,
        target.sources.body.fields if target.sources is not None else None,
        *(window.start(snapshot) for window in planned.windows),
        protection.task,
        protection.compaction,
        snapshot.preamble,
        inputs.now_ms,
        inputs.tools,
        inputs.available_tools,
    )


def gone_on(planned: Plan, inputs: Inputs, target: Target, table: Table) -> RequestDecision | None:
    """The decision before, with what came since; None where it has to be decided anew."""
    before: KeptDecision | None = table.known("")
    facts = _facts(planned, inputs, target)
    if before is None or before.facts != facts or not _holds(before, inputs):
        return None
    held = _held(inputs.protection)
    freed = [at for at in before.held ^ held if at < before.count]
    newest = before.count - 1
    if planned.redactions and not {newest, *freed}.isdisjoint(before.findings.orders.values()):
        return None  # what had to stay was redacted twice, and is written at the second
    since = min([before.settled, *freed])
    if planned.view == "fold":
        if not begins_alike(before.start, freed, planned, inputs, before.limit):
            return None
        since = max(since, before.start)
    new = _new(before, since, planned, inputs)
    spare = None if new is None else _spare(before.spare, new, inputs)
    if new is None or spare is None:
        return None
    blocks, assembled = _with(new, before.blocks), _with(new, before.assembled.blocks)
    if not (before.assembled.tools or before.assembled.called):
        if any(block.has_calls for block in new):
            return None  # the names of tools are sent from here on
    if planned.view == "fold":
        inputs = msgspec.structs.replace(inputs, start=before.start, folded=[])
        if left_by_fold(assembled, planned, before.limit, before.fixed, inputs) != blocks:
            return None
    tracer = Tracer(inputs.cost, inputs.protection)
    tracer.take(before.findings)
    tracer.limit_steps = before.limit_steps
    if held != before.held and _cut(blocks, tracer, inputs) != before.cut:
        return None
    decision = RequestDecision(
        inputs,
        msgspec.structs.replace(before.assembled, blocks=assembled),
        BudgetState(before.limit, before.fixed, inputs, tracer, before.bare),
        blocks,
        ReceiptRanges(inputs, before.orders),
    )
    table[""] = _to_keep(decision, facts, spare, before.cut)
    return decision


def _holds(before: KeptDecision, inputs: Inputs) -> bool:
    """Whether the session is the one before, as it was, and longer."""
    snapshot, log = inputs.snapshot, inputs.snapshot.log
    return (
        before.log() is log
        and before.state is snapshot.state
        and before.position <= snapshot.position == len(log)
        and before.joins == len(log.late_joins())
        and not snapshot.positions("kind", "summary")
    )


def _held(protection: Protection) -> frozenset[int]:
    return protection.failures | ({protection.question} - {-1})


def _new(before: KeptDecision, since: int, planned: Plan, inputs: Inputs) -> Blocks | None:
    """What the words leave of the exchanges that came since; None where they leave something else
    than before of one that was there, or bring other texts.

    Args:
        since: the first exchange of which they may.
    """
    tracer = Tracer(inputs.cost, inputs.protection)
    alone = msgspec.structs.replace(
        inputs,
        start=since,
        resumes=True,
        asked={},
        used={},
        wrote={},
        notes=[],
        undecided=[],
        stepped={},
    )

    def guard(blocks: Blocks) -> Blocks:
        return guard_again(planned, alone, tracer, blocks)

    brought = run(planned.body, alone, tracer, guard)
    blocks = guard(once(tuple(b for b in brought if b.order < 0 or b.order >= since), alone))
    if _is_collecting(alone) or tracer.notes:
        return None
    # what words say of a new exchange is to be written, and of one that they left as it was, too
    if not set(tracer.orders.values()) <= set(before.findings.orders.values()):
        return None
    texts = tuple(b for b in blocks if b.order < 0 and b.tier != ARCHIVE)
    blocks = in_log_order(_from(since, blocks), alone)
    unsettled = _from(since, before.assembled.blocks)
    new = blocks[len(unsettled) :]
    if blocks[: len(unsettled)] != unsettled or texts != before.texts:
        return None
    return new if _are_whole(new, before.count, alone) else None


def _with(new: Blocks, blocks: Blocks) -> Blocks:
    """The blocks with these behind those of the conversation, and in front of the texts."""
    place = len(blocks)
    while place and not blocks[place - 1].messages:
        place -= 1
    return (*blocks[:place], *new, *blocks[place:])


def _are_whole(new: Blocks, start: int, inputs: Inputs) -> bool:
    """Whether they are all exchanges from `start` on, each of which a request can have."""
    places = range(start, inputs.snapshot.exchange_count)
    return [block.order for block in new] == [*places] and not any(
        block.role == "tool" or block.tier == ARCHIVE for block in new
    )


def _spare(spare: Spare, new: Blocks, inputs: Inputs) -> Spare | None:
    """What is left for others behind these exchanges; None where they are too many, or the first
    is not what it has to be."""
    if not new:
        return spare
    if spare.answers and new[0].role != "assistant":
        return None
    exchanges = inputs.snapshot.exchanges(new[0].order)
    came = inputs.blocks(exchanges, SOURCE)
    # tokens that they take, or would as they came, whichever is more
    taken = sum(map(inputs.cost, new))
    if came != new:
        taken = max(taken, sum(map(inputs.cost, came)))
    return Spare(spare.tokens - taken) if taken <= spare.tokens else None
