"""After a turn: what the spec's writers and state steps write."""

from typing import Protocol

from contextwright.atoms.write.capture import Capture
from contextwright.pack.plan import walk
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr


class StateStep(Protocol):
    """Something that turns a snapshot into a state change: `S.tag(...)`, `C.capture(...)`."""

    def writes(self, snapshot: Snapshot) -> dict[str, object]:
        """The state keys to set."""
        ...


def record(session: Session, *steps: StateStep | Expr) -> None:
    """Apply state steps, and the writers of specs, to a session. Events are never changed."""
    for step in steps:
        writers = [step] if not isinstance(step, Expr) else captures(step)
        for writer in writers:
            change = writer.writes(session.snapshot())
            new = {key: value for key, value in change.items() if session.state.get(key) != value}
            if new:
                session.update(new)


def captures(spec: Expr) -> list[Capture]:
    """The captures of a spec."""
    return [atom for atom in walk(spec) if isinstance(atom, Capture)]
