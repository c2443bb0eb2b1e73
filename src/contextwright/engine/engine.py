"""A spec in an agent's loop: prepare, assemble, record."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compute_gate import waiting
from contextwright.engine.body_target import target_for_call
from contextwright.engine.default_spec import instead_of
from contextwright.engine.door import (
    NO_HOSTS,
    SessionLike,
    SpecLike,
    compiled_by,
    compiled_session,
    expect_type,
    ports_of,
    snapshot_of,
    sources_of,
    spec_or_compiler,
    target_of,
    time_of,
    whose,
    writable_session,
)
from contextwright.engine.embedded import answering_by
from contextwright.engine.engine_options import expect_plain, expect_stores
from contextwright.engine.event_hooks import EventHooks, with_notes
from contextwright.engine.events import EventName
from contextwright.engine.hydrate import hydrate
from contextwright.engine.ledger import Ledger, Ledgers, WeighedPack
from contextwright.engine.ledger_summary import LedgerSummary
from contextwright.engine.prepare import Turn, known_answers, memo_of, preparing, remember
from contextwright.engine.put_off import PutOff
from contextwright.engine.read_back import ReadBack
from contextwright.engine.record import capture_before, observe_bill, recording, write
from contextwright.engine.recovery import (
    CalibratedTarget,
    Recoveries,
    learned_window,
    recovering,
    refusal_of,
    refused_pack,
)
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, adrive, run_tasks
from contextwright.engine.session_budget import SessionBudget, billed_usage, budget_of
from contextwright.memo.ownership import remembering
from contextwright.process_bound import ProcessBound
from contextwright.redaction.detector import Detector
from contextwright.redaction.operators import Vault
from contextwright.render.target import Target, TargetOptions
from contextwright.retrieval.retriever import Retriever
from contextwright.session.event import Tool
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.spec.saved_fold import save_folds
from contextwright.spec.task import NO_ANSWERS, Answers
from contextwright.stores.refs import Fetch, Refs
from contextwright.stores.store import ArtifactStore, SessionStore
from contextwright.tokens.calibrate import Calibrator
from contextwright.tokens.context_overflow import Overflow
from contextwright.tokens.usage import Usage
from contextwright.words import C
from contextwright.worker_threads import off_loop

if TYPE_CHECKING:
    from contextwright.stores.memory_store import MemoryStore

MANY = 200
"""Events that an engine has not compiled yet from which on a compile holds up no other's turn."""


