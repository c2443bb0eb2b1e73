"""The journal: what forgetting writes down before it does it, tombstones that hold what was
forgotten until a purge, legal holds, and the audit log."""

import sqlite3
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from contextwright.retention.data_subject import DataSubject
from contextwright.retention.plan_forgetting import LegalHold
from contextwright.retention.retention_policy import RecordSelector
from contextwright.stored_record import StoredRecord
from contextwright.stores.database import Database

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
_TOMBSTONES = (
    "SELECT number, store, record, body, why FROM lethe_tombstones WHERE cycle = ? ORDER BY number"
)
_CYCLE = "SELECT number, state, time_ms, who, why FROM lethe_cycles WHERE number = ?"
_UNFINISHED = """
SELECT number FROM lethe_cycles WHERE state IN ('forgetting', 'restoring') ORDER BY number
"""
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(StoredRecord).decode


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
        sessions: further ids of the data subject's sessions.
        memories, threads, folders: see `SubjectMatcher`; after a crash they can no longer be worked
            out.
        stores: names of those that it is about, every one of which must be there to end it.
    """

    time_ms: int
    subject: DataSubject | None
    whole: bool = False
    sessions: tuple[str, ...] = ()
    who: str = ""
    why: str = ""
    memories: tuple[str, ...] = ()
    number: int = 0
    threads: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()


class Journal:
    """The file of a `Lethe`. Its write lock is the lock on forgetting: a process that dies lets
    go of it, and no two change the stores at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._database = Database(path, _SCHEMA + _IS_FINAL, fix="give Lethe a file of its own")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the file."""
        self._database.scrub()

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

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run, self._run_each = connection.execute, connection.executemany

    def begin(
        self, evicted: Iterable[tuple[str, StoredRecord, str]], *, time_ms: int, who: str, why: str
    ) -> int:
        """Write down a cycle with all that it evicts; its number."""
        cycle = self._insert(
            "INSERT INTO lethe_cycles (state, time_ms, who, why) VALUES ('forgetting', ?, ?, ?)",
            (time_ms, who, why),
        )
        self._run_each(
            "INSERT INTO lethe_tombstones VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (cycle, n, store, record.id, _encode(_without_content(record)), record.body, reason)
                for n, (store, record, reason) in enumerate(evicted)
            ),
        )
        return cycle

    def set_state(self, cycle: int, state: str) -> None:
        """Write down that a cycle is further on."""
        self._run("UPDATE lethe_cycles SET state = ? WHERE number = ?", (state, cycle))

    def cycles(self) -> list[Cycle]:
        """Every cycle, in their order."""
        rows = self._run(
            "SELECT number, state, time_ms, who, why FROM lethe_cycles ORDER BY number"
        )
        return [Cycle(*row) for row in rows]

    def cycle(self, number: int) -> Cycle | None:
        """A cycle, if there is one of this number."""
        row = self._run(_CYCLE, (number,)).fetchone()
        return None if row is None else Cycle(*row)

    def unfinished(self) -> list[int]:
        """The cycles that are under way, or were when a process died."""
        return [row[0] for row in self._run(_UNFINISHED)]

    def tombstones(self, cycle: int) -> list[Tombstone]:
        """The records that a cycle evicted and holds."""
        rows = self._run(_TOMBSTONES, (cycle,))
        return [
            Tombstone(number, store, msgspec.structs.replace(_decode(record), body=body), why)
            for number, store, record, body, why in rows
        ]

    def drop(self, cycle: int, numbers: Iterable[int]) -> None:
        """Delete tombstones of a cycle."""
        self._run_each(
            "DELETE FROM lethe_tombstones WHERE cycle = ? AND number = ?",
            [(cycle, number) for number in numbers],
        )

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
        self._run(
            "INSERT INTO lethe_audit (time_ms, what, who, why, store, ids, digests) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(time_ms, what, who, why, store),
                _encode([record.id for record in records]),
                _encode([record.digest for record in records if record.body]),
            ),
        )

    def audit(self) -> list[AuditEntry]:
        """The audit log, in the order in which it was written."""
        rows = self._run(
            "SELECT number, time_ms, what, who, why, store, ids, digests FROM lethe_audit "
            "ORDER BY number"
        )
        return [_audit_entry(row) for row in rows]

    def hold(self, target: RecordSelector, reason: str, time_ms: int) -> int:
        """Write down a hold; its number."""
        return self._insert(
            "INSERT INTO lethe_holds (target, reason, time_ms) VALUES (?, ?, ?)",
            (_encode(target), reason, time_ms),
        )

    def release(self, number: int, time_ms: int) -> bool:
        """End a hold; whether there was one."""
        cursor = self._run(
            "UPDATE lethe_holds SET released_ms = ? WHERE number = ? AND released_ms IS NULL",
            (time_ms, number),
        )
        return cursor.rowcount == 1

    def active_holds(self) -> list[LegalHold]:
        """The holds that were not released."""
        return [hold for hold in self.holds() if hold.released_ms is None]

    def holds(self) -> list[LegalHold]:
        """Every hold, released ones too."""
        rows = self._run(
            "SELECT number, target, reason, time_ms, released_ms FROM lethe_holds ORDER BY number"
        )
        return [
            LegalHold(number, msgspec.json.decode(target, type=RecordSelector), *rest)
            for number, target, *rest in rows
        ]

    def request_erasure(self, request: ErasureRequest) -> int:
        """Write down an erasure; its number."""
        return self._insert("INSERT INTO lethe_erasures (request) VALUES (?)", (_encode(request),))

    def erasures(self) -> list[ErasureRequest]:
        """The erasures that are not done."""
        rows = self._run("SELECT number, request FROM lethe_erasures ORDER BY number").fetchall()
        return [
            msgspec.structs.replace(msgspec.json.decode(body, type=ErasureRequest), number=number)
            for number, body in rows
        ]

    def forget_subject(self, request: ErasureRequest) -> None:
        """The stores have nothing of the person any more: nor has this."""
        left = ErasureRequest(time_ms=request.time_ms, subject=None, stores=request.stores)
        self._run(
            "UPDATE lethe_erasures SET request = ? WHERE number = ?",
            (_encode(left), request.number),
        )

    def end_erasure(self, request: ErasureRequest) -> None:
        """An erasure is done."""
        self._run("DELETE FROM lethe_erasures WHERE number = ?", (request.number,))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Put what `change` makes of every text of the audit, the holds and the cycles in its
        place: the one thing that changes an audit log. Digests of lines that change go."""
        for number, who, why in self._run("SELECT number, who, why FROM lethe_cycles").fetchall():
            self._run(
                "UPDATE lethe_cycles SET who = ?, why = ? WHERE number = ?",
                (change(who), change(why), number),
            )
        holds = self._run("SELECT number, target, reason FROM lethe_holds").fetchall()
        for number, target, reason in holds:
            self._run(
                "UPDATE lethe_holds SET target = ?, reason = ? WHERE number = ?",
                (_encode(_rewritten(target, change)), change(reason), number),
            )

        def rewritten(entry: AuditEntry) -> AuditEntry:
            ids = tuple(map(change, entry.ids))
            return msgspec.structs.replace(
                entry,
                ids=ids,
                digests=entry.digests if ids == entry.ids else (),
                who=change(entry.who),
                why=change(entry.why),
            )

        self._rewrite_audit(rewritten)

    def clear_digests(self, digests: Iterable[str]) -> None:
        """Take digests of erased contents out of the audit: who guesses the content could tell
        by them that it was there."""
        erased = set(digests)
        self._rewrite_audit(
            lambda entry: msgspec.structs.replace(
                entry, digests=tuple(each for each in entry.digests if each not in erased)
            )
        )

    def _rewrite_audit(self, change: Callable[[AuditEntry], AuditEntry]) -> None:
        self._run("DROP TRIGGER lethe_audit_is_final")
        for entry in self.audit():
            new = change(entry)
            if new != entry:
                self._run(
                    "UPDATE lethe_audit SET ids = ?, digests = ?, who = ?, why = ? "
                    "WHERE number = ?",
                    (_encode(new.ids), _encode(new.digests), new.who, new.why, entry.number),
                )
        self._run(_IS_FINAL)

    def _insert(self, statement: str, values: tuple[Any, ...]) -> int:
        """The number of the new row."""
        return self._run(statement, values).lastrowid or 0


def by_store(tombstones: Sequence[Tombstone]) -> dict[str, list[StoredRecord]]:
    """The records that were evicted from each store."""
    records: dict[str, list[StoredRecord]] = {}
    for each in tombstones:
        records.setdefault(each.store, []).append(each.record)
    return records


def _audit_entry(row: tuple[Any, ...]) -> AuditEntry:
    number, time_ms, what, who, why, store, ids, digests = row
    texts = tuple[str, ...]
    return AuditEntry(
        *(number, time_ms, what, who, why, store),
        ids=msgspec.json.decode(ids, type=texts),
        digests=msgspec.json.decode(digests, type=texts),
    )


def _rewritten(target: bytes, change: Callable[[str], str]) -> RecordSelector:
    selector = msgspec.json.decode(target, type=RecordSelector)
    return msgspec.structs.replace(
        selector, ids=change(selector.ids), scopes=tuple(map(change, selector.scopes))
    )


def _without_content(record: StoredRecord) -> StoredRecord:
    """A record without what its body says again."""
    return msgspec.structs.replace(record, text="", labels=(), body=b"")
