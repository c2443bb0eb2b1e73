"""A spec in an agent's loop: prepare, assemble, record."""

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from contextwright.atoms.select.default import Default
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.embedded import answering_by
from contextwright.engine.hydrate import hydrate
from contextwright.engine.prepare import Turn, Write, known_answers, preparing, remember
from contextwright.engine.record import capture_before, recording, write
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, adrive, run_tasks
from contextwright.errors import SessionError, SpecError
from contextwright.recipes.profiles import Profile
from contextwright.render.target import Target, target
from contextwright.retrieval.retriever import Retriever
from contextwright.session.event import Tool
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Memo
from contextwright.spec.task import Answers
from contextwright.stores.memory_store import MemoryStore
from contextwright.stores.refs import Refs
from contextwright.stores.store import ArtifactStore, SessionStore
from contextwright.tokens.calibrate import Calibrator

_MEMOS: WeakKeyDictionary[Log, Memo] = WeakKeyDictionary()
"""What was worked out for a log, for as long as it lives. Saves time, changes nothing."""


def compile(
    session: Session | Snapshot,
    spec: Expr | Profile | None = None,
    *,
    model: str | None = None,
    target: Target | None = None,
    artifacts: ArtifactStore | None = None,
    models: TaskRunner | None = None,
    previous: Pack | None = None,
    now_ms: int | None = None,
    agent: str = "",
    steps: bool = False,
    **options: Any,
) -> Pack:
    """The pack for the next call, in one line.

    Args:
        session: a session, or a snapshot of one.
        spec: what should be seen; by default the whole conversation.
        model: the model's name; `options` go to `contextwright.target`: `format`, `window`,
            `reserved_output`, `tools`, `counter`, `cache`.
        target: instead of a model.
        artifacts: where `artifact://` refs are read.
        models: who summarizes, scores and extracts, waited for; by default the embedded models,
            which need no network.
        previous: the pack before, to tell what a provider's cache can use again.
        steps: count blocks and tokens at every step of the spec, for `ctx explain`.

    Raises:
        ModelError: an unknown model and no `window`, or neither model nor target.
        BudgetError: what must stay does not fit.
    """
    snapshot = snapshot_of(session, "compile(session, ...)")
    compiler = SpecCompiler(
        _spec(spec),
        agent=agent,
        read_artifact=artifacts.read_text if artifacts is not None else None,
        now_ms=now_ms,
        memo=memo_of(snapshot.log),
        steps=steps,
    )
    turn = Turn(compiler, _target(model, target, options), lambda: snapshot, None, previous)
    models = answering_by(models)
    asking = preparing(turn, known_answers(snapshot.log, models), models.latest)
    pack, answers = run_tasks(asking, models, snapshot.session_id, snapshot.turn)
    remember(snapshot.log, models, answers)
    return pack


def snapshot_of(session: Any, where: str) -> Snapshot:
    """A session as it stands now; a snapshot as it is.

    Args:
        where: what was given it, for the error.

    Raises:
        SessionError: neither.
    """
    snapshot = session.snapshot() if isinstance(session, Session) else session
    if not isinstance(snapshot, Snapshot):
        raise SessionError(
            f"a {type(session).__name__} is not a session",
            where=where,
            fix="read it first: read_session(PATH_OR_MESSAGES)",
        )
    return snapshot


def memo_of(log: Log) -> Memo:
    """The memo of a log."""
    memo = _MEMOS.get(log)
    if memo is None:
        memo = _MEMOS[log] = Memo()
    return memo


def _spec(given: Expr | Profile | None) -> Expr:
    """The spec that was given; the whole conversation where none was."""
    if given is None:
        return Default()
    spec = given if isinstance(given, Expr) else getattr(given, "spec", given)
    if not isinstance(spec, Expr):
        raise SpecError(
            f"a {type(spec).__name__} is not a spec",
            where="compile(spec=...)",
            fix="build it with C, such as C.window(n=5), or read text with parse(...)",
        )
    return spec


def _target(model: str | None, given: Target | None, options: dict[str, Any]) -> Target:
    if given is not None:
        return given
    if model is None:
        from contextwright.errors import ModelError

        raise ModelError(
            "neither model nor target", where="compile(...)", fix='compile(..., model="gpt-5")'
        )
    return target(model, **options)


