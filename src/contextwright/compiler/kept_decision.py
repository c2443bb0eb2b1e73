"""A decision that goes on: in a session that only grows, most requests are the one before and what
came since (rules.md#horizon).

What a compile decided is kept. At the next one the words are asked again about the exchanges that
had not settled then. Where they say of them what they said, nothing has moved that the others
depend on, and the limit has room for what is new without another step, the decision is the one
before with the new exchanges behind it. Where a window moved on, or they leave something else of
what has settled since, the limit alone decides anew, of what the request before could hold without
what left, and of what the words leave now. Anything else is decided as if nothing was kept.
"""

from operator import attrgetter
from weakref import ref

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.blocks.protection import Protection
from contextwright.compiler.assemble import ARCHIVE, LIVE_EDGE, Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change_ranges import LimitDrop, ReceiptRanges
from contextwright.compiler.kept_fold import begins_alike, left_by_fold
from contextwright.compiler.left_out import spare_tokens, without_lines
from contextwright.compiler.limited_again import (
    Worded,
    limited_again,
    with_words,
    without_left,
)
from contextwright.compiler.manifest import Range
from contextwright.compiler.new_words import (
    NewWords,
    are_whole,
    is_collecting,
    with_newest,
    words_since,
)
from contextwright.compiler.overflow import Spare
from contextwright.compiler.plan import Plan
from contextwright.compiler.request_decision import RequestDecision, decided
from contextwright.compiler.trace import Tracer
from contextwright.compiler.trace_findings import Findings
from contextwright.compiler.word_left import KeptAnswers, kept_answers
from contextwright.memo.owned_tables import Table
from contextwright.memo.sizes import measured_by
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.state import State
from contextwright.spec.inputs import Inputs

_ENTRY, _MESSAGES = attrgetter("id", "step", "source"), attrgetter("messages")
PLACE = 8
"""Bytes of a block's place; the blocks are counted where they were made."""


class KeptDecision(msgspec.Struct, frozen=True, eq=False):
    """A decision, without what would hold its session.

    Args:
        log: of the session. facts: what all of it depends on. state: the session's, then.
        position: of the log, then. count: of its exchanges. joins: results that had come late.
        settled: the first exchange that had not settled.
        held: exchanges that had to stay, and some day need not: the newest user message, and
            those with open failures.
        texts: what stands beside the conversation.
        limit, fixed, bare, markers, lines: of the space. spare: what exchanges to come may have.
        findings: what is written of it. limit_steps: of the limit so far. orders: of its ranges.
        cut: the oldest exchange that stands because of its age. seen: the newest that was looked at
            for it. edge: the first of the live edge then. start: where its compile began.
        answers: those that the limit was given. stepped: the steps that words had taken.
        windows: where each window begins. worded: what was written of it before the limit.
        left_out: of its exchanges, as of `RequestDecision`.
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
    texts: Blocks
    limit: int
    fixed: int
    bare: int
    markers: int
    lines: int
    spare: Spare
    findings: Findings
    limit_steps: int
    orders: dict[str, int]
    cut: int
    seen: int
    edge: int
    start: int
    answers: KeptAnswers
    stepped: dict[object, int]
    windows: tuple[int, ...]
    worded: Findings
    left_out: tuple[Range, ...]


def _bytes(before: KeptDecision) -> int:
    return PLACE * (len(before.blocks) + len(before.assembled.blocks) + len(before.orders))


measured_by(KeptDecision, _bytes)


def keep(
    decision: RequestDecision,
    planned: Plan,
    target: Target,
    table: Table,
    facts: tuple[object, ...] | None = None,
) -> None:
    """Keep a decision that the next one may go on from; nothing where it may not.

    Args:
        facts: what it depends on, where that is known.
    """
    table.pop("", None)
    inputs, tracer = decision.inputs, decision.room.tracer
    if is_collecting(inputs) or tracer.notes:
        return
    if LIVE_EDGE in map(attrgetter("source"), decision.blocks):
        return  # it stands there because it was newest
    spare = spare_tokens(decision.room, decision.assembled, decision.blocks, planned)
    cut, seen = _cut(decision.blocks, tracer, inputs)
    if spare.tokens < 0 or cut >= inputs.protection.edge or inputs.snapshot.has_summaries:
        return
    facts = facts or _facts(planned, inputs, target)
    if facts is None or _asks_of_the_newest(planned, inputs):
        return
    room, snapshot = decision.room, inputs.snapshot
    table[""] = KeptDecision(
        log=ref(snapshot.log),
        facts=facts,
        state=snapshot.state,
        position=snapshot.position,
        count=snapshot.exchange_count,
        joins=snapshot.log.joins,
        settled=inputs.settled,
        held=_held(inputs.protection),
        assembled=decision.assembled,
        blocks=decision.blocks,
        texts=tuple([block for block in decision.assembled.blocks if block.order < 0]),
        limit=room.limit,
        fixed=room.fixed,
        markers=room.markers,
        bare=room.bare,
        lines=room.lines,
        spare=spare,
        findings=tracer.findings(),
        limit_steps=tracer.limit_steps,
        orders=decision.ranges.orders,
        cut=cut,
        seen=seen,
        edge=inputs.protection.edge,
        start=inputs.start,
        answers=kept_answers({**inputs.used}, inputs),
        stepped={**inputs.stepped},
        windows=inputs.windows,
        worded=decision.worded,
        left_out=decision.left_out,
    )


def _asks_of_the_newest(planned: Plan, inputs: Inputs) -> bool:
    """Whether words took answers of models for what is looked at again at the next request, such
    as a question's premises: the receipt of what goes on would name them for ever."""
    return bool(inputs.used) and words_since(inputs.settled, planned, inputs) is None