class Engine(ProcessBound):
    """One agent's spec, compiled at every step of its loop.

    It keeps the memo, the pack before, answers of models, a ledger, and the ratio of billed to
    estimated tokens. It may be used from several threads and event loops, for several sessions.

    Args:
        spec: what the agent should see: a spec, its text, a recipe that has a `spec`, or a
            `compile(snapshot, target)`, whose packs are used as they are; else `default_spec`.
        model: its name; `options` as `contextwright.target` takes them. target: instead of both.
        models: who summarizes, scores and extracts; by default the embedded ones, no network.
        sessions: where sessions are saved after each record.
        artifacts: where `artifact://` refs are read and `C.offload` puts results, a session's own.
        memory: what `C.memory()` finds before a turn, under the key `knowledge`; scope: whose.
        retrievers: documents that are searched as well, such as a `contextwright.retrieval.Index`.
        clock: milliseconds since 1970, for notes that live for seconds, the freshness of memories
            and the pack's id; without one no pack depends on the time.
        roots, hosts, detector, vault: as `contextwright.compile` takes them.
        events: hooks by event, as `on` takes them. budget: what a session may be billed in all.
        suspend: whether a spec that turns out dearer than sending everything gives way, and one
            that promises no size waits with steps that would be.
        never_dearer: whether each step waits until it is paid for, and a limit with it.
    """

    shown, fixed = ("spec", "target.model"), ("spec", "artifacts", "roots", "hosts")

    def __init__(
        self,
        spec: SpecLike | None = None,
        model: str | None = None,
        *,
        models: TaskRunner | None = None,
        sessions: SessionStore | None = None,
        artifacts: ArtifactStore | None = None,
        roots: Sequence[str | Path] = (),
        hosts: Mapping[str, Fetch] = NO_HOSTS,
        memory: "MemoryStore | None" = None,
        scope: str = "",
        retrievers: Sequence[Retriever] = (),
        agent: str = "",
        clock: Callable[[], int] | None = None,
        detector: Detector | None = None,
        vault: Vault | None = None,
        events: Mapping[str, Any] | None = None,
        budget: SessionBudget | None = None,
        target: Target | None = None,
        suspend: bool = True,
        never_dearer: bool = False,
        **options: Unpack[TargetOptions],
    ) -> None:
        base = target_of(model, target, options, "Engine(spec, model)")
        made = spec_or_compiler(spec, "Engine(spec, ...)", base)
        self.compiler = None if isinstance(made, Expr) else made
        # around somebody's own compiler nothing is captured, noted or redacted here
        self.spec: Expr = made if isinstance(made, Expr) else C.none()
        expect_stores("Engine(...)", sessions, memory, retrievers)
        expect_plain("Engine(...)", agent, scope, clock, suspend, never_dearer)
        self.agent, self.sessions, self.models = agent, sessions, answering_by(models)
        self._sources = sources_of(artifacts, roots, hosts, "Engine(...)")
        self.artifacts, self.roots, self.hosts = artifacts, tuple(roots), dict(hosts)
        self.memory, self.scope, self.retrievers = memory, scope, tuple(retrievers)
        self.clock, self.ports = clock, ports_of(detector, vault, "Engine(...)")
        self.calibrator, self._target = Calibrator(), CalibratedTarget(base)
        self._ledgers = Ledgers(instead_of(self.spec, base), suspends=suspend)
        self._put_off = PutOff(self.spec, self._ledgers, waits=never_dearer, gives_way=suspend)
        self._recoveries, self._hooks = Recoveries(), EventHooks(events)
        self.budget = budget_of(budget, base.model, "Engine(...)")

    @property
    def target(self) -> Target:
        """The target, its counter calibrated by what was billed."""
        return self._target.by(self.calibrator)

    def on(self, event: EventName, hook: Callable[[Any], Any], *, contents: bool = False) -> None:
        """Call a function at an event, with facts as a frozen value; `pre_compact`, before a
        compaction's step, may answer with `Deny(why)` or `Replace(spec, why)`. One that fails is
        named in the manifest and ends no turn.

        Args:
            contents: whether the event holds the pack, or the answers of models, as well.

        Raises:
            SpecError: no such event, or nothing that is called and returns at once.
        """
        self._hooks.on(event, hook, contents=contents)

    def compile(
        self,
        session: SessionLike,
        *,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
        counted: bool = False,
    ) -> Pack:
        """The pack for the next call: prepared, then assembled.

        What the spec captures, extracts and distills before a turn is written to the state.

        Args:
            session: as `contextwright.compile` takes it; what is no session of ours keeps
                nothing that is written.
            reserved_system: tokens of what the caller adds itself this time.
            tools: what may be called this time.
            counted: whether a limit that the spec names is one of these tokens, too.
        """
        target = target_for_call(self.target, reserved_system, tools, counted=counted)
        own = writable_session(session, "Engine.compile(session)")
        target, ledger = self._recoveries.bounded(target, own.log), self._ledgers.of(own.log)
        with remembering(memo_of(own.log)):
            made = run_tasks(self._weighing(own, ledger, target), self.models, *whose(own))
        return ledger.sent(made, target)

    async def acompile(
        self,
        session: SessionLike,
        *,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
        counted: bool = False,
    ) -> Pack:
        """`compile` in worker threads, letting the event loop run: ports and words run there. An
        await that is cancelled leaves the session as good as it was: what runs ends what it writes,
        and the next compile begins when it has ended."""
        target = target_for_call(self.target, reserved_system, tools, counted=counted)
        own = session
        if not isinstance(own, Session):
            own = await off_loop(writable_session, own, "Engine.acompile(session)", long=True)
        target, ledger = self._recoveries.bounded(target, own.log), self._ledgers.of(own.log)
        compiled = ledger.newest
        new = len(own.log) - (0 if compiled is None else compiled.receipt.position)
        asking, memo = self._weighing(own, ledger, target), memo_of(own.log)
        made = await adrive(asking, self.models, *whose(own), owner=memo, long=new > MANY)
        return ledger.sent(made, target)

    def prepare(self, session: SessionLike) -> None:
        """Have models answer what the next assembling needs, and write what comes before it."""
        self.compile(session)

    async def aprepare(self, session: SessionLike) -> None:
        """`prepare`, letting the event loop run."""
        await self.acompile(session)

    def assemble(self, session: SessionLike) -> Pack:
        """The pack with what was prepared: asks no model, writes nothing, waits for nothing.

        Where an answer is missing it does without, and the manifest says so.
        """
        snapshot = snapshot_of(session, "Engine.assemble(session)")
        log, target = snapshot.log, self._recoveries.bounded(self.target, snapshot.log)
        ledger = self._ledgers.of(log)
        if self.compiler is not None:
            pack = compiled_by(self.compiler, snapshot, target)
        else:
            decided = self._ledgers.decided(self.spec, target, ledger, snapshot.metadata)
            made, target = self._spec_compiler(log, decided.notes, decided.spec), decided.target
            previous = ledger.previous(snapshot.position)
            turn = Turn(made, target, lambda: snapshot, previous=previous)
            pack = turn.assemble(known_answers(log, self.models))
            pack = self._put_off.going_on(pack, snapshot, target, made)
        return ledger.sent(ledger.weighed(pack, lambda: snapshot, target, self._counting), target)

    def recover(
        self,
        session: Session,
        error: object,
        *,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
        counted: bool = False,
    ) -> Pack:
        """After the provider refused the last pack as too long: one that it takes.

        What it says calibrates the counter and the window, for later packs as well; where it says
        no numbers, the next request is a fifth smaller. It is never the same bytes again.

        Args:
            error: what the provider's client raised, or the body of its answer. What is no
                overflow (`overflow_of`) is raised again.
            reserved_system, tools, counted: as the refused pack was compiled with.

        Raises:
            ContextOverflowError: there is no smaller request; names both sizes.
        """
        overflow = refusal_of(error)
        with remembering(memo_of(compiled_session(session, "Engine.recover(session)").log)):
            target = target_for_call(self.target, reserved_system, tools, counted=counted)
            asking = self._recovering(session, overflow, target)
            return run_tasks(asking, self.models, *whose(session))

    async def arecover(
        self,
        session: Session,
        error: object,
        *,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
        counted: bool = False,
    ) -> Pack:
        """`recover`, letting the event loop run."""
        target = target_for_call(self.target, reserved_system, tools, counted=counted)
        memo = memo_of(compiled_session(session, "Engine.arecover(session)").log)
        asking = self._recovering(session, refusal_of(error), target)
        return await adrive(asking, self.models, *whose(session), owner=memo, long=True)

    def _recovering(
        self, session: Session, overflow: Overflow, target: Target
    ) -> TaskGenerator[Pack]:
        log, ledger = session.log, self._ledgers.of(session.log)
        sent = refused_pack(ledger.newest, session)
        refusals = self._recoveries.of(log)
        if overflow.unit == "tokens" and overflow.input:
            self.learn(session, overflow.input)
        self._target.learn_window(overflow)
        target = learned_window(target, overflow)
        again = partial(self._packing, session, ledger)
        pack = yield from recovering(overflow, sent, target, refusals, again)
        ledger.sent(ledger.weighed(pack, session.snapshot, target, self._counting), target)
        return self._hooks.overflowed(session, overflow, sent, pack, refusals)

    def expand(self, session: Session, ref: str) -> str:
        """What a ref of a request names, whole, redacted as the spec says: for the tool with
        which an agent looks up what was shortened.

        Raises:
            RefError: it does not resolve, or names what is not this session's.
        """
        planned = plan(self.spec, ports=self.ports)
        snapshot = snapshot_of(session, "Engine.expand(session, ref)")
        refs = Refs(snapshot, self.artifacts, self.roots, self.hosts, planned.cites)
        return planned.clean(refs.read(ref))

    def tools(self, session: Session) -> ReadBack:
        """Schemas of the tools that read what was shortened or left out, and what answers them."""
        snapshot_of(session, "Engine.tools(session)")
        return ReadBack(
            session,
            lambda: self._ledgers.of(session.log).newest,
            receiver=self.target,
            artifacts=self.artifacts,
            roots=self.roots,
            hosts=self.hosts,
            detector=self.ports.detector,
            vault=self.ports.vault,
        )

    def record(
        self, session: Session, *, billed: object = None, billed_input: int | None = None
    ) -> None:
        """After the answer was appended: write what the spec captures and notes, learn from the
        bill, count it, save.

        Args:
            billed: the provider's answer, or its usage, as dict or SDK object (`usage_of`).
            billed_input: or only the last pack's input tokens by the bill, with cached ones.

        Raises:
            SessionBudgetError: a threshold of the budget ends the session; all was written.
        """
        with remembering(memo_of(compiled_session(session, "Engine.record(session)").log)):
            recording = self._recording(session, billed_usage(billed, billed_input))
            run_tasks(recording, self.models, *whose(session))

    async def arecord(
        self, session: Session, *, billed: object = None, billed_input: int | None = None
    ) -> None:
        """`record`, letting the event loop run, while a store writes as well."""
        memo = memo_of(compiled_session(session, "Engine.arecord(session)").log)
        recording = self._recording(session, billed_usage(billed, billed_input))
        await adrive(recording, self.models, *whose(session), owner=memo)

    def _recording(self, session: Session, usage: Usage | None) -> TaskGenerator[None]:
        self.bill(session, usage)
        yield from recording(session, self.spec, self.agent, self.artifacts, self.ports)
        if (pack := self._ledgers.of(session.log).newest) is not None:
            save_folds(session.metadata, pack.receipt.folds)
        if self.sessions is not None:
            with waiting():
                self.sessions.save(session)
        self.budget.check(session)

    def _weighing(self, own: Session, ledger: Ledger, target: Target) -> TaskGenerator[WeighedPack]:
        """The pack for a target, which counts as sent where whoever awaits it is still there."""
        pack = yield from self._packing(own, ledger, target)
        return ledger.weighed(pack, own.snapshot, target, self._counting)

    def _packing(
        self, session: Session, ledger: Ledger, target: Target, why: tuple[str, ...] = ()
    ) -> TaskGenerator[Pack]:
        """The pack for a target, as hooks let it be, and they are told of it."""
        self.budget.check(session)
        packing = self._deciding(session, target, why, ledger)
        return (yield from self._hooks.making(session, ledger.newest, packing))

    def _deciding(
        self, session: Session, target: Target, why: tuple[str, ...], ledger: Ledger
    ) -> TaskGenerator[Pack]:
        """The pack of the spec, or what hooks want in its place."""
        if self.compiler is not None:
            return compiled_by(self.compiler, session.snapshot(), target)
        made = self._ledgers.decide(self.spec, target, session, ledger)
        prepared = partial(self._prepared, session, ledger, made.target, (*why, *made.notes))
        return (yield from self._hooks.deciding(made.spec, prepared, ledger.newest, session))

    def _prepared(
        self,
        session: Session,
        ledger: Ledger,
        target: Target,
        why: Sequence[str],
        spec: Expr,
        more: Sequence[str],
    ) -> TaskGenerator[Pack]:
        """The pack of a spec, with all that it needs from models, and notes of why it is this."""
        failed: list[str] = []
        capture_before(session, spec, self.ports)
        searched = self.memory, self.scope, self.retrievers, self.ports
        notes = hydrate(session, spec, *searched, self._hooks.recalled(session))
        known = known_answers(session.log, self.models)
        turn = Turn(
            self._spec_compiler(session.log, (*notes, *why, *more), spec, known),
            target,
            session.snapshot,
            lambda values: write(session, values),
            ledger.previous(len(session.log)),
            self._hooks.preparing(session, failed),
        )
        pack, answers = yield from preparing(turn, known, self.models.latest)
        if answers is not known:  # else nothing was asked
            remember(session.log, self.models, answers)
        pack = self._put_off.noted(pack, session, target, turn.compiler.answered_by(answers))
        return with_notes(pack, failed)

    def _spec_compiler(
        self, log: Log, notes: tuple[str, ...], spec: Expr, answers: Answers = NO_ANSWERS
    ) -> SpecCompiler:
        now_ms, why = time_of(self.clock)
        return SpecCompiler(
            spec,
            agent=self.agent,
            sources=self._sources.of_one_compile(),
            now_ms=now_ms,
            memo=memo_of(log),
            answers=answers,
            ports=self.ports,
            notes=(*notes, why) if why else notes,
            weighs=spec is self.spec,
        )

    def _counting(self, log: Log) -> SpecCompiler:
        """What counts all of a session as the spec's requests have it."""
        return SpecCompiler(self.spec, agent=self.agent, memo=memo_of(log), ports=self.ports)

    def ledger(self, session: Session) -> LedgerSummary:
        """What a conversation's requests cost so far, against sending everything."""
        return self._ledgers.of(compiled_session(session, "Engine.ledger(session)").log).summary()

    def bill(
        self, session: Session, usage: Usage | None, *read_back: Usage, pack: Pack | None = None
    ) -> None:
        """Learn from the bill of a pack, by default the last one, and count it, as `record` does;
        `read_back` are bills of the requests by which its answer went on."""
        ledger = self._ledgers.of(compiled_session(session, "Engine.bill(session)").log)
        ledger.billed(usage, self._target.base.model, *read_back)
        if usage is not None:
            self.learn(session, usage.context_of(self._target.base.model), pack)
            self.budget.add(session, sum(read_back, usage), self._target.base.model, self._hooks)

    def learn(self, session: Session, billed_input: int, pack: Pack | None = None) -> None:
        """Learn from the bill of a pack, by default the last one, how the provider counts."""
        expect_type("billed_input", billed_input, int, "Engine.record(...)", "its input tokens")
        log = compiled_session(session, "Engine.learn(session)").log
        if billed_input and (sent := pack or self._ledgers.of(log).newest):
            observe_bill(self.calibrator, self._target.base, sent, session, billed_input)
