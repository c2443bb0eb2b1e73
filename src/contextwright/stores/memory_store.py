"""Long-term memory: what outlives a session, written on purpose, found by words and vectors
(context-packs.md#memory)."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import StoreError, WriteConflict, nearest
from contextwright.retrieval.index import ONE, Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.vectors import Vectorizer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores import memory_rows as sql
from contextwright.stores.artifact_retention import refs_in
from contextwright.stores.database import CountingStore, Database, RowDatabase, clock_ms
from contextwright.stores.memory_rows import (
    KINDS,
    MemoryRecord,
    MemoryRow,
    memory_row,
    record_of_row,
    row_of_record,
    values_of,
    whole_rows,
)
from contextwright.stores.session_row import Connection
from contextwright.typed_decoding import decoder

_LARGEST = 2**63
"""SQLite keeps integers below it."""
_DELETION, _TURNED = 1, 2
"""Places of the counters in a row."""


class MemoryHit(msgspec.Struct, frozen=True):
    """A memory and its score from 0 to 1; the best of a search has 1."""

    memory: MemoryRecord
    score: float

    def to_state(self) -> dict[str, Any]:
        """The entry as the state key `knowledge` holds it."""
        one = self.memory
        entry: dict[str, Any] = {"id": one.id, "text": one.text, "kind": one.kind}
        if one.time_ms is not None:
            entry["time_ms"] = one.time_ms
        return entry | {"score": round(self.score, 6)}


class MemoryStore(Protocol):
    """A memory that an engine searches before a turn."""

    def search(
        self, query: str, k: int = 5, *, scope: str = "", kinds: Collection[str] = ()
    ) -> list[MemoryHit]:
        """The memories that matter most, best first."""
        ...


class RowMemory(CountingStore):
    """A `MemoryStore` in the rows of a database, indexed in each process that searches it.

    Args:
        used: the statement that counts uses.
        embedder: for searching by meaning as well; without one, by words.
        half_life_days: days in which a memory's age halves a third of its score; 0 for no decay.
        clock: milliseconds since 1970, for when a memory was written and last found.
    """

    traits = StoreTraits(
        name="memory",
        unreached="other processes hold memories until their next search",
        is_memory=True,
    )

    def __init__(
        self,
        database: RowDatabase,
        used: str,
        embedder: Vectorizer | None,
        half_life_days: float,
        clock: Callable[[], int],
    ) -> None:
        where = f"{type(self).__name__}(...)"
        expect_types(where, StoreError, half_life_days=(half_life_days, float))
        if half_life_days < 0:
            raise StoreError(
                f"half_life_days is {half_life_days}", where=where, fix="0 for no decay, or days"
            )
        if embedder is not None and not callable(getattr(embedder, "vectors", None)):
            raise StoreError(
                f"expected an embedder with vectors(texts), got {type(embedder).__name__}",
                where=where,
                fix="give one, or leave it out: without one, memories are found by words",
            )
        super().__init__(database, used, clock)
        self._embedder, self._half_life_ms = embedder, half_life_days * 86_400_000
        self._indexes: dict[str, Index] = {}
        self._known: dict[str, MemoryRecord] = {}
        self._seen, self._gone, self._turned, self._epoch = 0, 0, 0, 0
        self._damaged: set[int] = set()
        self._lock = threading.RLock()

    @property
    def degraded(self) -> str:
        """Why it searches less well than it might, such as `no embedder: lexical only`."""
        damaged = f"{len(self._damaged)} damaged memories left out" if self._damaged else ""
        return "; ".join(filter(None, (Index(self._embedder).degraded, damaged)))

    def damaged(self) -> list[StoredRecord]:
        """The memories that are not what was written, with what can still be read of them. No
        search finds them and no list has them."""
        return [record for record in self.records() if record.damage]

    def write(self, memory: MemoryRecord | str, **fields: Any) -> MemoryRecord:
        """Keep something; what is kept already stays as it is.

        Raises:
            StoreError: no text, an unknown kind, what no file can hold, or a known id of another
                text or scope.
        """
        one = MemoryRecord(text=memory, **fields) if isinstance(memory, str) else memory
        expect_types("write(memory)", StoreError, memory=(one, MemoryRecord))
        if one is memory and fields:
            raise StoreError(
                f"{next(iter(fields))} is given beside a record",
                where="write(memory, ...)",
                fix="say it in the record: MemoryRecord(text=..., kind=...)",
            )
        _refuse_unfit(one)
        one = one if one.id else msgspec.structs.replace(one, id=_id(one))
        with self._database.writing() as connection:
            stored = _put(connection, MemoryRow(one, self._clock()), self.path)
        if stored is None:
            raise WriteConflict(
                "another memory has this id",
                where=f"memory {one.id!r}",
                fix="leave the id out, or forget the other one first",
            )
        return stored

    def forget(self, ids: Iterable[str]) -> int:
        """Remove memories, their words with them; how many there were."""
        return self._each(sql.FORGET, ids)

    def pin(self, ids: Iterable[str]) -> int:
        """Keep memories from being forgotten by a policy; how many there are."""
        return self._each(sql.PIN, ids)

    def unpin(self, ids: Iterable[str]) -> int:
        """Let policies have memories again; how many were pinned."""
        return self._each(sql.UNPIN, ids)

    def deactivate(self, ids: str | Iterable[str]) -> int:
        """Keep searches from finding memories, one or several; they are not lost. How many were
        active."""
        return self._each(sql.DEACTIVATE, ids)

    def activate(self, ids: str | Iterable[str]) -> int:
        """Let searches find memories again; how many were not active."""
        return self._each(sql.ACTIVATE, ids)

    def list_active(self, scope: str | None = None) -> list[MemoryRecord]:
        """The memories that searches may find, in the order in which they were written.

        Args:
            scope: of this one only; None for all.
        """
        listed = [each.memory for each in self.listed() if each.active]
        return [one for one in listed if scope in (None, one.scope)]

    def listed(self) -> list[MemoryRow]:
        """Every memory, those that are not active too, in the order in which they were written."""
        self._write_uses()
        return self._rows(sql.LISTED)

    def records(self) -> list[StoredRecord]:
        """Every memory; of a damaged one, what can still be read."""
        self._write_uses()
        return [record_of_row(row, self.path) for row in self._database.rows(sql.LISTED)]

    def remove_records(self, ids: Collection[str]) -> int:
        return self.forget(ids)

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put forgotten memories back as they were; the ids of those that are there now. Where
        another memory has taken the id, that one stays."""
        with self._database.writing() as connection:
            rows = map(row_of_record, records)
            put = [(each, _put(connection, each, self.path)) for each in rows]
            return [each.memory.id for each, there in put if there is not None]

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Remove the rows of the memories that match, and those of forgotten ones whose id or
        scope does; every process reads the file anew. How many memories there were."""
        self._write_uses()
        with self._database.writing() as connection:
            rows = connection.execute(sql.ALL).fetchall()
            matching = [row for row in rows if matches(record_of_row(row, self.path))]
            connection.executemany(sql.DELETE, [(row[0],) for row in matching])
            if matching:
                connection.execute(sql.NEXT_EPOCH)
        with self._lock:
            self._catch_up()
        return sum(row[_DELETION] == 0 for row in matching)

    def decisions(self, scope: str = "") -> list[MemoryRecord]:
        """The decisions, in the order in which they were written."""
        return [each.memory for each in self._rows(sql.LOG, scope, "decision")]

    def entities(self, scope: str = "") -> dict[str, MemoryRecord]:
        """The newest memory of each entity."""
        rows = self._rows(sql.LOG, scope, "entity")
        return {each.memory.entity: each.memory for each in rows}

    def refs(self) -> set[str]:
        """The origins of memories of all scopes: `collect` must hold them; of damaged ones what
        can still be read."""
        whole = {ref for each in self._rows(sql.LISTED) for ref in each.memory.origin}
        return whole.union(*(refs_in(record.labels[1]) for record in self.damaged()))

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        scope: str = "",
        kinds: Collection[str] = (),
        now_ms: int | None = None,
    ) -> list[MemoryHit]:
        """The memories of a scope that matter most for a query, best first.

        Args:
            now_ms: milliseconds since 1970, for the decay by age; without it there is none.

        Raises:
            StoreError: an argument of another type, or an unknown kind.
        """
        where = "search(query, k)"
        expect_types(where, StoreError, query=(query, str), k=(k, int), scope=(scope, str))
        time = 0 if now_ms is None else now_ms
        expect_types(where, StoreError, kinds=(kinds, Iterable), now_ms=(time, float))
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        for kind in kinds:
            if kind not in KINDS:
                raise StoreError(
                    f"no memory is of kind {kind!r}", where=where, fix=nearest(str(kind), KINDS)
                )
        pool = self._best_memories(query, 4 * k, scope, kinds)
        aged = [MemoryHit(one, score * self._age(one, now_ms)) for one, score in pool]
        aged.sort(key=lambda hit: (-hit.score, hit.memory.id))
        best = max((hit.score for hit in aged), default=0) or 1
        shown = [MemoryHit(hit.memory, hit.score / best) for hit in aged[:k]]
        used_ms = self._clock() if now_ms is None else now_ms
        self._count_use([hit.memory.id for hit in shown], used_ms)
        return shown

    def _best_memories(
        self, query: str, k: int, scope: str, kinds: Collection[str]
    ) -> list[tuple[MemoryRecord, float]]:
        """The best memories of a scope and their scores, without what age takes."""
        with self._lock:
            self._catch_up()
            index = self._indexes.get(scope)
            hits = index.search(query, k, kinds=kinds) if index is not None else []
            return [(self._known[hit.item.id], hit.score / ONE) for hit in hits]

    def _age(self, one: MemoryRecord, now_ms: int | None) -> float:
        if not self._half_life_ms or now_ms is None or one.time_ms is None:
            return 1.0
        return 2 / 3 + 0.5 ** (max(0, now_ms - one.time_ms) / self._half_life_ms) / 3

    def _rows(self, statement: str, *values: str) -> list[MemoryRow]:
        rows = self._database.rows(statement, *values)
        return [each for _, each in whole_rows(rows)]

    def _catch_up(self) -> None:
        """Take into the indexes what was written, forgotten and turned on or off, here or by
        another process."""
        with self._database.reading() as connection:
            epoch: int = connection.execute(sql.EPOCH).fetchone()[0]
            if epoch != self._epoch:
                self._indexes, self._known = {}, {}
                self._seen, self._gone, self._turned, self._epoch = 0, 0, 0, epoch
            new = connection.execute(sql.NEW, (self._seen,)).fetchall()
            turned = connection.execute(sql.TURNED, (self._turned,)).fetchall()
            forgotten = connection.execute(sql.DELETIONS, (self._gone,)).fetchall()
        by_scope: dict[str, list[Item]] = {}
        live = [row for row in (*new, *turned) if row[_DELETION] == 0]
        whole = list(whole_rows(live))
        self._damaged |= {row[0] for row in live} - {row[0] for row, _ in whole}
        for _, remembered in whole:
            one = remembered.memory
            self._leave_out(one.id)
            if remembered.active:
                self._known[one.id] = one
                by_scope.setdefault(one.scope, []).append(item_of(one))
        for scope, items in by_scope.items():
            if scope not in self._indexes:
                self._indexes[scope] = Index(self._embedder)
            self._indexes[scope].add(items)
        for id, _ in forgotten:
            self._leave_out(id)
        self._seen = new[-1][0] if new else self._seen
        self._turned = max([self._turned, *(row[_TURNED] for row in (*new, *turned))])
        self._gone = forgotten[-1][1] if forgotten else self._gone

    def _leave_out(self, id: str) -> None:
        one = self._known.pop(id, None)
        if one is not None and one.scope in self._indexes:
            self._indexes[one.scope].remove([id])


class SQLiteMemory(RowMemory):
    """A `MemoryStore` in one file; it may be the sessions' own. Usable from several threads and
    processes.

    Args:
        path: the file; made where it is missing.
        embedder, half_life_days, clock: as `RowMemory` has them.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: Vectorizer | None = None,
        half_life_days: float = 0,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        database = Database(path, sql.SCHEMA, fix="give a file of a SQLiteMemory")
        sql.migrate(database)
        super().__init__(database, sql.USED, embedder, half_life_days, clock)