def _cut(blocks: Blocks, tracer: Tracer, inputs: Inputs) -> tuple[int, int]:
    """The oldest exchange that stands because of its age, and the newest that tells so."""
    stage, now = tracer.limit_drop, inputs.protection
    if stage is None:
        return -1, -1
    drop = LimitDrop(stage, blocks, tracer.summarized)
    cut = drop.cut(now)
    return cut, drop.seen(cut, now)


def _facts(planned: Plan, inputs: Inputs, target: Target) -> tuple[object, ...] | None:
    """What all that a decision holds depends on, beside the session's exchanges and its state, and
    what a block costs; None where a word may leave anything of what has settled."""
    snapshot, protection = inputs.snapshot, inputs.protection
    standing = tuple([word.stands_by(inputs) for word in planned.standing])
    if None in standing:
        return None
    called = () if inputs.tools else snapshot.log.called_tools(snapshot.position)
    return (
        *standing,
        called,
        target.window,
        target.reserved_output,
        target.reserved_system,
        target.response_format,
        target.overrides,
        target.translation,
        target.sources.body.fields if target.sources is not None else None,
        protection.task,
        protection.compaction,
        protection.handover,
        protection.standing,
        snapshot.preamble,
        inputs.now_ms,
        inputs.tools,
        inputs.available_tools,
    )


