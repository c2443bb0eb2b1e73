"""Long-term memory: what outlives a session, written on purpose, found by words and vectors
(document 001, "Memory Design")."""

import threading
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from contextwright.errors import StoreError
from contextwright.recall.index import Index
from contextwright.recall.item import Item
from contextwright.recall.vectors import Vectorizer
from contextwright.stores.database import Database

Kind = Literal["note", "fact", "entity", "decision", "preference", "checkpoint"]
KINDS = ("note", "fact", "entity", "decision", "preference", "checkpoint")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL,
    text TEXT NOT NULL, time_ms INTEGER, origin BLOB NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS memories_log ON memories (scope, kind, number);
CREATE INDEX IF NOT EXISTS memories_gone ON memories (gone);
"""
_COLUMNS = "SELECT number, id, scope, kind, entity, text, time_ms, origin, gone FROM memories"
_NEW = _COLUMNS + " WHERE number > ? ORDER BY number"
_LOG = _COLUMNS + " WHERE scope = ? AND kind = ? AND gone = 0 ORDER BY number"
_ONE = _COLUMNS + " WHERE id = ? AND gone = 0"
_FORGET = """
UPDATE memories SET gone = (SELECT max(gone) FROM memories) + 1, text = '', entity = '',
    origin = '[]' WHERE id = ? AND gone = 0
"""
_MAKE_WAY = "UPDATE memories SET id = id || char(10) || number WHERE id = ? AND gone > 0"
_GONE = "SELECT id, gone FROM memories WHERE gone > ? ORDER BY gone"
"""`gone` counts upward, so that every process sees what went since it looked."""
_LARGEST = 2**63


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Something worth keeping.

    Args:
        id: by default named by its content, so that the same thing is kept once.
        scope: whose it is: a user, a team; searches see one scope only.
        entity: what it is about, for `entity` memories: a later one of the same replaces it in
            `entities`, the log keeps both.
        time_ms: when it was so, in milliseconds since 1970.
        origin: refs of the events and artifacts that it comes from.
    """

    text: str
    kind: Kind = "note"
    scope: str = ""
    entity: str = ""
    time_ms: int | None = None
    origin: tuple[str, ...] = ()
    id: str = ""


class Found(msgspec.Struct, frozen=True):
    """A memory and its score from 0 to 1; the best of a search has 1."""

    memory: Memory
    score: float

    def to_state(self) -> dict[str, Any]:
        """The entry as the state key `knowledge` holds it."""
        one = self.memory
        entry: dict[str, Any] = {"id": one.id, "text": one.text, "kind": one.kind}
        if one.time_ms is not None:
            entry["time_ms"] = one.time_ms
        return entry | {"score": round(self.score, 6)}


class MemoryStore(Protocol):
    """What an engine asks before a turn."""

    def search(
        self, query: str, k: int = 5, *, scope: str = "", kinds: Collection[str] = ()
    ) -> list[Found]:
        """The memories that matter most, best first."""
        ...