def item_of(one: MemoryRecord) -> Item:
    """A memory as an index has it."""
    return Item(one.id, f"{one.entity} {one.text}".strip(), one.kind)


def _put(connection: Connection, new: MemoryRow, path: str) -> MemoryRecord | None:
    """The memory that is there now under its id: the new one, or the same one as it was kept
    before; None where another one has the id, which stays."""
    one = new.memory
    row = connection.execute(sql.ONE, (one.id,)).fetchone()
    if row is not None:
        known = memory_row(row, path).memory
        return known if (known.text, known.scope) == (one.text, one.scope) else None
    connection.execute(sql.MAKE_WAY, ("\n", one.id))
    connection.execute(sql.INSERT, values_of(new))
    return one


def _refuse_unfit(one: MemoryRecord) -> None:
    try:
        plain = decoder(MemoryRecord).decode(msgspec.json.encode(one))
        fits = bool(plain.text.strip()) and abs(plain.time_ms or 0) < _LARGEST
        fits = fits and 0 <= plain.tier <= 4
    except (msgspec.DecodeError, UnicodeEncodeError, TypeError):
        fits = False
    if not fits:
        raise StoreError(
            "a memory needs a text and a known kind, of characters and numbers that can be kept",
            where=f"kind {one.kind!r}, text {str(one.text)[:40]!r}, time_ms {one.time_ms!r}",
            fix=f"kinds are {', '.join(KINDS)}; time_ms is whole milliseconds; tiers are 1 to 4",
        )


def memory_of(entry: Mapping[str, Any], **fields: Any) -> MemoryRecord:
    """A memory out of a working note, for `SQLiteMemory.write`: an explicit promotion."""
    time_ms = entry.get("time_ms")
    return MemoryRecord(
        text=str(entry.get("text", "")),
        time_ms=time_ms if isinstance(time_ms, int) else None,
        **fields,
    )


def _id(one: MemoryRecord) -> str:
    fields = (one.scope, one.kind, one.entity, one.text)
    named = "\n".join(fields)
    if "\n" in one.scope or "\n" in one.entity:  # lines do not say where one ends
        named = "\n\n" + "".join(f"{len(field)} {field}" for field in fields)
    return "mem_" + sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:12]