def gone_on(planned: Plan, inputs: Inputs, target: Target, table: Table) -> RequestDecision | None:
    """The decision before, with what came since; None where it has to be decided anew."""
    before: KeptDecision | None = table.known("")
    if before is None or not _holds(before, inputs):
        return None
    facts = _facts(planned, inputs, target)
    if facts is None or before.facts != facts or not before.answers.hold(inputs):
        return None
    held = _held(inputs.protection, before.held)
    freed = [at for at in before.held ^ held if at < before.count]
    newest = before.count - 1
    if planned.redactions and not {newest, *freed}.isdisjoint(before.findings.orders.values()):
        return None  # what had to stay was redacted twice, and is written at the second
    windows = inputs.windows
    floor = min(windows, default=0) if planned.slides else 0
    moved = [
        max(old, floor)
        for old, new in zip(before.windows, windows, strict=True)
        if new > max(old, floor)
    ]
    since = min([before.settled, *freed, *moved])
    if planned.view == "fold":
        if not begins_alike(before.start, freed, planned, inputs, before.limit):
            return None
        since = max(since, before.start)
    words = words_since(since, planned, inputs)
    if words is None or words.stepped != before.stepped:
        return None
    if windows == before.windows:
        same = _as_before(before, words, held, planned, inputs)
        if same is not None:
            decision, spare = same
            table[""] = msgspec.structs.replace(
                before,
                position=inputs.snapshot.position,
                count=inputs.snapshot.exchange_count,
                settled=inputs.settled,
                held=held,
                assembled=decision.assembled,
                blocks=decision.blocks,
                spare=spare,
            )
            return decision
    if since < before.start or _is_step_due(before, words, windows, planned, inputs):
        return None
    if planned.view == "step" and not begins_alike(
        before.start, freed, planned, inputs, before.limit
    ):
        return None  # behind a step it is given less
    decision = _limited_anew(before, words, floor, planned, inputs, target)
    if decision is not None:
        keep(decision, planned, target, table, facts)
    return decision


def _as_before(
    before: KeptDecision,
    words: NewWords,
    held: frozenset[int],
    planned: Plan,
    inputs: Inputs,
) -> tuple[RequestDecision, Spare] | None:
    """The decision before with the new exchanges behind it, and what is left for others; None where
    words leave something else of one that was there, or the limit may decide something."""
    new = _new(before, words, inputs)
    came = new if words.are_raw else None
    spare = None if new is None else _spare(before.spare, new, inputs, came)
    if new is None or spare is None:
        return None
    blocks = with_newest(before.blocks, new)
    assembled = with_newest(before.assembled.blocks, new)
    if not (before.assembled.tools or before.assembled.called):
        if any(block.has_calls for block in new):
            return None  # the names of tools are sent from here on
    if planned.folds:
        inputs = msgspec.structs.replace(inputs, start=before.start, folded=[])
        fixed = before.fixed + before.lines
        left = left_by_fold(assembled, planned, before.limit, fixed, inputs)
        if left != without_lines(blocks):
            return None
    tracer = Tracer(inputs.cost, inputs.protection)
    tracer.take(before.findings)
    tracer.limit_steps = before.limit_steps
    if held is not before.held and min([before.edge, *(before.held ^ held)]) <= before.seen:
        if _cut(blocks, tracer, inputs) != (before.cut, before.seen):
            return None
    inputs.used.update(before.answers.used)
    inputs.stepped.update(before.stepped)
    decision = RequestDecision(
        inputs,
        msgspec.structs.replace(before.assembled, blocks=assembled),
        _room(before, inputs, tracer, lines=before.lines),
        blocks,
        ReceiptRanges(inputs, before.orders),
        before.worded,
        before.left_out,  # what is new is sent
    )
    return decision, spare


def _new(before: KeptDecision, words: NewWords, inputs: Inputs) -> Blocks | None:
    """The exchanges that came since; None where the words leave something else than before of one
    that was there, or bring other texts."""
    if not words.are_raw and not _is_written(before, words.findings):
        return None
    unsettled = _newest_from(words.since, before.assembled.blocks)
    new = words.blocks[len(unsettled) :]
    texts = tuple([block for block in words.texts if block.tier != ARCHIVE])
    if words.blocks[: len(unsettled)] != unsettled or texts != before.texts:
        return None
    return new if are_whole(new, before.count, inputs) else None


def _is_written(before: KeptDecision, findings: Findings) -> bool:
    """Whether there are entries of all that words wrote: what they say of a new exchange is to be
    written, and of one that they left as it was, too."""
    if not set(findings.orders.values()) <= set(before.findings.orders.values()):
        return False
    # else another word did something to one of which there is an entry
    return set(map(_ENTRY, findings.changes)) <= set(map(_ENTRY, before.worded.changes))