class SQLiteMemory:
    """A `MemoryStore` in one file; it may be the sessions' own. Usable from several threads and
    processes.

    Args:
        path: the file; made where it is missing.
        embedder: for searching by meaning as well; without one, by words.
        half_life_days: days in which a memory's age halves a third of its score; 0 for no decay.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: Vectorizer | None = None,
        half_life_days: float = 0,
    ) -> None:
        self._database = Database(path, _SCHEMA, fix="give a file of a SQLiteMemory")
        self._embedder, self._half_life_ms = embedder, half_life_days * 86_400_000
        self._indexes: dict[str, Index] = {}
        self._known: dict[str, Memory] = {}
        self._seen, self._gone = 0, 0
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def degraded(self) -> str:
        """Why it searches less well than it might, such as `no embedder: lexical only`."""
        return Index(self._embedder).degraded

    def write(self, memory: Memory | str, **fields: Any) -> Memory:
        """Keep something; what is kept already stays as it is.

        Raises:
            StoreError: no text, an unknown kind, what no file can hold, or a known id of another
                text or scope.
        """
        one = Memory(text=memory, **fields) if isinstance(memory, str) else memory
        _refuse_unfit(one)
        one = one if one.id else msgspec.structs.replace(one, id=_id(one))
        with self._database.writing() as connection:
            row = connection.execute(_ONE, (one.id,)).fetchone()
            if row is not None:
                known = _memory(row)
                if (known.text, known.scope) != (one.text, one.scope):
                    raise StoreError(
                        "another memory has this id",
                        where=f"memory {one.id!r}",
                        fix="leave the id out, or forget the other one first",
                    )
                return known
            connection.execute(_MAKE_WAY, (one.id,))
            values = (one.id, one.scope, one.kind, one.entity, one.text, one.time_ms)
            connection.execute(
                "INSERT INTO memories (id, scope, kind, entity, text, time_ms, origin) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*values, msgspec.json.encode(one.origin)),
            )
        return one

    def forget(self, ids: Iterable[str]) -> int:
        """Remove memories, their words with them; how many there were."""
        with self._database.writing() as connection:
            given = [ids] if isinstance(ids, str) else ids
            return sum(connection.execute(_FORGET, (id,)).rowcount for id in given)

    def decisions(self, scope: str = "") -> list[Memory]:
        """What was decided, in the order in which it was written."""
        return self._log(scope, "decision")

    def entities(self, scope: str = "") -> dict[str, Memory]:
        """What is known of each entity: its newest memory."""
        return {one.entity: one for one in self._log(scope, "entity")}

    def refs(self) -> set[str]:
        """What memories come from, of all scopes: `collect` must hold it."""
        with self._database.reading() as connection:
            rows = connection.execute(_COLUMNS + " WHERE gone = 0").fetchall()
        return {ref for row in rows for ref in _memory(row).origin}

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        scope: str = "",
        kinds: Collection[str] = (),
        now_ms: int | None = None,
    ) -> list[Found]:
        """The memories of a scope that matter most for a query, best first.

        Args:
            now_ms: milliseconds since 1970, for the decay by age; without it there is none.
        """
        with self._lock:
            self._catch_up()
            index = self._indexes.get(scope)
            hits = index.search(query, 4 * k, kinds=kinds) if index is not None else []
            known = [(self._known[hit.item.id], hit.score / 1_000_000) for hit in hits]
        aged = [Found(one, score * self._age(one, now_ms)) for one, score in known]
        aged.sort(key=lambda found: (-found.score, found.memory.id))
        best = max((found.score for found in aged), default=0) or 1
        return [Found(found.memory, found.score / best) for found in aged[:k]]

    def _age(self, one: Memory, now_ms: int | None) -> float:
        if not self._half_life_ms or now_ms is None or one.time_ms is None:
            return 1.0
        return 2 / 3 + 0.5 ** (max(0, now_ms - one.time_ms) / self._half_life_ms) / 3

    def _log(self, scope: str, kind: str) -> list[Memory]:
        with self._database.reading() as connection:
            return [_memory(row) for row in connection.execute(_LOG, (scope, kind))]

    def _catch_up(self) -> None:
        """Take into the indexes what was written and forgotten, here or by another process."""
        with self._database.reading() as connection:
            new = connection.execute(_NEW, (self._seen,)).fetchall()
            gone = connection.execute(_GONE, (self._gone,)).fetchall()
        by_scope: dict[str, list[Item]] = {}
        for row in new:
            if not row[-1]:
                self._leave_out(row[1])
                one = self._known[row[1]] = _memory(row)
                item = Item(one.id, f"{one.entity} {one.text}".strip(), one.kind)
                by_scope.setdefault(one.scope, []).append(item)
        for scope, items in by_scope.items():
            if scope not in self._indexes:
                self._indexes[scope] = Index(self._embedder)
            self._indexes[scope].add(items)
        for id, _ in gone:
            self._leave_out(id)
        self._seen = new[-1][0] if new else self._seen
        self._gone = gone[-1][1] if gone else self._gone

    def _leave_out(self, id: str) -> None:
        one = self._known.pop(id, None)
        if one is not None and one.scope in self._indexes:
            self._indexes[one.scope].remove([id])


def _refuse_unfit(one: Memory) -> None:
    try:
        plain = msgspec.json.decode(msgspec.json.encode(one), type=Memory)
        fits = bool(plain.text.strip()) and abs(plain.time_ms or 0) < _LARGEST
    except (msgspec.DecodeError, UnicodeEncodeError, TypeError):
        fits = False
    if not fits:
        raise StoreError(
            "a memory needs a text and a known kind, of characters and numbers that can be kept",
            where=f"kind {one.kind!r}, text {str(one.text)[:40]!r}, time_ms {one.time_ms!r}",
            fix=f"kinds are {', '.join(KINDS)}; time_ms is whole milliseconds",
        )


def memory_of(entry: Mapping[str, Any], **fields: Any) -> Memory:
    """A memory out of a working note, for `SQLiteMemory.write`: an explicit promotion."""
    time_ms = entry.get("time_ms")
    return Memory(
        text=str(entry.get("text", "")),
        time_ms=time_ms if isinstance(time_ms, int) else None,
        **fields,
    )


def _memory(row: tuple[Any, ...]) -> Memory:
    _, id, scope, kind, entity, text, time_ms, origin, _ = row
    return Memory(
        id=id,
        scope=scope,
        kind=kind,
        entity=entity,
        text=text,
        time_ms=time_ms,
        origin=msgspec.json.decode(origin, type=tuple[str, ...]),
    )


def _id(one: Memory) -> str:
    named = f"{one.scope}\n{one.kind}\n{one.entity}\n{one.text}"
    return "mem_" + sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:12]