class Engine:
    """One agent's spec, compiled at every step of its loop.

    It keeps what makes the next compile cheap and true: the memo, the pack before, what models
    answered, and the ratio of billed to estimated tokens. It may be used from several threads
    and event loops, for several sessions, at once.

    Args:
        spec: what the agent should see; what has a `spec` (PackBuilder, a compiler profile,
            InjectionOrchestrator) stands for it.
        model: the model's name; `options` as `contextwright.target` takes them.
        models: who summarizes, scores and extracts; by default the embedded models, which need
            no network.
        sessions: where sessions are saved after each record.
        artifacts: where `artifact://` refs are read, and where `C.offload` puts results.
        memory: what `C.memory()` finds before a turn, under the state key `knowledge`.
        scope: whose memories those are.
        retrievers: documents that are searched as well, such as a `contextwright.retrieval.Index`.
        agent: the agent's name.
        clock: milliseconds since 1970, for working notes that live for seconds, the freshness of
            memories and the pack's id; without one no pack depends on the time.
    """

    def __init__(
        self,
        spec: Expr | Profile,
        model: str,
        *,
        models: TaskRunner | None = None,
        sessions: SessionStore | None = None,
        artifacts: ArtifactStore | None = None,
        memory: MemoryStore | None = None,
        scope: str = "",
        retrievers: Sequence[Retriever] = (),
        agent: str = "",
        clock: Callable[[], int] | None = None,
        **options: Any,
    ) -> None:
        self.spec = _spec(spec)
        self.agent = agent
        self.models = answering_by(models)
        self.sessions = sessions
        self.artifacts = artifacts
        self.memory, self.scope, self.retrievers = memory, scope, tuple(retrievers)
        self.clock = clock
        self.calibrator = Calibrator()
        self._base = target(model, **options)
        self._previous: WeakKeyDictionary[Log, Pack] = WeakKeyDictionary()

    @property
    def target(self) -> Target:
        """The target, its counter calibrated by what was billed."""
        base = self._base
        counter = self.calibrator.counter(base.format, base.model, base.counter)
        return msgspec.structs.replace(base, counter=counter)

    def compile(
        self,
        session: Session,
        *,
        sent_from: int | None = None,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
    ) -> Pack:
        """The pack for the next call: prepared, then assembled.

        What the spec captures, extracts and distills before a turn is written to the state.

        Args:
            sent_from: place in the log from which on the caller sends events itself, beside a
                pack of the `text` format.
            reserved_system: tokens of what the caller adds itself this time.
            tools: what may be called this time.
        """
        asking = self._preparing(session, sent_from, reserved_system, tools)
        return self._done(session, run_tasks(asking, self.models, *_whose(session)))

    async def acompile(
        self,
        session: Session,
        *,
        sent_from: int | None = None,
        reserved_system: int | None = None,
        tools: tuple[Tool, ...] | None = None,
    ) -> Pack:
        """`compile`, letting the event loop run while models answer."""
        asking = self._preparing(session, sent_from, reserved_system, tools)
        return self._done(session, await adrive(asking, self.models, *_whose(session)))

    def prepare(self, session: Session) -> None:
        """Have models answer what the next assembling needs, and write what comes before it."""
        self.compile(session)

    async def aprepare(self, session: Session) -> None:
        """`prepare`, letting the event loop run while models answer."""
        await self.acompile(session)

    def assemble(self, session: Session | Snapshot, *, sent_from: int | None = None) -> Pack:
        """The pack with what was prepared: asks no model, writes nothing, waits for nothing.

        Where an answer is missing it does without, and the manifest says so.
        """
        snapshot = snapshot_of(session, "Engine.assemble(session)")
        turn = self._turn(lambda: snapshot, None, snapshot.log, sent_from)
        pack = turn.assemble(known_answers(snapshot.log, self.models))
        self._previous[snapshot.log] = pack
        return pack

    def expand(self, session: Session, ref: str) -> str:
        """What a ref of a request names, whole, redacted as the spec says: for the tool with
        which an agent looks up what was shortened.

        Raises:
            RefError: it does not resolve.
        """
        text = Refs(session.snapshot(), artifacts=self.artifacts).read(ref)
        return plan(self.spec).clean(text)

    def record(self, session: Session, *, billed_input: int | None = None) -> None:
        """After the answer was appended: write what the spec captures and notes, learn from the
        bill, save.

        Args:
            billed_input: input tokens that the provider billed for the last pack, cached ones
                included.
        """
        if billed_input is not None:
            self.learn(session, billed_input)
        asking = recording(session, self.spec, self.agent, self.artifacts)
        run_tasks(asking, self.models, *_whose(session))
        self._save(session)

    async def arecord(self, session: Session, *, billed_input: int | None = None) -> None:
        """`record`, letting the event loop run while models answer."""
        if billed_input is not None:
            self.learn(session, billed_input)
        asking = recording(session, self.spec, self.agent, self.artifacts)
        await adrive(asking, self.models, *_whose(session))
        self._save(session)

    def _preparing(
        self,
        session: Session,
        sent_from: int | None,
        reserved_system: int | None,
        tools: tuple[Tool, ...] | None,
    ) -> TaskGenerator[tuple[Pack, Answers]]:
        capture_before(session, self.spec)
        notes = hydrate(session, self.spec, self.memory, self.scope, self.retrievers)
        turn = self._turn(
            session.snapshot, lambda values: write(session, values), session.log, sent_from
        )
        turn.compiler = msgspec.structs.replace(turn.compiler, notes=notes)
        if reserved_system is not None:
            turn.target = msgspec.structs.replace(turn.target, reserved_system=reserved_system)
        if tools is not None:
            turn.target = msgspec.structs.replace(turn.target, tools=tools)
        return preparing(turn, known_answers(session.log, self.models), self.models.latest)

    def _turn(
        self,
        take: Callable[[], Snapshot],
        write: Write | None,
        log: Log,
        sent_from: int | None,
    ) -> Turn:
        compiler = SpecCompiler(
            self.spec,
            agent=self.agent,
            read_artifact=self.artifacts.read_text if self.artifacts is not None else None,
            now_ms=self.clock() if self.clock is not None else None,
            memo=memo_of(log),
            sent_from=sent_from,
        )
        return Turn(compiler, self.target, take, write, self._previous.get(log))

    def _done(self, session: Session, made: tuple[Pack, Answers]) -> Pack:
        pack, answers = made
        remember(session.log, self.models, answers)
        self._previous[session.log] = pack
        return pack

    def learn(self, session: Session, billed_input: int) -> None:
        """Learn from the bill of the last pack how the provider counts tokens."""
        pack = self._previous.get(session.log)
        if pack is None:
            return
        base = self._base
        estimated = base.provider.renderer.measure(pack.request, base)
        self.calibrator.observe(base.format, base.model, billed_input, estimated)

    def _save(self, session: Session) -> None:
        if self.sessions is not None:
            self.sessions.save(session)


def _whose(session: Session) -> tuple[str, int]:
    """Whose spending a model's answers are: the session and its turn."""
    return session.id, session.snapshot().turn
