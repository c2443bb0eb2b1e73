"""What a manifest is written from: all that came of a compile, and nothing that holds its session's
log."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change import Change, StepTrace
from contextwright.compiler.lasting_facts import LastingFacts, lasting_facts
from contextwright.compiler.manifest import Range
from contextwright.compiler.plan import Plan
from contextwright.compiler.trace import Tracer
from contextwright.render.insertion import Insertion
from contextwright.render.message_layout import Layout
from contextwright.render.renderer import Rendered
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import State
from contextwright.spec.memo import Memo
from contextwright.spec.saved_fold import SavedFold
from contextwright.spec.task import Answer
from contextwright.tasks.allocation import Allocation
from contextwright.tokens.counter import Counter
from contextwright.tokens.model_rules import ReasoningProfile

if TYPE_CHECKING:
    from contextwright.compiler.spec_compiler import SpecCompiler


class CompileResult(msgspec.Struct, frozen=True, eq=False):
    """What came of it."""

    snapshot: Snapshot
    target: Target
    planned: Plan
    assembled: Assembled
    blocks: Blocks
    layout: Layout
    rendered: Rendered
    tokens: int
    room: BudgetState
    left_out: tuple[Range, ...]


class ManifestDraft(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What a manifest is written from: all that came of a compile, and nothing that holds its
    session's log."""

    compiler: "SpecCompiler"
    session_id: str
    position: int
    state: State
    target: Target
    planned: Plan
    lasting: LastingFacts
    system: Blocks
    blocks: Blocks
    conversation: Blocks
    reasoning: ReasoningProfile
    inserted: tuple[Insertion, ...]
    body: bytes
    tokens: int
    bare: int
    allocation: Allocation | None
    signals: Mapping[str, int]
    memo: Memo
    cost: Callable[[Block], int]
    markers: Callable[[Blocks], int]
    clean_name: Callable[[str], str]
    shows_refs: bool
    answers: tuple[Answer, ...]
    folds: tuple[SavedFold, ...]
    changes: tuple[Change, ...]
    left_out: tuple[Range, ...]
    notes: tuple[str, ...]
    limit_steps: int
    steps: tuple[StepTrace, ...]

    def __repr__(self) -> str:
        # not the fields: they hold what was said
        return f"<ManifestDraft: {self.target.model}, {self.tokens:,} tokens>"

    @property
    def fixed_tokens(self) -> int:
        """Tokens of what is no block."""
        return min(self.bare, self.tokens) if self.blocks else self.tokens


def draft_of(
    built: CompileResult, tracer: Tracer, body: bytes, compiler: "SpecCompiler"
) -> ManifestDraft:
    """What the manifest of a request is written from, of which `body` is the JSON."""
    snapshot, target, room, assembled = built.snapshot, built.target, built.room, built.assembled
    inputs, state = room.inputs, snapshot.state
    memo, planned, limit = inputs.memo, built.planned, room.limit
    notes = *compiler.notes, *assembled.notes, *tracer.notes
    return ManifestDraft(
        compiler=compiler,
        session_id=snapshot.session_id,
        position=snapshot.position,
        state=state,
        target=target,
        planned=planned,
        lasting=lasting_facts(
            compiler.spec, planned, target, assembled, built.layout, state, limit, memo
        ),
        system=assembled.system,
        blocks=built.blocks,
        conversation=built.layout.conversation,
        reasoning=target.reasoning,
        inserted=built.rendered.inserted,
        body=body,
        tokens=built.tokens,
        bare=room.bare,
        allocation=room.allocation,
        signals=room.signals,
        memo=memo,
        cost=inputs.cost,
        markers=inputs.markers,
        clean_name=inputs.clean_name,
        shows_refs=inputs.shows_refs,
        answers=tuple(inputs.used.values()),
        folds=tuple(inputs.folded),
        changes=tuple(tracer.changes),
        left_out=built.left_out,
        # a word that looks again at what came further back says the same again
        notes=tuple(dict.fromkeys(notes)) if notes else (),
        limit_steps=tracer.limit_steps + sum(inputs.stepped.values()),
        steps=tuple(tracer.steps),
    )


def may_wait(built: CompileResult) -> bool:
    """Whether a manifest says the same whenever it is written: redactions and counters may be an
    application's own, a body's source holds its session, and what a step is comes out of a state's
    values."""
    planned, target = built.planned, built.target
    if target.sources is not None or type(target.counter) is not Counter:
        return False
    return not (planned.every_redaction or planned.step_key)
