"""The note as a block: what stands for the exchanges before a step."""

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import BEHIND_REF, section
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import range_ref
from contextwright.compiler.steps.decide import Decisions, Economy
from contextwright.compiler.steps.file_states import told_files
from contextwright.compiler.steps.forms import entry, forget_entries
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.note import note_of
from contextwright.compiler.steps.note_builder import NoteScope
from contextwright.compiler.steps.note_pages import page_of, pages_line
from contextwright.compiler.steps.note_todos import told_todos
from contextwright.session.event import Text
from contextwright.spec.inputs import Inputs

SOURCE = "earlier"
SAFETY = 24
"""Tokens that are kept free for what joins a note's lines."""
FEW = 128
"""Exchanges up to which a note is made at its step, and counts as what it takes: it may have little
to say. One that stands for more fills its room nearly always."""


def first_noted(decisions: Decisions) -> int:
    """The first exchange that the note stands for; `upto` where there is none."""
    held = set(decisions.held)
    return next((at for at in range(decisions.upto) if at not in held), decisions.upto)


def with_plan(
    blocks: Sequence[Block],
    decisions: Decisions,
    economy: Economy,
    history: History,
    inputs: Inputs,
) -> Decisions:
    """A step with what its note counts as: what it takes, if it stands for few exchanges, and is
    made here; else what it takes at most, and it is made when it is sent. `plan` is None where
    everything is held, and there is no note."""
    plan = decisions.plan
    assert plan is not None
    if decisions.upto <= FEW:
        decisions = with_note(blocks, decisions, economy, history, inputs)
        note = decisions.note
        tokens = inputs.cost(note) + SAFETY if note is not None else 0
    else:
        frame = note_block(blocks, decisions, plan.step, economy, inputs)
        tokens = plan.room + inputs.cost(frame) if frame is not None else 0
    plan = msgspec.structs.replace(plan, tokens=tokens) if tokens else None
    return msgspec.structs.replace(decisions, plan=plan)


def spare(decisions: Decisions) -> int:
    """What the note of a step counts as beyond what it takes."""
    return SAFETY if decisions.note is not None else 0


def pays(blocks: Sequence[Block], decisions: Decisions, inputs: Inputs) -> bool:
    """Whether a note that was made at its step takes less than what it stands for
    (rules.md#it-must-pay); one that stands for many exchanges has no room for more."""
    if decisions.note is None:
        return True
    held, tokens = set(decisions.held), inputs.cost(decisions.note)
    costs = (inputs.cost(blocks[at]) for at in range(decisions.upto) if at not in held)
    return any(total > tokens for total in accumulate(costs))


def with_note(
    blocks: Sequence[Block],
    decisions: Decisions,
    economy: Economy,
    history: History,
    inputs: Inputs,
) -> Decisions:
    """The decisions with the note that was planned, told of what was there at its step."""
    plan = decisions.plan
    if plan is None or decisions.note is not None:
        return decisions
    page = page_of(economy.space)
    forget_entries(inputs, page)
    history.grow(blocks, plan.stop)
    history.repeats.grow(blocks, 0, plan.stop, inputs)
    held = frozenset(decisions.held)
    scope = NoteScope(blocks, plan.stop, decisions.upto, held, history, inputs, page)
    content = note_of(scope, plan.room)
    decisions = msgspec.structs.replace(
        decisions,
        forms=content.forms,
        index=content.index,
        todos=content.todos,
        files=content.files,
    )
    note = note_block(blocks, decisions, plan.step, economy, inputs)
    return msgspec.structs.replace(decisions, note=note)


def told_as(decisions: Decisions, noted: Decisions) -> Decisions:
    """The decisions with the note of others, if they have the same plan for it."""
    if decisions.plan is not noted.plan:
        return decisions
    return msgspec.structs.replace(
        decisions,
        forms=noted.forms,
        index=noted.index,
        todos=noted.todos,
        files=noted.files,
        note=noted.note,
    )


def note_block(
    blocks: Sequence[Block], decisions: Decisions, step: int, economy: Economy, inputs: Inputs
) -> Block | None:
    """What stands for the exchanges before `upto`: a message of its own behind the task, so that
    a new one leaves the instruction's place in a cache alone."""
    first, held = first_noted(decisions), set(decisions.held)
    if first == decisions.upto:
        return None
    last = next(at for at in range(decisions.upto - 1, -1, -1) if at not in held)
    space, page = economy.space, page_of(economy.space)
    lines = [entry(blocks[at], form, inputs, page).text for at, form in decisions.forms]
    lines += told_todos(decisions.todos, blocks, page, inputs)
    lines += told_files(decisions.files, blocks, decisions.upto, inputs.count)
    if decisions.index:
        lines.append("[Also named there: " + " ".join(word for word, _ in decisions.index) + "]")
    shown = {*held, *(at for at, _ in decisions.forms)}
    if line := pages_line(blocks, decisions.upto, decisions.pages, space, inputs, shown):
        lines.append(line)
    ref = range_ref(blocks[first].lineage[0], blocks[last].lineage[-1])
    text = section("\n".join(lines) or BEHIND_REF, source=SOURCE, ref=ref, sign=inputs.sign)
    count = decisions.upto - sum(at < decisions.upto for at in decisions.held)
    return Block(
        id=f"{SOURCE}/{blocks[first].lineage[0]}",
        source=SOURCE,
        layer=Layer.CONVERSATION,
        messages=(Message("user", (Text(text=text),)),),
        cache=CacheClass.SESSION,
        fidelity=Fidelity.SUMMARIZED,
        ref=ref,
        why=f"step {step}: {count} exchanges in one note",
    )
