"""After a turn: what the spec's writers and state steps write. Events are never changed."""

from typing import Any, Protocol

from contextwright.argument_types import expect_types
from contextwright.compiler.pack import Pack, known_request
from contextwright.compiler.plan import Plan, known_plan
from contextwright.compiler.prefix import note_pieces
from contextwright.compute_gate import waiting
from contextwright.engine.door import ports_of
from contextwright.engine.embedded import answering_by
from contextwright.engine.prepare import memo_of
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, run_tasks
from contextwright.errors import SessionError, SpecError
from contextwright.memo.ownership import remembering
from contextwright.redaction.detector import NO_PORTS, Detector, RedactionPorts
from contextwright.redaction.operators import Vault
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.word_roles import RecordedTurn
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.calibrate import Calibrator


class StateWriter(Protocol):
    """Something that turns a snapshot into a state change: `S.tag(...)`, `C.capture(...)`."""

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state keys to set; None removes one."""
        ...


def record(
    session: Session,
    *steps: StateWriter | Expr,
    models: TaskRunner | None = None,
    agent: str = "",
    artifacts: ArtifactStore | None = None,
    detector: Detector | None = None,
    vault: Vault | None = None,
) -> None:
    """Apply state steps, and the writers of specs, to a session.

    Args:
        models: who merges notes; the embedded models where none are given.
        agent: whose words are noted; any agent's where none is named.
        artifacts: where `C.offload` puts tool results.
        detector, vault: what `C.redact` takes, as `contextwright.compile` does.

    Raises:
        SessionError: the session is none. SpecError: a step is none.
    """
    expect_types("record(session, *steps)", SessionError, session=(session, Session))
    ports = ports_of(detector, vault, "record(...)")
    for step in steps:
        if not isinstance(step, Expr) and not hasattr(step, "writes"):
            raise SpecError(
                f"expected a state step or a spec, got {type(step).__name__}",
                where="record(session, *steps)",
                fix='S.tag("approved"), say',
            )
        if isinstance(step, Expr):
            asking = writing(session, step, agent, artifacts, ports)
            run_tasks(asking, answering_by(models), session.id)
        else:
            write(session, step.writes(session.snapshot()))


def writing(
    session: Session,
    spec: Expr,
    agent: str = "",
    artifacts: ArtifactStore | None = None,
    ports: RedactionPorts = NO_PORTS,
) -> TaskGenerator[None]:
    """All that a spec writes, before the turn and after it."""
    capture_before(session, spec, ports)
    yield from recording(session, spec, agent, artifacts, ports)


def recording(
    session: Session,
    spec: Expr,
    agent: str,
    artifacts: ArtifactStore | None = None,
    ports: RedactionPorts = NO_PORTS,
) -> TaskGenerator[None]:
    """What a spec writes after the turn: captured outputs, artifacts and notes, without what it
    redacts."""
    planned = known_plan(spec, session.state, ports, memo_of(session.log))

    def put(data: bytes, name: str) -> str:
        assert artifacts is not None
        content, clean_name = _clean_bytes(data, planned), planned.clean_id(name)
        with waiting():
            return artifacts.put(content, name=clean_name)

    store = put if artifacts is not None else None
    for writer in planned.writers:
        turn = RecordedTurn(session.snapshot(), agent, planned.clean, store)
        values = yield from writer.after(turn)
        write(session, _clean_values(values, planned, session))


def capture_before(session: Session, spec: Expr, ports: RedactionPorts = NO_PORTS) -> None:
    """What a spec writes before the turn, for which nobody is asked, without what it redacts."""
    planned = known_plan(spec, session.state, ports, memo_of(session.log))
    for writer in planned.writers:
        values = writer.before(session.snapshot())
        write(session, _clean_values(values, planned, session))


def _clean_values(values: dict[str, Any], planned: Plan, session: Session) -> dict[str, Any]:
    """State values without what the spec redacts: other specs and other agents read them. Of a list
    that grew only what is new is looked at; ids of events stay, by which it is known."""
    if not planned.redactions or not values:
        return values
    from contextwright.redaction.redactor import with_strings

    known: set[str] = set()
    for key in values:
        before = session.state.get(key)
        if isinstance(before, list):
            with_strings(before, lambda text: known.add(text) or text)

    def clean(text: str) -> str:
        stays = text in known or session.log.position_of(text) is not None
        return text if stays else planned.clean(text)

    return {key: with_strings(value, clean) for key, value in values.items()}


def _clean_bytes(data: bytes, planned: Plan) -> bytes:
    """A text without what the spec redacts; what is no text, as it is."""
    try:
        return planned.clean(data.decode()).encode() if planned.redactions else data
    except UnicodeDecodeError:
        return data


def write(session: Session, values: dict[str, Any]) -> bool:
    """Set what is not so already; whether anything was."""
    state = session.state
    new = {key: value for key, value in values.items() if state.get(key) != value}
    if new:
        session.update(new)
    return bool(new)


def observe_bill(
    calibrator: Calibrator, target: Target, sent: Pack, session: Session, billed_input: int
) -> None:
    """Hold the tokens that were counted for a pack against those that were billed."""
    with remembering(memo_of(session.log)):  # which measured most of it
        known = known_request(sent)
        request = dict(known.request) if known is not None else sent.request
        estimated = target.provider.renderer.measure(request, target)
        if known is not None:  # behind the answer nobody waits for it
            note_pieces(request, target.provider.renderer)
    # what the caller adds, such as ADK's instruction and tools, is billed as well
    estimated += sent.receipt.reserved_system
    calibrator.observe(target.format, target.model, billed_input, estimated)
