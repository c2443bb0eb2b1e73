"""What is remembered and known into the session's state, before a turn
(context-packs.md#memory)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.compiler.plan import plan, walk
from contextwright.compute_gate import waiting
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.retrieval.item import Hit
from contextwright.retrieval.retriever import Retriever
from contextwright.retrieval.vectors import reason_of
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.tasks.plan_step import KNOWLEDGE
from contextwright.tasks.proofs import Proof, listed_proofs
from contextwright.tasks.scores import query_in

if TYPE_CHECKING:
    from contextwright.stores.memory_store import MemoryStore

Recalled = Callable[[Sequence[object], int, int], None]
ORIGIN = "memory"
"""What marks entries that were put there; others are the application's and stay."""


def hydrate(
    session: Session,
    spec: Expr,
    memory: "MemoryStore | None" = None,
    scope: str = "",
    retrievers: Sequence[Retriever] = (),
    ports: RedactionPorts = NO_PORTS,
    recalled: Recalled | None = None,
) -> tuple[str, ...]:
    """Put what matters most for the step and the user's last words under `knowledge`, if the
    spec reads it.

    Args:
        memory: what is searched, in `scope`, beside the retrievers.
        ports: what the application gives redactions: no query has what they keep out.
        recalled: told what was searched, how many entries it gave, and how many failed.

    Returns:
        Why a search was less good than it might have been, for the manifest.
    """
    most = max((atom.traits.hydrates.get(KNOWLEDGE, 0) for atom in walk(spec)), default=0)
    if not most or (memory is None and not retrievers):
        return ()
    query = plan(spec, ports=ports).clean(query_in(session.snapshot()))
    entries: list[dict[str, Any]] = []
    notes: list[str] = []
    if query and memory is not None:

        def remembered() -> list[dict[str, Any]]:
            return [one.to_state() for one in memory.search(query, most, scope=scope)]

        entries += _searched(memory, remembered, notes)
    for retriever in retrievers if query else ():
        entries += _searched(retriever, partial(_hits, retriever, query, most), notes)
    put_entries(session, KNOWLEDGE, entries, ORIGIN)
    if recalled is not None and query:
        sources = [] if memory is None else [memory]
        recalled([*sources, *retrievers], len(entries), sum(map(bool, notes)))
    return tuple(dict.fromkeys(f"retrieval: {why}" for why in notes if why))


def _searched(
    source: object, search: Callable[[], list[dict[str, Any]]], notes: list[str]
) -> list[dict[str, Any]]:
    """What a search gave, and a note of why it was not better; nothing where it failed: what is
    not remembered ends no turn."""
    try:
        with waiting():
            entries = search()
        notes.append(str(getattr(source, "degraded", "")))
    except Exception as error:  # noqa: BLE001 -- a retriever of the user's may raise anything
        notes.append(f"{type(source).__name__} failed ({reason_of(error)}): left out")
        return []
    return entries


def _hits(retriever: Retriever, query: str, most: int) -> list[dict[str, Any]]:
    return [_entry(hit) for hit in retriever.search(query, most)]


def put_entries(session: Session, key: str, entries: Sequence[dict[str, Any]], origin: str) -> None:
    """Put entries under a state key in place of those that came from the same origin before.
    Those of the application stay, and win over an entry of the same `uri`.

    Args:
        key: `knowledge` or `evidence`.
        origin: marks the entries as `from` it.
    """
    marked = [entry | {"from": origin} for entry in entries]

    def replaced(state: Mapping[str, Any]) -> dict[str, Any]:
        listed: Any = state.get(key, [])
        before: list[Any] = listed if isinstance(listed, list) else [listed]
        own = [one for one in before if not (isinstance(one, dict) and one.get("from") == origin)]
        known = {proof.uri for proof in listed_proofs(own)}
        after = own + [one for one in marked if "uri" not in one or one["uri"] not in known]
        return {key: after or None} if after != before else {}

    session.revise(replaced)


def evidence_entry(uri: str, summary: str) -> dict[str, Any]:
    """An artifact as the state key `evidence` lists it."""
    return msgspec.to_builtins(Proof(uri=uri, summary=summary))


def _entry(hit: Hit) -> dict[str, Any]:
    item = hit.item
    entry: dict[str, Any] = {"id": item.id, "text": item.text, "kind": item.kind}
    if item.time_ms is not None:
        entry["time_ms"] = item.time_ms
    return entry | {"score": hit.score / 1_000_000}
