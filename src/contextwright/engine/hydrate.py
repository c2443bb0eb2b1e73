"""Long-term memory into the session's state, before a turn (document 001: "hydrate working
memory before every Planner/Operator turn")."""

from typing import Any

from contextwright.atoms.select.memory import Memory as MemoryAtom
from contextwright.atoms.select.scored import query_in
from contextwright.pack.plan import plan, walk
from contextwright.session.session import Session
from contextwright.session.step import KNOWLEDGE
from contextwright.spec.expr import Expr
from contextwright.stores.memory import MemoryStore

ORIGIN = "memory"
"""What marks entries that were put there; others are the application's and stay."""


def hydrate(session: Session, spec: Expr, memory: MemoryStore, scope: str = "") -> None:
    """Put what matters most for the step and the user's last words under `knowledge`, if the
    spec reads it; the store is asked without what the spec redacts."""
    wanted = [atom for atom in walk(spec) if isinstance(atom, MemoryAtom)]
    if not wanted:
        return
    query = plan(spec).clean(query_in(session.snapshot()))
    found = memory.search(query, max(atom.top_k for atom in wanted), scope=scope) if query else []
    listed: Any = session.state.get(KNOWLEDGE, [])
    given: list[Any] = listed if isinstance(listed, list) else [listed]
    own = [one for one in given if not (isinstance(one, dict) and one.get("from") == ORIGIN)]
    entries = own + [one.to_state() | {"from": ORIGIN} for one in found]
    if entries != given:
        session.update({KNOWLEDGE: entries or None})
