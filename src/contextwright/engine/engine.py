"""A spec in an agent's loop: prepare, assemble, record."""

from typing import Any
from weakref import WeakKeyDictionary

from contextwright.engine.record import captures, record
from contextwright.errors import SessionError, SpecError
from contextwright.pack.compiler import SpecCompiler
from contextwright.pack.pack import Pack
from contextwright.pack.plan import plan
from contextwright.render.renderers import renderer_for
from contextwright.render.target import Target, target
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Memo
from contextwright.stores.files import FileArtifacts
from contextwright.stores.refs import Refs
from contextwright.stores.store import SessionStore
from contextwright.tokens.calibrate import Calibrator

_MEMOS: WeakKeyDictionary[Log, Memo] = WeakKeyDictionary()
"""What was worked out for a log, for as long as it lives. Saves time, changes nothing."""


def compile(
    session: Session | Snapshot,
    spec: Expr | None = None,
    *,
    model: str | None = None,
    target: Target | None = None,
    artifacts: FileArtifacts | None = None,
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
        previous: the pack before, to tell what a provider's cache can use again.
        steps: count blocks and tokens at every step of the spec, for `ctx explain`.

    Raises:
        ModelError: an unknown model and no `window`, or neither model nor target.
        BudgetError: what must stay does not fit.
    """
    snapshot = session.snapshot() if isinstance(session, Session) else session
    if not isinstance(snapshot, Snapshot):
        raise SessionError(
            f"a {type(session).__name__} is not a session",
            where="compile(session, ...)",
            fix="read it first: compile(read_session(PATH_OR_MESSAGES), ...)",
        )
    compiler = SpecCompiler(
        spec if spec is not None else _default(),
        agent=agent,
        read_artifact=artifacts.read_text if artifacts is not None else None,
        now_ms=now_ms,
        memo=memo_of(snapshot.log),
        steps=steps,
    )
    if not isinstance(compiler.spec, Expr):
        raise SpecError(
            f"a {type(spec).__name__} is not a spec",
            where="compile(spec=...)",
            fix="build it with C, such as C.window(n=5), or read text with parse(...)",
        )
    return compiler.compile(snapshot, _target(model, target, options), previous=previous)


def memo_of(log: Log) -> Memo:
    """The memo of a log."""
    memo = _MEMOS.get(log)
    if memo is None:
        memo = _MEMOS[log] = Memo()
    return memo


def _default() -> Expr:
    from contextwright.atoms.select.default import Default

    return Default()


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

    It keeps what makes the next compile cheap and true: the memo, the pack before, and the
    ratio of billed to estimated tokens.

    Args:
        spec: what the agent should see.
        model: the model's name; `options` as `contextwright.target` takes them.
        sessions: where sessions are saved after each record.
        artifacts: where `artifact://` refs are read.
    """

    def __init__(
        self,
        spec: Expr,
        model: str,
        *,
        sessions: SessionStore | None = None,
        artifacts: FileArtifacts | None = None,
        agent: str = "",
        **options: Any,
    ) -> None:
        self.spec = spec
        self.agent = agent
        self.sessions = sessions
        self.artifacts = artifacts
        self.calibrator = Calibrator()
        self._base = target(model, **options)
        self._previous: WeakKeyDictionary[Log, Pack] = WeakKeyDictionary()

    @property
    def target(self) -> Target:
        """The target, its counter calibrated by what was billed."""
        import msgspec

        base = self._base
        counter = self.calibrator.counter(base.format, base.model, base.counter)
        return msgspec.structs.replace(base, counter=counter)

    def compile(self, session: Session) -> Pack:
        """The pack for the next call; what the spec captures from the user is written first."""
        for capture in captures(self.spec):
            if capture.what == "user":
                record(session, capture)
        pack = compile(
            session,
            self.spec,
            target=self.target,
            artifacts=self.artifacts,
            previous=self._previous.get(session.log),
            agent=self.agent,
        )
        self._previous[session.log] = pack
        return pack

    def expand(self, session: Session, ref: str) -> str:
        """What a ref of a request names, whole, redacted as the spec says: for the tool with
        which an agent looks up what was shortened.

        Raises:
            RefError: it does not resolve.
        """
        text = Refs(session.snapshot(), artifacts=self.artifacts).read(ref)
        for redaction in plan(self.spec).redactions:
            text = redaction.cleaned(text)
        return text

    def record(self, session: Session, *, billed_input: int | None = None) -> None:
        """After the answer was appended: write what the spec captures, learn from the bill,
        save.

        Args:
            billed_input: input tokens that the provider billed for the last pack, cached ones
                included.
        """
        pack = self._previous.get(session.log)
        if billed_input is not None and pack is not None:
            base = self._base
            estimated = renderer_for(base.format).measure(pack.request, base)
            self.calibrator.observe(base.format, base.model, billed_input, estimated)
        for capture in captures(self.spec):
            if capture.what == "output":
                record(session, capture)
        if self.sessions is not None:
            self.sessions.save(session)
