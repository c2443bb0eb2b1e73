"""The steps of a conversation, one after the other, as its requests were made.

A request was made in front of every message of the assistant; so the steps follow from the log
alone, and a replay takes the same ones. A memo remembers how far they were taken: a request costs
what is new.
"""

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import section
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.protection import protection_of
from contextwright.blocks.ref import range_ref
from contextwright.compiler.steps.decide import (
    NOTHING,
    Decisions,
    Economy,
    exchange_at,
    plan_fold,
    plan_shrink,
)
from contextwright.compiler.steps.forms import entry
from contextwright.compiler.steps.usage import Superseded
from contextwright.compiler.task_framing import with_short_task
from contextwright.session.event import Text
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import FoldHistory

SOURCE = "earlier"
OFTEN = 16
"""Whether shortening early pays is looked at whenever a sixteenth of the exchanges is new."""
SAFETY = 24
"""Tokens that are kept free for what joins a note's lines."""
SHARE = 10
"""Percent of the space by which the room for texts grows."""


class Taken(msgspec.Struct):
    """How far the steps were taken: the exchanges, the decisions at each request, and which
    exchanges later ones hold."""

    blocks: Blocks = ()
    at: list[int] = []
    decisions: list[Decisions] = []
    repeats: Superseded = msgspec.field(default_factory=Superseded)


class Counted(msgspec.Struct):
    """Tokens of what was counted under these decisions, and how far."""

    repeats: Superseded
    decisions: Decisions | None = None
    at: int = 0
    total: int = 0


def stepped(blocks: Blocks, stage: FoldHistory, space: int, limit: int, inputs: Inputs) -> Blocks:
    """The blocks as the steps so far leave them.

    Args:
        stage: how far a step goes down, and whether results are shortened early.
        space: tokens that all of them may have.
        limit: tokens of the whole request.
    """
    conversation = tuple(block for block in blocks if block.messages)
    texts = tuple(block for block in blocks if not block.messages)
    space = _remaining(sum(map(inputs.cost, texts)), space)
    if sum(map(inputs.cost, conversation)) > space:
        conversation = with_short_task(conversation, limit, inputs)
    if not conversation or space <= 0:
        return blocks
    economy = Economy(space, stage.low, stage.eager)
    decisions = _decisions(conversation, economy, inputs)
    return (*_conversation(conversation, decisions, inputs), *texts)


