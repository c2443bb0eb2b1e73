"""The journal: what forgetting writes down before it does it, tombstones that hold what was
forgotten until a purge, legal holds, and the audit log."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from contextwright.retention.data_subject import DataSubject
from contextwright.retention.plan_forgetting import LegalHold
from contextwright.retention.retention_policy import RecordSelector
from contextwright.retention.subject_matcher import SubjectIds, SubjectMatcher
from contextwright.stored_record import StoredRecord
from contextwright.stores.database import Database
from contextwright.stores.session_row import Connection
from contextwright.typed_decoding import decoder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS lethe_cycles (number INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL, time_ms INTEGER NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lethe_tombstones (cycle INTEGER NOT NULL, number INTEGER NOT NULL,
    store TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL, body BLOB NOT NULL,
    why TEXT NOT NULL, PRIMARY KEY (cycle, number));
CREATE TABLE IF NOT EXISTS lethe_holds (number INTEGER PRIMARY KEY AUTOINCREMENT,
    target BLOB NOT NULL, reason TEXT NOT NULL, time_ms INTEGER NOT NULL, released_ms INTEGER);
CREATE TABLE IF NOT EXISTS lethe_erasures (number INTEGER PRIMARY KEY AUTOINCREMENT,
    request BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lethe_audit (number INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ms INTEGER NOT NULL, what TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL,
    store TEXT NOT NULL, ids BLOB NOT NULL, digests BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS lethe_audit_stays BEFORE DELETE ON lethe_audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
"""
_IS_FINAL = """
CREATE TRIGGER IF NOT EXISTS lethe_audit_is_final BEFORE UPDATE ON lethe_audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
"""
_CYCLES = "SELECT number, state, time_ms, who, why FROM lethe_cycles ORDER BY number"
_NEW_CYCLE = "INSERT INTO lethe_cycles (state, time_ms, who, why) VALUES ('forgetting', ?, ?, ?)"
_TOMBSTONES = (
    "SELECT number, store, record, body, why FROM lethe_tombstones WHERE cycle = ? ORDER BY number"
)
_DROP = "DELETE FROM lethe_tombstones WHERE cycle = ? AND number = ?"
_AUDIT = """
SELECT number, time_ms, what, who, why, store, ids, digests FROM lethe_audit ORDER BY number
"""
_NOTE = """
INSERT INTO lethe_audit (time_ms, what, who, why, store, ids, digests) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_HELD = """
SELECT number, target, reason, time_ms FROM lethe_holds WHERE released_ms IS NULL ORDER BY number
"""
_HOLD = "INSERT INTO lethe_holds (target, reason, time_ms) VALUES (?, ?, ?)"
_RELEASE = "UPDATE lethe_holds SET released_ms = ? WHERE number = ? AND released_ms IS NULL"
_encode = msgspec.json.Encoder(order="sorted").encode
_record = decoder(StoredRecord).decode
_selector = decoder(RecordSelector).decode
_texts = decoder(tuple[str, ...]).decode


class AuditEntry(msgspec.Struct, frozen=True):
    """A line of the audit log.

    Args:
        time_ms: milliseconds since 1970.
        what: forgotten, restored, purged, erased, held, released, deactivated.
        who: who asked, as they said.
        ids, digests: what it was done to, and the sha256 of what it was; never its content.
            Empty for an erasure.
    """

    number: int
    time_ms: int
    what: str
    who: str
    why: str
    store: str
    ids: tuple[str, ...]
    digests: tuple[str, ...]

    def __str__(self) -> str:
        """A line for people: time in UTC, what, where, which, by whom, why."""
        when = datetime.fromtimestamp(self.time_ms / 1000, tz=UTC).isoformat(" ", "seconds")
        parts = [f"{self.number}  {when}  {self.what}", self.store, ", ".join(self.ids)]
        line = "  ".join(filter(None, [*parts, f"by {self.who}" if self.who else ""]))
        return f"{line}: {self.why}" if self.why else line


class Cycle(msgspec.Struct, frozen=True):
    """A cycle as it stands.

    Args:
        state: forgetting and restoring are under way; forgotten can be restored; restored and
            purged can not.
    """

    number: int
    state: str
    time_ms: int
    who: str = ""
    why: str = ""


class Tombstone(msgspec.Struct, frozen=True):
    """A record that was forgotten, whole: it can be restored until a purge."""

    number: int
    store: str
    record: StoredRecord
    why: str


class ErasureRequest(msgspec.Struct, frozen=True):
    """An erasure that was asked for; kept until it is done. Without a subject only the bytes that
    removed rows left are to go, as after a purge.

    Args:
        ids: of the subject's records; after a crash they can no longer be worked out.
        stores: names of those that it is about, every one of which must be there to end it.
    """

    time_ms: int
    subject: DataSubject | None
    whole: bool = False
    ids: SubjectIds = SubjectIds()
    who: str = ""
    why: str = ""
    number: int = 0
    stores: tuple[str, ...] = ()

    @property
    def matcher(self) -> SubjectMatcher:
        """The matcher of a request that has a data subject."""
        assert self.subject is not None
        return SubjectMatcher(self.subject, whole=self.whole, ids=self.ids)


_request = decoder(ErasureRequest).decode


@runtime_checkable
class JournalStore(Protocol):
    """Where a `Lethe` writes down what it forgets, before it does."""

    path: str
    """Names it in errors."""

    def close(self) -> None: ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted in its files."""
        ...

    def writing(self) -> AbstractContextManager["JournalTransaction"]:
        """One transaction, and the lock on forgetting."""
        ...

    def reading(self) -> AbstractContextManager["JournalTransaction"]:
        """A transaction that reads, without the lock."""
        ...


