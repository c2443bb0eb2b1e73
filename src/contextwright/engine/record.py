"""After a turn: what the spec's writers and state steps write. Events are never changed."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from contextwright.atoms.write.capture import Capture
from contextwright.atoms.write.offload import Offload
from contextwright.atoms.write.write_notes import WriteNotes
from contextwright.compiler.plan import plan, walk
from contextwright.engine.embedded import answering_by
from contextwright.engine.offload_results import offloading
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, run_tasks
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.stores.store import ArtifactStore


class StateStep(Protocol):
    """Something that turns a snapshot into a state change: `S.tag(...)`, `C.capture(...)`."""

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state keys to set; None removes one."""
        ...


def record(
    session: Session,
    *steps: StateStep | Expr,
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
            apply(session, captures(step, "user"))
            asking = recording(session, step, agent, artifacts)
            run_tasks(asking, answering_by(models), session.id)
        else:
            apply(session, [step])


def apply(session: Session, steps: Iterable[StateStep]) -> None:
    """Apply steps that ask no model."""
    for step in steps:
        write(session, step.writes(session.snapshot()))


def recording(
    session: Session, spec: Expr, agent: str, artifacts: ArtifactStore | None = None
) -> TaskGenerator[None]:
    """What a spec writes after the turn: captured outputs, artifacts and notes."""
    apply(session, captures(spec, "output"))
    clean: Callable[[str], str] = plan(spec).clean
    for writer in walk(spec):
        if isinstance(writer, Offload):
            yield from offloading(session, writer, artifacts, clean)
        if not isinstance(writer, WriteNotes):
            continue
        task = writer.task(session.snapshot(), agent, clean)
        answer = (yield (task,))[0] if task is not None else None
        write(session, writer.writes(session.snapshot(), agent, answer))


def write(session: Session, values: dict[str, Any]) -> bool:
    """Set what is not so already; whether anything was."""
    state = session.state
    new = {key: value for key, value in values.items() if state.get(key) != value}
    if new:
        session.update(new)
    return bool(new)


def captures(spec: Expr, what: str) -> list[Capture]:
    """The captures of a spec that take the user's words, or the agent's output."""
    return [atom for atom in walk(spec) if isinstance(atom, Capture) and atom.what == what]
