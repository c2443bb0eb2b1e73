"""A decision that goes on: in a session that only grows, most requests are the one before and what
came since (rules.md#horizon).

What a compile decided is kept. At the next one the words are asked again about the exchanges that
had not settled then. Where they say of them what they said, nothing has moved that the others
depend on, and the limit has room for what is new without another step, the decision is the one
before with the new exchanges behind it. Anything else is decided as if nothing was kept.
"""

from collections.abc import Iterable
from operator import attrgetter
from weakref import ref

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.assemble import (
    ARCHIVE,
    LIVE_EDGE,
    Assembled,
    in_log_order,
    once,
)
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change_ranges import LimitDrop, ReceiptRanges
from contextwright.compiler.left_out import spare_tokens
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
        settled: the first exchange that had not settled. unsettled: those, as the words left them.
        question: the newest user message. failures: exchanges with open failures.
        limit, fixed, bare: of the space. spare: tokens of exchanges to come, before the limit
            decides again.
        findings: what is written of it. limit_steps: of the limit so far. orders: of its ranges.
        cut: the oldest exchange that stands because of its age.
    """

    log: ref[Log]
    facts: tuple[object, ...]
    state: State
    position: int
    count: int
    joins: int
    settled: int
    unsettled: Blocks
    question: int
    failures: frozenset[int]
    assembled: Assembled
    blocks: Blocks
    limit: int
    fixed: int
    bare: int
    spare: int
    findings: Findings
    limit_steps: int
    orders: dict[str, int]
    cut: int


def _bytes(before: KeptDecision) -> int:
    return PLACE * (len(before.blocks) + len(before.assembled.blocks) + len(before.orders))


measured_by(KeptDecision, _bytes)


def table_of(planned: Plan, limit: int, inputs: Inputs) -> Table:
    """Where the newest decision of a spec is kept."""
    return inputs.memo.table(("decision", planned.body, planned.terminal, limit, inputs.cost_id))


def keep(decision: RequestDecision, planned: Plan, target: Target, table: Table) -> None:
    """Keep a decision that the next one may go on from; nothing where it may not."""
    table.pop("", None)
    inputs, tracer = decision.inputs, decision.room.tracer
    if _is_collecting(inputs) or tracer.notes or not _may_go_on(decision.blocks):
        return
    spare = spare_tokens(decision.room, decision.assembled, decision.blocks, planned, target)
    cut = _cut(decision.blocks, tracer, inputs)
    if spare < 0 or cut >= inputs.protection.edge or inputs.snapshot.positions("kind", "summary"):
        return
    table[""] = _to_keep(decision, planned, target, spare, cut)


def _to_keep(
    decision: RequestDecision, planned: Plan, target: Target, spare: int, cut: int
) -> KeptDecision:
    inputs, room, blocks = decision.inputs, decision.room, decision.assembled.blocks
    snapshot, protection = inputs.snapshot, inputs.protection
    return KeptDecision(
        log=ref(snapshot.log),
        facts=_facts(planned, inputs, target),
        state=snapshot.state,
        position=snapshot.position,
        count=snapshot.exchange_count,
        joins=len(snapshot.log.late_joins()),
        settled=inputs.settled,
        unsettled=_from(inputs.settled, blocks),
        question=protection.question,
        failures=protection.failures,
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
    )


def _is_collecting(inputs: Inputs) -> bool:
    """Whether a word asked a model, wrote, took a step or had something to tell."""
    collected = inputs.asked, inputs.used, inputs.wrote, inputs.notes, inputs.stepped
    return any(collected) or bool(inputs.folded)


def _may_go_on(blocks: Blocks) -> bool:
    """Whether all of it is of the conversation, and nothing stands there because it was newest."""
    texts = any(block.order < 0 and not block.messages for block in blocks)
    return not texts and LIVE_EDGE not in map(attrgetter("source"), blocks)


def _from(start: int, blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if block.order >= start)


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
    if before is None or not _holds(before, planned, inputs, target):
        return None
    new = _new(before, planned, inputs)
    spare = -1 if new is None else before.spare - _tokens(new, inputs)
    if new is None or spare < 0:
        return None
    blocks, assembled = (*before.blocks, *new), (*before.assembled.blocks, *new)
    if not (before.assembled.tools or before.assembled.called):
        if any(block.has_calls for block in new):
            return None  # the names of tools are sent from here on
    tracer = Tracer(inputs.cost, inputs.protection)
    tracer.take(before.findings)
    tracer.limit_steps = before.limit_steps
    if inputs.protection.question != before.question and _cut(blocks, tracer, inputs) != before.cut:
        return None
    decision = RequestDecision(
        inputs,
        msgspec.structs.replace(before.assembled, blocks=assembled),
        BudgetState(before.limit, before.fixed, inputs, tracer, before.bare),
        blocks,
        ReceiptRanges(inputs, before.orders),
    )
    table[""] = _to_keep(decision, planned, target, spare, before.cut)
    return decision


def _holds(before: KeptDecision, planned: Plan, inputs: Inputs, target: Target) -> bool:
    """Whether nothing has moved that what had settled then depends on."""
    snapshot, protection = inputs.snapshot, inputs.protection
    log, question = snapshot.log, protection.question
    return (
        before.log() is log
        and before.state is snapshot.state
        and before.position <= snapshot.position == len(log)
        and before.joins == len(log.late_joins())
        and before.facts == _facts(planned, inputs, target)
        and (question == before.question or before.question >= before.settled)
        and before.failures == frozenset(at for at in protection.failures if at < before.count)
        and not snapshot.positions("kind", "summary")
    )


def _new(before: KeptDecision, planned: Plan, inputs: Inputs) -> Blocks | None:
    """What the words leave of the exchanges that came since; None where they leave something else
    than before of one that had not settled."""
    tracer = Tracer(inputs.cost, inputs.protection)
    alone = msgspec.structs.replace(
        inputs,
        start=before.settled,
        asked={},
        used={},
        wrote={},
        notes=[],
        undecided=[],
        stepped={},
    )
    brought = run(planned.body, alone, tracer, lambda blocks: blocks)
    if (
        _is_collecting(alone)
        or tracer.notes
        or max(tracer.orders.values(), default=-1) >= before.count
    ):
        return None
    blocks = in_log_order(once(_from(before.settled, brought), inputs), inputs)
    known = len(before.unsettled)
    new = blocks[known:]
    if blocks[:known] != before.unsettled or not _are_whole(new, before.count, inputs):
        return None
    return new


def _are_whole(new: Blocks, start: int, inputs: Inputs) -> bool:
    """Whether they are all exchanges from `start` on, each of which a request can have."""
    places = range(start, inputs.snapshot.exchange_count)
    return [block.order for block in new] == [*places] and all(
        block.role != "tool" and block.tier != ARCHIVE for block in new
    )


def _tokens(new: Iterable[Block], inputs: Inputs) -> int:
    """Tokens that exchanges take, or would as they came, whichever is more."""
    exchanges = [inputs.snapshot.exchanges(block.order, block.order + 1)[0] for block in new]
    came = sum(map(inputs.cost, inputs.blocks(exchanges, SOURCE)))
    return max(came, sum(map(inputs.cost, new)))
