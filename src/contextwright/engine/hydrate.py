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
from contextwright.retrieval.token_budget import ranked
from contextwright.retrieval.vectors import reason_of
from contextwright.session.session import Session
from contextwright.spec.expr import Atom, Expr
from contextwright.tasks.plan_step import KNOWLEDGE
from contextwright.tasks.proofs import Proof, listed_proofs
from contextwright.tasks.scores import earlier_in, query_in

if TYPE_CHECKING:
    from contextwright.stores.memory_store import MemoryStore

Search = Callable[[], list[dict[str, Any]]]
Recalled = Callable[[Sequence[object], int, int], None]
CHARS = 6
"""Characters for a token: texts have fewer, so that enough are there to fill the room."""
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
    """Put what matters most for the step and the user's last words under `knowledge`, and what
    `C.within` may send under its key, if the spec reads them.

    Args:
        memory: what is searched, in `scope`, beside the retrievers.
        ports: what the application gives redactions: no query has what they keep out.
        recalled: told what was searched, how many entries it gave, and how many failed.

    Returns:
        Why a search was less good than it might have been, for the manifest.
    """
    if memory is None and not retrievers:
        return ()
    atoms = tuple(walk(spec))
    most = max((atom.traits.hydrates.get(KNOWLEDGE, 0) for atom in atoms), default=0)
    rooms = _rooms(atoms) if retrievers else {}
    stores = [memory] if memory is not None and most else []
    if not stores and not (retrievers and (most or rooms)):
        return ()
    clean, snapshot = plan(spec, ports=ports).clean, session.snapshot()
    query, earlier = clean(query_in(snapshot)), list(map(clean, earlier_in(snapshot)))
    searches: dict[str, list[tuple[object, Search]]] = {}
    if most:
        known = [(store, partial(_remembered, store, query, most, scope)) for store in stores]
        hits = [(one, partial(_hits, one, query, most)) for one in retrievers]
        searches[KNOWLEDGE] = [*known, *hits]
    for key, room in rooms.items():
        searches[key] = [(one, partial(_packed, one, query, earlier, room)) for one in retrievers]
    notes: list[str] = []
    filled = 0
    for key, pairs in searches.items():
        entries = [one for pair in pairs if query for one in _searched(*pair, notes)]
        put_entries(session, key, entries, ORIGIN)
        filled += len(entries)
    if recalled is not None and query:
        recalled([*stores, *retrievers], filled, sum(map(bool, notes)))
    return tuple(dict.fromkeys(f"retrieval: {why}" for why in notes if why))


def _searched(source: object, search: Search, notes: list[str]) -> list[dict[str, Any]]:
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


def _rooms(atoms: Sequence[Atom]) -> dict[str, int]:
    """The state keys that words pack from, each with the most tokens that one of them has."""
    rooms: dict[str, int] = {}
    for atom in atoms:
        for key, room in atom.traits.packs.items():
            rooms[key] = max(room, rooms.get(key, 0))
    return rooms


def _packed(
    retriever: Retriever, query: str, earlier: Sequence[str], max_tokens: int
) -> list[dict[str, Any]]:
    """The best texts, with their ranks, in the order of the retriever's items: as many as may fit.
    Their tokens are counted when the request is made."""
    ranking = ranked(retriever, query, earlier=earlier)
    ranks: dict[int, int] = {}
    room = max_tokens * CHARS
    for rank, place in enumerate(ranking.order):
        if room <= 0:
            break
        ranks[place] = rank
        room -= len(ranking.items[place].text)
    entries: list[dict[str, Any]] = []
    for place, rank in sorted(ranks.items()):
        item = ranking.items[place]
        entry = {"id": item.id, "text": item.text, "kind": item.kind, "rank": rank}
        entries.append(entry | ({"role": item.role} if item.role else {}))
        if item.thread:
            entries[-1]["thread"] = item.thread
    return entries


def _remembered(memory: "MemoryStore", query: str, most: int, scope: str) -> list[dict[str, Any]]:
    return [one.to_state() for one in memory.search(query, most, scope=scope)]


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