def _remaining(texts: int, space: int) -> int:
    """What texts leave. They take their room in whole shares, so that a state that changes by a
    few tokens from turn to turn moves no step; where that leaves nothing, just what they are."""
    share = max(1, space * SHARE // 100)
    rounded = -(-texts // share) * share
    return space - (rounded if rounded < space else texts)


def _decisions(conversation: Blocks, economy: Economy, inputs: Inputs) -> Decisions:
    # what an exchange costs depends on the target's format too, which `cost` stands for
    table = inputs.memo.table(("steps", economy, inputs.counter_id, inputs.cost))
    taken = table.setdefault("taken", Taken((), [], []))
    same = _common(taken.blocks, conversation)
    taken.repeats.forget(same)
    while taken.at and taken.at[-1] > same:
        taken.at.pop()
        taken.decisions.pop()
    taken.blocks = conversation
    start = taken.at[-1] if taken.at else 0
    decisions = taken.decisions[-1] if taken.decisions else NOTHING
    counted = Counted(taken.repeats)
    for place in range(start + 1, len(conversation)):
        if conversation[place].role == "assistant":
            decisions = _next(conversation[:place], decisions, economy, inputs, counted)
            taken.at.append(place)
            taken.decisions.append(decisions)
    return _next(conversation, decisions, economy, inputs, counted)


def _common(one: Blocks, other: Blocks) -> int:
    same = 0
    for left, right in zip(one, other, strict=False):
        if left is not right and left != right:
            break
        same += 1
    return same


def _next(
    blocks: Blocks, decisions: Decisions, economy: Economy, inputs: Inputs, counted: Counted
) -> Decisions:
    """The decisions for one request."""
    if _tokens(blocks, decisions, inputs, counted) > economy.space:
        held = _held(blocks, inputs)
        made = plan_fold(blocks, held, decisions, economy, counted.repeats, inputs)
        made = msgspec.structs.replace(made, checked=len(blocks))
        with_note = msgspec.structs.replace(made, note=_note(blocks, made, inputs))
        most, repeats = economy.space, counted.repeats
        fits = _tokens(blocks, with_note, inputs, Counted(repeats)) - SAFETY <= most
        # a note gives way to the newest result, where that is what it takes
        stays = fits or _tokens(blocks, made, inputs, Counted(repeats)) > most
        return with_note if stays else made
    new = len(blocks) - decisions.checked
    if economy.eager and new * OFTEN > len(blocks) - decisions.upto:
        made = plan_shrink(blocks, decisions, economy, counted.repeats, inputs) or decisions
        return msgspec.structs.replace(made, checked=len(blocks))
    return decisions


def _tokens(blocks: Blocks, decisions: Decisions, inputs: Inputs, counted: Counted) -> int:
    """Tokens of a request; costs what is new since the same decisions were counted last."""
    if counted.decisions is not decisions:
        note = inputs.cost(decisions.note) + SAFETY if decisions.note is not None else 0
        counted.decisions, counted.at = decisions, decisions.upto
        counted.total = note + sum(
            inputs.cost(blocks[at]) for at in decisions.held if at < decisions.upto
        )
    while counted.at < len(blocks):
        counted.total += inputs.cost(exchange_at(blocks, counted.at, decisions, inputs))
        counted.at += 1
    return counted.total


def _held(blocks: Blocks, inputs: Inputs) -> frozenset[int]:
    """Places of what was protected when the request was made that ended with these exchanges;
    what the system said in between stays as well. Results that just came have their own place."""
    snapshot = inputs.snapshot
    last = snapshot.exchanges(blocks[-1].order, blocks[-1].order + 1)[0]
    then = msgspec.structs.replace(snapshot, position=last.positions[-1] + 1)
    protection = protection_of(then)
    newest = len(blocks) - 1
    return frozenset(
        at
        for at, block in enumerate(blocks)
        if (block.role == "system" or protection.keep_reason(block))
        and (at < newest or not block.results or block.pinned or block.tier == 1)
    )


def _conversation(blocks: Blocks, decisions: Decisions, inputs: Inputs) -> Blocks:
    """What stands in front of the first exchange that is told, the task above all, keeps its
    place: a new note leaves its bytes alone."""
    held = [at for at in decisions.held if at < decisions.upto]
    first = next((at for at in range(decisions.upto) if at not in decisions.held), decisions.upto)
    note = (decisions.note,) if decisions.note is not None else ()
    newer = tuple(
        exchange_at(blocks, at, decisions, inputs) for at in range(decisions.upto, len(blocks))
    )
    front = tuple(blocks[at] for at in held if at < first)
    return (*front, *note, *(blocks[at] for at in held if at > first), *newer)


def _note(blocks: Blocks, decisions: Decisions, inputs: Inputs) -> Block | None:
    """What stands for the exchanges before `upto`: a message of its own behind the task, so that
    a new one leaves the instruction's place in a cache alone."""
    noted = [at for at in range(decisions.upto) if at not in decisions.held]
    if not noted:
        return None
    lines = [entry(blocks[at], form, inputs).text for at, form in decisions.forms]
    if decisions.index:
        lines.append("[Also named there: " + " ".join(decisions.index) + "]")
    lineage = tuple(id for at in noted for id in blocks[at].lineage)
    ref = range_ref(lineage[0], lineage[-1])
    text = section(
        "\n".join(lines) or "(in full behind the ref)", source=SOURCE, ref=ref, sign=inputs.sign
    )
    return Block(
        id=f"{SOURCE}/{lineage[0]}",
        source=SOURCE,
        layer=Layer.CONVERSATION,
        messages=(Message("user", (Text(text=text),)),),
        cache=CacheClass.SESSION,
        fidelity=Fidelity.SUMMARIZED,
        ref=ref,
        lineage=lineage,
        why=f"step {decisions.steps}: {len(noted)} exchanges in one note",
    )