class Journal:
    """The file of a `Lethe`. Its write lock is the lock on forgetting: a process that dies lets
    go of it, and no two change the stores at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._database = Database(path, _SCHEMA + _IS_FINAL, fix="give Lethe a file of its own")
        self.close, self.scrub = self._database.close, self._database.scrub

    @contextmanager
    def writing(self) -> Generator["JournalTransaction"]:
        """One transaction, and the lock on forgetting."""
        with self._database.writing() as connection:
            yield JournalTransaction(connection)

    @contextmanager
    def reading(self) -> Generator["JournalTransaction"]:
        """A transaction that reads, without the lock."""
        with self._database.reading() as connection:
            yield JournalTransaction(connection)


class JournalTransaction:
    """Statements within a transaction on the journal."""

    unlock_audit, lock_audit = "DROP TRIGGER lethe_audit_is_final", _IS_FINAL
    """What allows changes of the audit log, and what ends that."""

    def __init__(self, connection: Connection) -> None:
        self._run, self._run_each = connection.execute, connection.executemany

    def begin(
        self, evicted: Iterable[tuple[str, StoredRecord, str]], *, time_ms: int, who: str, why: str
    ) -> int:
        """Write down a cycle with all that it evicts; its number."""
        cycle = self._insert(_NEW_CYCLE, time_ms, who, why)
        rows = (
            (cycle, number, store, record.id, _listed(record), record.body, reason)
            for number, (store, record, reason) in enumerate(evicted)
        )
        self._run_each("INSERT INTO lethe_tombstones VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        return cycle

    def set_state(self, cycle: int, state: str) -> None:
        self._run("UPDATE lethe_cycles SET state = ? WHERE number = ?", (state, cycle))

    def cycles(self) -> list[Cycle]:
        """Every cycle, in their order."""
        return [Cycle(*row) for row in self._run(_CYCLES)]

    def cycle(self, number: int) -> Cycle | None:
        """A cycle, if there is one of this number."""
        return next((cycle for cycle in self.cycles() if cycle.number == number), None)

    def unfinished(self) -> list[int]:
        """The cycles that are under way, or were when a process died."""
        return [c.number for c in self.cycles() if c.state in {"forgetting", "restoring"}]

    def tombstones(self, cycle: int) -> list[Tombstone]:
        """The records that a cycle evicted and holds."""
        return [
            Tombstone(number, store, msgspec.structs.replace(_record(record), body=body), why)
            for number, store, record, body, why in self._run(_TOMBSTONES, (cycle,))
        ]

    def drop(self, cycle: int, tombstones: Iterable[Tombstone]) -> None:
        """Delete tombstones of a cycle."""
        self._run_each(_DROP, [(cycle, each.number) for each in tombstones])

    def note(
        self,
        what: str,
        store: str = "",
        records: Sequence[StoredRecord] = (),
        *,
        time_ms: int,
        who: str,
        why: str,
    ) -> None:
        """Add a line to the audit log."""
        ids = _encode([record.id for record in records])
        digests = _encode([record.digest for record in records if record.body])
        self._insert(_NOTE, time_ms, what, who, why, store, ids, digests)

    def audit(self) -> list[AuditEntry]:
        """The audit log, in the order in which it was written."""
        return [
            AuditEntry(*row, ids=_texts(ids), digests=_texts(digests))
            for *row, ids, digests in self._run(_AUDIT)
        ]

    def hold(self, target: RecordSelector, reason: str, time_ms: int) -> int:
        """Write down a hold; its number."""
        return self._insert(_HOLD, _encode(target), reason, time_ms)

    def release(self, number: int, time_ms: int) -> bool:
        """End a hold; whether there was one."""
        return self._run(_RELEASE, (time_ms, number)).rowcount == 1

    def active_holds(self) -> list[LegalHold]:
        """The holds that were not released."""
        return [LegalHold(number, _selector(row), *rest) for number, row, *rest in self._run(_HELD)]

    def request_erasure(self, request: ErasureRequest) -> ErasureRequest:
        """Write down an erasure; the request with its number."""
        number = self._insert("INSERT INTO lethe_erasures (request) VALUES (?)", _encode(request))
        return msgspec.structs.replace(request, number=number)

    def erasures(self) -> list[ErasureRequest]:
        """The erasures that are not done."""
        rows = self._run("SELECT number, request FROM lethe_erasures ORDER BY number").fetchall()
        return [msgspec.structs.replace(_request(body), number=number) for number, body in rows]

    def forget_subject(self, request: ErasureRequest) -> None:
        """The stores have nothing of the person any more: nor has this."""
        left = ErasureRequest(time_ms=request.time_ms, subject=None, stores=request.stores)
        row = (_encode(left), request.number)
        self._run("UPDATE lethe_erasures SET request = ? WHERE number = ?", row)

    def end_erasure(self, request: ErasureRequest) -> None:
        """An erasure is done."""
        self._run("DELETE FROM lethe_erasures WHERE number = ?", (request.number,))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Put what `change` makes of every text of the audit, the holds and the cycles in its
        place: the one thing that changes an audit log. Digests of lines that change go."""

        def selector(target: bytes) -> bytes:
            old = _selector(target)
            scopes = tuple(map(change, old.scopes))
            return _encode(msgspec.structs.replace(old, ids=change(old.ids), scopes=scopes))

        def line(row: list[Any]) -> tuple[Any, ...]:
            ids, digests, who, why = row
            new = _encode([change(id) for id in _texts(ids)])
            return new, digests if new == ids else b"[]", change(who), change(why)

        self._rewrite("lethe_cycles", "who, why", lambda row: tuple(map(change, row)))
        self._rewrite("lethe_holds", "target, reason", lambda r: (selector(r[0]), change(r[1])))
        self._rewrite("lethe_audit", "ids, digests, who, why", line)

    def clear_digests(self, digests: Iterable[str]) -> None:
        """Take digests of erased contents out of the audit: who guesses the content could tell
        by them that it was there."""
        erased = set(digests)
        self._rewrite(
            "lethe_audit",
            "digests",
            lambda row: (_encode([each for each in _texts(row[0]) if each not in erased]),),
        )

    def _rewrite(
        self, table: str, columns: str, change: Callable[[list[Any]], tuple[Any, ...]]
    ) -> None:
        rows = self._run(f"SELECT number, {columns} FROM {table}").fetchall()  # noqa: S608
        marks = ", ".join(f"{column} = ?" for column in columns.split(", "))
        update = f"UPDATE {table} SET {marks} WHERE number = ?"  # noqa: S608
        self._run(self.unlock_audit)
        for number, *values in rows:
            new = change(values)
            if new != tuple(values):
                self._run(update, (*new, number))
        self._run(self.lock_audit)

    def _insert(self, statement: str, *values: Any) -> int:
        """The number of the new row."""
        return self._run(statement, values).lastrowid or 0


def by_store(tombstones: Sequence[Tombstone]) -> dict[str, list[StoredRecord]]:
    """The records that were evicted from each store."""
    records: dict[str, list[StoredRecord]] = {}
    for each in tombstones:
        records.setdefault(each.store, []).append(each.record)
    return records


def _listed(record: StoredRecord) -> bytes:
    """A record without what its body says again."""
    return _encode(msgspec.structs.replace(record, text="", labels=(), body=b""))
