"""After a turn: what the spec's writers and state steps write. Events are never changed."""

from typing import Any, Protocol

from contextwright.compiler.plan import plan
from contextwright.engine.embedded import answering_by
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, run_tasks
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.word_roles import RecordedTurn
from contextwright.stores.store import ArtifactStore


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
) -> None:
    """Apply state steps, and the writers of specs, to a session.

    Args:
        models: who merges notes; the embedded models where none are given.
        agent: whose words are noted; any agent's where none is named.
        artifacts: where `C.offload` puts tool results.
    """
    for step in steps:
        if isinstance(step, Expr):
            capture_before(session, step)
            asking = recording(session, step, agent, artifacts)
            run_tasks(asking, answering_by(models), session.id)
        else:
            write(session, step.writes(session.snapshot()))


def recording(
    session: Session,
    spec: Expr,
    agent: str,
    artifacts: ArtifactStore | None = None,
    ports: RedactionPorts = NO_PORTS,
) -> TaskGenerator[None]:
    """What a spec writes after the turn: captured outputs, artifacts and notes."""
    planned = plan(spec, session.state, ports)

    def put(data: bytes, name: str) -> str:
        assert artifacts is not None
        return artifacts.put(data, name=name)

    store = put if artifacts is not None else None
    for writer in planned.writers:
        turn = RecordedTurn(session.snapshot(), agent, planned.clean, store)
        values = yield from writer.after(turn)
        write(session, values)


def capture_before(session: Session, spec: Expr) -> None:
    """What a spec writes before the turn, for which nobody is asked."""
    for writer in plan(spec, session.state).writers:
        write(session, writer.before(session.snapshot()))


def write(session: Session, values: dict[str, Any]) -> bool:
    """Set what is not so already; whether anything was."""
    state = session.state
    new = {key: value for key, value in values.items() if state.get(key) != value}
    if new:
        session.update(new)
    return bool(new)