def _newest_from(since: int, blocks: Blocks) -> Blocks:
    """The exchanges from one on, of blocks that stand in the order of the log: looked for from
    their end. Where they stand otherwise, some may be missing, and nothing goes on."""
    place = len(blocks)
    while place and not 0 <= blocks[place - 1].order < since:
        place -= 1
    return tuple([block for block in blocks[place:] if block.order >= since])


def _is_step_due(
    before: KeptDecision,
    words: NewWords,
    windows: tuple[int, ...],
    planned: Plan,
    inputs: Inputs,
) -> bool:
    """Whether the limit may take a step, for which a compile looks no further back than it has to;
    what leaves a window of what it holds whole gives room. A fold begins where it did."""
    if planned.folds or (windows != before.windows and not before.limit_steps):
        return False
    new = tuple([block for block in words.blocks if block.order >= before.count])
    return _spare(before.spare, new, inputs) is None


def _limited_anew(
    before: KeptDecision,
    words: NewWords,
    floor: int,
    planned: Plan,
    inputs: Inputs,
    target: Target,
) -> RequestDecision | None:
    """What the limit leaves where windows moved, or words leave something else of what was there;
    None where it takes another step.

    Args:
        floor: the first exchange that a window has, where nothing else brings any.
    """
    first = min(before.windows, default=0)
    worded = Worded(before.assembled, before.worded, before.count, before.start)
    stays = without_left(worded, first, floor, inputs)
    worded = None if stays is None else with_words(stays, words, planned, inputs)
    if worded is None:
        return None
    room = _room(before, inputs, Tracer(inputs.cost, inputs.protection))
    fitted = limited_again(worded, room, planned, inputs, target)
    if fitted is None or fitted.room.tracer.limit_steps != before.limit_steps:
        return None
    fitted.inputs.stepped.update(before.stepped)
    return decided(planned, fitted)


def _room(before: KeptDecision, inputs: Inputs, tracer: Tracer, lines: int = 0) -> BudgetState:
    """The space there was, of which nothing is decided yet."""
    space = before.limit, before.fixed, inputs, tracer, before.bare, before.markers
    return BudgetState(*space, lines=lines)


def _holds(before: KeptDecision, inputs: Inputs) -> bool:
    """Whether the session is the one before, as it was, and longer."""
    snapshot, log = inputs.snapshot, inputs.snapshot.log
    return (
        before.log() is log
        and before.state is snapshot.state
        and before.position <= snapshot.position == len(log)
        and before.joins == log.joins
        and not inputs.protection.summaries
    )


def _held(protection: Protection, before: frozenset[int] = frozenset()) -> frozenset[int]:
    """The same object as before, where it says the same."""
    question = protection.question
    held = protection.failures if question < 0 else protection.failures | {question}
    return before if held == before else held


def _spare(spare: Spare, new: Blocks, inputs: Inputs, came: Blocks | None = None) -> Spare | None:
    """What is left for others behind these exchanges; None where they are too many, or the first
    is not what it has to be.

    Args:
        came: the same as the log has them, where that is known.
    """
    if not new:
        return spare
    if spare.answers and new[0].role != "assistant":
        return None
    if came is None:
        came = inputs.memo.blocks(inputs.snapshot.exchanges(new[0].order))
    # tokens that they take, or would as they came, whichever is more
    taken = sum(map(inputs.cost, new))
    if came is not new and [*map(_MESSAGES, came)] != [*map(_MESSAGES, new)]:
        taken = max(taken, sum(map(inputs.cost, came)))
    turns = spare.turns
    if turns is not None:
        if taken > turns and any(block.by_user for block in came):
            return None
        turns -= taken
    return Spare(spare.tokens - taken, turns=turns) if taken <= spare.tokens else None
