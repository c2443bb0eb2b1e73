"""What is remembered and known into the session's state, before a turn (document 001: "hydrate
working memory before every Planner/Operator turn")."""

from collections.abc import Mapping, Sequence
from typing import Any

from contextwright.compiler.plan import plan, walk
from contextwright.retrieval.item import Hit
from contextwright.retrieval.retriever import Retriever
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.memory_store import MemoryStore
from contextwright.tasks.plan_step import KNOWLEDGE
from contextwright.tasks.scores import query_in

ORIGIN = "memory"
"""What marks entries that were put there; others are the application's and stay."""


def hydrate(
    session: Session,
    spec: Expr,
    memory: MemoryStore | None = None,
    scope: str = "",
    retrievers: Sequence[Retriever] = (),
) -> tuple[str, ...]:
    """Put what matters most for the step and the user's last words under `knowledge`, if the
    spec reads it.

    Args:
        memory: long-term memory, of which `scope` is searched.
        retrievers: the application's documents.

    Returns:
        Why a search was less good than it might have been, for the manifest.
    """
    most = max((atom.traits.hydrates.get(KNOWLEDGE, 0) for atom in walk(spec)), default=0)
    if not most or (memory is None and not retrievers):
        return ()
    query = plan(spec).clean(query_in(session.snapshot()))
    found: list[dict[str, Any]] = []
    if query and memory is not None:
        found += [one.to_state() for one in memory.search(query, most, scope=scope)]
    for retriever in retrievers if query else ():
        found += map(_entry, retriever.search(query, most))
    session.revise(lambda state: _known(state, found))
    poorer = [getattr(one, "degraded", "") for one in (memory, *retrievers)]
    return tuple(dict.fromkeys(f"retrieval: {why}" for why in poorer if why))


def _known(state: Mapping[str, Any], found: list[dict[str, Any]]) -> dict[str, Any]:
    """The application's own entries and what was found, if that is anything new."""
    listed: Any = state.get(KNOWLEDGE, [])
    given: list[Any] = listed if isinstance(listed, list) else [listed]
    own = [one for one in given if not (isinstance(one, dict) and one.get("from") == ORIGIN)]
    entries = own + [one | {"from": ORIGIN} for one in found]
    return {KNOWLEDGE: entries or None} if entries != given else {}


def _entry(hit: Hit) -> dict[str, Any]:
    item = hit.item
    entry: dict[str, Any] = {"id": item.id, "text": item.text, "kind": item.kind}
    if item.time_ms is not None:
        entry["time_ms"] = item.time_ms
    return entry | {"score": hit.score / 1_000_000}
