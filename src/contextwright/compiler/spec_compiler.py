"""From a snapshot to a pack. `compile_pack` reads top to bottom; everything it calls is pure."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import msgspec

from contextwright.blocks.protection import protection_of
from contextwright.blocks.resolve import RefSources, read_ref
from contextwright.compiler.assemble import assemble
from contextwright.compiler.block_cost import Presentation, costs_of
from contextwright.compiler.build_manifest import receipt_of, written_manifest
from contextwright.compiler.call_setup import CallSetup, setup_for, setup_of
from contextwright.compiler.compile_notes import model_notes, tool_notes
from contextwright.compiler.going_on import assembled_now, room_now, snapshot_then, with_newer
from contextwright.compiler.horizon import starts_of
from contextwright.compiler.idle_exchanges import are_gone, idle_exchanges
from contextwright.compiler.kept_decision import gone_on, keep
from contextwright.compiler.layout import layout_of
from contextwright.compiler.lost_prefix import lost_piece
from contextwright.compiler.manifest_draft import CompileResult, draft_of, may_wait
from contextwright.compiler.of_body import expect_valid, without_sources
from contextwright.compiler.pack import Pack, encoded, known_request
from contextwright.compiler.plan import Plan, known_plan
from contextwright.compiler.prefix import earlier_writes, shared_prefix
from contextwright.compiler.receiver import receiver_of
from contextwright.compiler.request_decision import (
    Fitted,
    RequestDecision,
    decided,
    exchanges_left_out,
    fitted_in,
    is_enough,
    oldest_of,
)
from contextwright.compiler.request_room import room_of
from contextwright.compiler.token_sums import tokens_of_all
from contextwright.compiler.trace import Tracer
from contextwright.compute_gate import holding
from contextwright.errors import BudgetError, RenderError
from contextwright.memo.ownership import remembering
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Inputs, Memo
from contextwright.spec.saved_fold import SavedFold, SavedPrefix, newest_prefix, saved_folds
from contextwright.spec.task import NO_ANSWERS, Answers, AskedTasks, TakenAnswers
from contextwright.spec.traits import View

_RESUMPTIONS: frozenset[View] = frozenset({"fold", "step"})
"""How specs look that know what lies before where a compile begins."""
_FRESH_STARTS: frozenset[View] = frozenset({"fold", "step", "least", "near"})
"""How specs look whose compiles begin where they would without a memory: what is asked about, and
so what an answer is kept for, is what is looked at."""


class Compiler(Protocol):
    """The only thing that a driver depends on."""

    def compile(self, snapshot: Snapshot, target: Target) -> Pack:
        """The pack for the next call."""
        ...


class PendingTasks(msgspec.Struct, eq=False):
    """What a compile asks of the moments around it.

    Args:
        asked: tasks that have no answer yet, by fingerprint.
        wrote: state keys that the spec's writers would set before the turn.
        used: answers that were taken, those of an attempt that came to nothing too: a replay makes
            it again.
    """

    asked: AskedTasks = msgspec.field(default_factory=AskedTasks)
    wrote: dict[str, Any] = {}
    used: TakenAnswers = {}


class SpecCompiler(msgspec.Struct, frozen=True, eq=False):
    """A compiler that does what a spec says.

    Args:
        spec: what should be seen.
        agent: the agent that the requests are for.
        sources: what refs may name outside the session.
        now_ms: the clock, where a rule needs one.
        memo: what earlier compiles worked out; never changes a result.
        steps: whether the manifest counts blocks and tokens at every step of the spec.
        answers: what models answered before.
        notes: what happened before the compile that a reader of its manifest should know.
        ports: what the application gives redactions.
        folds: what compactions decided before, beside what the request before and the session's
            metadata hold.
        decided_at: the position of the log at which the spec decides: what came since stands
            behind it as it came, within the model's window. 0 for that of the snapshot.
        weighs: whether packs say what everything in its place would have taken.
    """

    spec: Expr
    agent: str = ""
    sources: RefSources = RefSources()
    now_ms: int | None = None
    memo: Memo = msgspec.field(default_factory=Memo)
    steps: bool = False
    answers: Answers = NO_ANSWERS
    notes: tuple[str, ...] = ()
    ports: RedactionPorts = NO_PORTS
    folds: tuple[SavedFold, ...] = ()
    decided_at: int = 0
    weighs: bool = False

    def answered_by(self, answers: Answers) -> "SpecCompiler":
        """The same, with these answers of models and no others."""
        return self if answers is self.answers else msgspec.structs.replace(self, answers=answers)

    def compile(
        self,
        snapshot: Snapshot,
        target: Target,
        *,
        previous: Pack | None = None,
    ) -> Pack:
        """The pack for the next call.

        Args:
            previous: the pack before, to tell what a provider's cache can use again.

        Raises:
            BudgetError: what must stay does not fit.
            SpecError: the spec can not be met by this session.
            RenderError: a bug: the request breaks a rule of its provider.
        """
        with holding(self.memo.lock), remembering(self.memo):
            pack = self._compile(snapshot, target, previous, PendingTasks(), dry=False)
        assert pack is not None
        return pack

    def try_compile(
        self,
        snapshot: Snapshot,
        target: Target,
        wants: "PendingTasks",
        *,
        previous: Pack | None = None,
    ) -> Pack | None:
        """The pack, or None where something is missing for it: `wants` says what, and what the
        spec would write, also where it raises as `compile` does."""
        with holding(self.memo.lock), remembering(self.memo):
            return self._compile(snapshot, target, previous, wants, dry=True)

    def tokens_of_everything(
        self,
        snapshot: Snapshot,
        target: Target,
        known: SavedPrefix | None = None,
        *,
        refs: bool = True,
    ) -> int:
        """Tokens that the conversation would take if all of it were sent; what is new is counted,
        instruction and tools are not.

        Args:
            known: what a fold of this log counted.
            refs: whether a compile that counted most of it showed refs: it makes no difference.
        """
        with holding(self.memo.lock), remembering(self.memo):
            planned = known_plan(self.spec, snapshot.state, self.ports, self.memo)
            # all of it would leave as it came, with fields that nobody here knows
            target = receiver_of(target, snapshot, planned, self.memo)
            shown = Presentation(self.agent, framed=False, refs=refs)
            renderer = target.provider.renderer
            costs = costs_of(self.memo, renderer, target, shown)
            return tokens_of_all(snapshot, costs.block, self.memo, known, costs.events)

    def _compile(
        self,
        snapshot: Snapshot,
        target: Target,
        previous: Pack | None,
        wants: "PendingTasks",
        *,
        dry: bool,
    ) -> Pack | None:
        planned = known_plan(self.spec, snapshot.state, self.ports, self.memo)
        setup = setup_of(planned, target, snapshot, self.agent, self.memo)
        try:
            return self._packed(snapshot, setup, previous, wants, dry=dry)
        except RenderError:
            # a list that its provider would refuse as it came
            anew = without_sources(setup.target)
            if anew is None:
                raise
            setup = setup_for(anew, planned, snapshot, self.agent, self.memo)
            return self._packed(snapshot, setup, previous, wants, dry=dry)

    def _packed(
        self,
        snapshot: Snapshot,
        setup: CallSetup,
        previous: Pack | None,
        wants: PendingTasks,
        *,
        dry: bool,
    ) -> Pack | None:
        planned, target = setup.planned, setup.target
        renderer = target.provider.renderer
        then = snapshot_then(snapshot, self.decided_at) if self.decided_at else snapshot
        before = previous.receipt.folds if previous is not None else ()
        inputs = self._inputs(then, setup, wants, before, dry=dry)
        decision = self._decision(setup, inputs)
        if decision is None or (dry and wants.asked):
            return None
        inputs, assembled, room = decision.inputs, decision.assembled, decision.room
        blocks, left_out, tracer = decision.blocks, decision.left_out, room.tracer
        if then is not snapshot:
            blocks, inputs = with_newer(blocks, inputs, snapshot, planned, tracer)
            assembled = assembled_now(assembled, planned, blocks, inputs, target)
            room = room_now(room, inputs, planned.terminal, target.max_input)
            if room.over(blocks) > 0:
                raise room.too_large(blocks, "with nothing decided anew")
            left_out = exchanges_left_out(blocks, decision.ranges, tracer, inputs)
        if planned.tools_cap:
            inputs.notes.extend(tool_notes(planned, assembled, target, renderer))
        layout = layout_of(assembled, blocks, inputs, target)
        rendered = renderer.render(layout, target)
        request = rendered.request
        tokens = renderer.measure(request, target)
        expect_valid(renderer, request, target, tokens, room.limit)
        tracer.notes.extend((*model_notes(inputs, room.inputs), *inputs.notes))
        if counter_failed := getattr(target.counter, "failed", ""):
            tracer.notes.append(counter_failed)
        tracer.notes.extend(setup.limit_notes)
        return self._pack(
            CompileResult(
                snapshot, target, planned, assembled, blocks, layout, rendered, tokens, room,
                left_out,
            ),
            tracer,
            previous,
        )  # fmt: skip

    def _decision(self, setup: CallSetup, inputs: Inputs) -> RequestDecision | None:
        """What is sent: what was decided for the request before with what came since, where that
        goes on; None where an answer is missing for it and nobody sees what comes out."""
        planned, target = setup.planned, setup.target
        goes_on = planned.may_go_on and target.takes_messages and planned.stands_on_conversation
        table = None
        if goes_on and not (self.steps or self.decided_at):
            table = self.memo.table(setup.decided)
            if (decision := gone_on(planned, inputs, target, table)) is not None:
                return decision
        fitted = self._fitted(planned, inputs, target, setup.limit)
        if fitted is None:
            return None
        decision = decided(planned, fitted)
        if table is not None:
            keep(decision, planned, target, table)
        return decision

    def _fitted(self, planned: Plan, inputs: Inputs, target: Target, limit: int) -> Fitted | None:
        """What is sent, looking no further back than the limit reaches; None where an answer is
        missing for it and nobody sees what comes out."""
        view: View = planned.view
        if self.steps and view != "near":
            view = "all"  # a step counts all that it had
        if view in _RESUMPTIONS and not target.takes_messages:
            view = "all"  # a text has the conversation in the order of the spec's terms
        # how far back it was last time: it saves a try, and leads to the same
        tries = self.memo.table(("horizon", self.spec, limit, inputs.cost))
        notes = tuple(inputs.notes)
        oldest = oldest_of(planned, inputs)
        if (fitted := self._without_idle(planned, inputs, target, limit)) is not None:
            return fitted
        for place, start in starts_of(
            view, planned.terminal, limit, inputs, oldest, planned.indexed
        ):
            whole = start == inputs.snapshot.preamble
            if (
                not whole
                and view not in _FRESH_STARTS
                and place < tries.remembered("least", lambda _: 0)
            ):
                continue
            own = {"notes": [*notes], "folded": [], "undecided": [], "stepped": {}}
            behind = view == "step" and not whole
            tried = msgspec.structs.replace(
                inputs, start=start, behind_step=behind, oldest=0 if self.steps else oldest, **own
            )
            try:
                fitted = self._tried(planned, tried, target)
            except BudgetError:
                if whole:
                    raise
                continue  # what may not go at all may lie further back as well
            if tried.undecided:
                continue
            if fitted is None or whole:
                return fitted
            if is_enough(view, fitted, target, oldest):
                tries["least"] = place
                return fitted
        raise AssertionError("the last start is the first exchange")

    def _without_idle(
        self, planned: Plan, inputs: Inputs, target: Target, limit: int
    ) -> Fitted | None:
        """What is sent, where words make nothing of what the limit drops whatever they make of it;
        None where there is none of that."""
        idle = idle_exchanges(planned, limit, inputs) if not self.steps else None
        if not idle:
            return None
        own = {"notes": [*inputs.notes], "folded": [], "undecided": [], "stepped": {}}
        start = inputs.snapshot.preamble
        tried = msgspec.structs.replace(inputs, start=start, idle=idle, oldest=0, **own)
        try:
            fitted = self._tried(planned, tried, target)
        except BudgetError:
            return None
        return fitted if fitted is not None and are_gone(idle, fitted, limit) else None

    def _tried(self, planned: Plan, inputs: Inputs, target: Target) -> Fitted | None:
        renderer = target.provider.renderer
        known = self.memo.table(("summarized", inputs.cost_id), brief=True)
        tracer = Tracer(
            inputs.cost,
            inputs.protection,
            count_steps=self.steps,
            known=known,
            is_moot=lambda: inputs.dry and bool(inputs.asked),
        )
        assembled = assemble(planned, inputs, tracer, target)
        if inputs.dry and inputs.asked:
            return None
        room = room_of(planned, assembled, inputs, tracer, target, renderer)
        return fitted_in(room, assembled, planned, inputs, target)

    def _inputs(
        self,
        snapshot: Snapshot,
        setup: CallSetup,
        wants: PendingTasks,
        before: tuple[SavedFold, ...],
        *,
        dry: bool,
    ) -> Inputs:
        planned = setup.planned
        sources, cites = self.sources, planned.cites
        if sources.named != cites:
            sources = msgspec.structs.replace(sources, named=cites)
        protection = protection_of(snapshot, request=setup.target.takes_messages)
        return msgspec.structs.replace(
            setup.inputs,
            snapshot=snapshot,
            read=partial(read_ref, snapshot=snapshot, sources=sources),
            now_ms=self.now_ms,
            memo=self.memo,
            protection=protection,
            settled=protection.settled(snapshot),
            windows=tuple([window.start(snapshot) for window in planned.windows]),
            answers=self.answers,
            dry=dry,
            asked=wants.asked,
            used=wants.used,
            wrote=wants.wrote,
            notes=[],
            folds=(*self.folds, *before, *saved_folds(snapshot.metadata)),
            folded=[],
            undecided=[],
            stepped={},
        )

    def _pack(self, built: CompileResult, tracer: Tracer, previous: Pack | None) -> Pack:
        target, request, log = built.target, built.rendered.request, built.snapshot.log
        body, prefix, lost = encoded(request, target, built.tokens), None, None
        draft = draft_of(built, tracer, body, self)
        whole = self._weighed(built, draft.folds)
        if previous is not None:
            known = known_request(previous)
            prefix = shared_prefix(
                previous.body if known is None else known.request,
                request,
                target,
                tokens=draft.tokens,
                tokens_before=known.tokens if known and known.target is target else -1,
                earlier=earlier_writes(previous.receipt, self.now_ms, target),
            )
            lost = lost_piece(prefix, previous, request, target, log, draft.tokens)
        if may_wait(built):
            return Pack(body, receipt_of(draft, log, prefix, lost), log, whole)
        return Pack(body, written_manifest(draft, log, prefix, lost), None, whole)

    def _weighed(self, built: CompileResult, folds: Sequence[SavedFold]) -> int | None:
        """As `tokens_of_everything`, by what this compile counts with; None where that is not asked
        for, or what it counts is shown otherwise."""
        inputs = built.room.inputs
        if not self.weighs or self.decided_at or inputs.framed:
            return None
        known = newest_prefix(folds)
        return tokens_of_all(built.snapshot, inputs.cost, inputs.memo, known, inputs.event_cost)
