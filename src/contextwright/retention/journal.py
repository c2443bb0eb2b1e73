"""What forgetting writes down before it does it, what it holds until a purge, and the audit."""

import sqlite3
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from contextwright.retention.data_subject import Person
from contextwright.retention.place import Record, Row
from contextwright.retention.policies import Target
from contextwright.retention.row_plan import Hold
from contextwright.stores.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS lethe_cycles (number INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL, time_ms INTEGER NOT NULL, who TEXT NOT NULL, asked TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lethe_trash (cycle INTEGER NOT NULL, number INTEGER NOT NULL,
    place TEXT NOT NULL, id TEXT NOT NULL, row BLOB NOT NULL, body BLOB NOT NULL,
    why TEXT NOT NULL, PRIMARY KEY (cycle, number));
CREATE TABLE IF NOT EXISTS lethe_holds (number INTEGER PRIMARY KEY AUTOINCREMENT,
    target BLOB NOT NULL, reason TEXT NOT NULL, time_ms INTEGER NOT NULL, released_ms INTEGER);
CREATE TABLE IF NOT EXISTS lethe_erasures (number INTEGER PRIMARY KEY AUTOINCREMENT,
    asked BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lethe_audit (number INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ms INTEGER NOT NULL, what TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL,
    place TEXT NOT NULL, ids BLOB NOT NULL, digests BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS lethe_audit_stays BEFORE DELETE ON lethe_audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
CREATE TRIGGER IF NOT EXISTS lethe_audit_is_final BEFORE UPDATE ON lethe_audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
"""
_IS_FINAL = """
CREATE TRIGGER lethe_audit_is_final BEFORE UPDATE ON lethe_audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END
"""
_TRASH = "SELECT number, place, row, body, why FROM lethe_trash WHERE cycle = ? ORDER BY number"
_CYCLE = "SELECT number, state, time_ms, who, asked FROM lethe_cycles WHERE number = ?"
_UNFINISHED = """
SELECT number FROM lethe_cycles WHERE state IN ('forgetting', 'restoring') ORDER BY number
"""
_encode = msgspec.json.Encoder(order="sorted").encode


class Entry(msgspec.Struct, frozen=True):
    """A line of the audit.

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
    place: str
    ids: tuple[str, ...]
    digests: tuple[str, ...]

    def __str__(self) -> str:
        """A line for people: time in UTC, what, where, which, by whom, why."""
        when = datetime.fromtimestamp(self.time_ms / 1000, tz=UTC).isoformat(" ", "seconds")
        parts = [f"{self.number}  {when}  {self.what}", self.place, ", ".join(self.ids)]
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


class Trashed(msgspec.Struct, frozen=True):
    """A thing that was forgotten, whole."""

    number: int
    place: str
    row: Row
    record: Record
    why: str


class Request(msgspec.Struct, frozen=True):
    """An erasure that was asked for; kept until it is done. Without a person only the bytes that
    removed rows left are to go, as after a purge.

    Args:
        sessions: that are the person's because the caller says so.
        memories, threads, folders: what was found to be the person's, see `Theirs`: after a
            crash it may not be found again.
        places: names of those that it is about, every one of which must be there to end it.
    """

    time_ms: int
    person: Person | None
    whole: bool = False
    sessions: tuple[str, ...] = ()
    who: str = ""
    why: str = ""
    memories: tuple[str, ...] = ()
    number: int = 0
    threads: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


class Journal:
    """The file of a `Lethe`. Its write lock is the lock on forgetting: a process that dies lets
    go of it, and no two change the places at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._database = Database(path, _SCHEMA, fix="give a file of a Lethe, of its own")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the file."""
        self._database.scrub()

    @contextmanager
    def writing(self) -> Generator["Pen"]:
        """One transaction, and the lock on forgetting."""
        with self._database.writing() as connection:
            yield Pen(connection)

    @contextmanager
    def reading(self) -> Generator["Pen"]:
        """What is written, without the lock."""
        with self._database.reading() as connection:
            yield Pen(connection)


class Pen:
    """Reads and writes within a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(
        self, goes: Iterable[tuple[str, Row, Record, str]], *, time_ms: int, who: str, why: str
    ) -> int:
        """Write down a cycle with all that it takes; its number."""
        cursor = self._connection.execute(
            "INSERT INTO lethe_cycles (state, time_ms, who, asked) VALUES ('forgetting', ?, ?, ?)",
            (time_ms, who, why),
        )
        cycle = cursor.lastrowid or 0
        self._connection.executemany(
            "INSERT INTO lethe_trash VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                # the text is in the record
                (cycle, n, place, row.id, _encode(_bare(row)), record.body, reason)
                for n, (place, row, record, reason) in enumerate(goes)
            ),
        )
        return cycle

    def set_state(self, cycle: int, state: str) -> None:
        """A cycle is further on."""
        self._connection.execute(
            "UPDATE lethe_cycles SET state = ? WHERE number = ?", (state, cycle)
        )

    def cycles(self) -> list[Cycle]:
        """Every cycle, in their order."""
        rows = self._connection.execute(
            "SELECT number, state, time_ms, who, asked FROM lethe_cycles ORDER BY number"
        )
        return [Cycle(*row) for row in rows]

    def cycle(self, number: int) -> Cycle | None:
        """A cycle, if there is one of this number."""
        row = self._connection.execute(_CYCLE, (number,)).fetchone()
        return None if row is None else Cycle(*row)

    def unfinished(self) -> list[int]:
        """The cycles that are under way, or were when a process died."""
        rows = self._connection.execute(_UNFINISHED)
        return [row[0] for row in rows]

    def trash(self, cycle: int) -> list[Trashed]:
        """What a cycle took and holds."""
        found: list[Trashed] = []
        for number, place, row, body, why in self._connection.execute(_TRASH, (cycle,)):
            plain = msgspec.json.decode(row, type=Row)
            found.append(Trashed(number, place, plain, Record(plain.id, body), why))
        return found

    def drop(self, cycle: int, numbers: Iterable[int]) -> None:
        """Let go of what a cycle holds."""
        self._connection.executemany(
            "DELETE FROM lethe_trash WHERE cycle = ? AND number = ?",
            [(cycle, number) for number in numbers],
        )

    def note(
        self,
        what: str,
        place: str = "",
        records: Sequence[Record] = (),
        *,
        time_ms: int,
        who: str,
        why: str,
    ) -> None:
        """Add a line to the audit."""
        self._connection.execute(
            "INSERT INTO lethe_audit (time_ms, what, who, why, place, ids, digests) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(time_ms, what, who, why, place),
                _encode([record.id for record in records]),
                _encode([record.digest for record in records if record.body]),
            ),
        )

    def audit(self) -> list[Entry]:
        """The audit, in the order in which it was written."""
        rows = self._connection.execute(
            "SELECT number, time_ms, what, who, why, place, ids, digests FROM lethe_audit "
            "ORDER BY number"
        )
        return [_line(row) for row in rows]

    def hold(self, target: Target, reason: str, time_ms: int) -> int:
        """Write down a hold; its number."""
        cursor = self._connection.execute(
            "INSERT INTO lethe_holds (target, reason, time_ms) VALUES (?, ?, ?)",
            (_encode(target), reason, time_ms),
        )
        return cursor.lastrowid or 0

    def release(self, number: int, time_ms: int) -> bool:
        """End a hold; whether there was one."""
        cursor = self._connection.execute(
            "UPDATE lethe_holds SET released_ms = ? WHERE number = ? AND released_ms IS NULL",
            (time_ms, number),
        )
        return cursor.rowcount == 1

    def holds_on(self) -> list[Hold]:
        """The holds that were not released."""
        return [hold for hold in self.holds() if hold.released_ms is None]

    def holds(self) -> list[Hold]:
        """Every hold, released ones too."""
        rows = self._connection.execute(
            "SELECT number, target, reason, time_ms, released_ms FROM lethe_holds ORDER BY number"
        )
        return [
            Hold(number, msgspec.json.decode(target, type=Target), *rest)
            for number, target, *rest in rows
        ]

    def ask(self, asked: Request) -> int:
        """Write down an erasure; its number."""
        cursor = self._connection.execute(
            "INSERT INTO lethe_erasures (asked) VALUES (?)", (_encode(asked),)
        )
        return cursor.lastrowid or 0

    def asked(self) -> list[Request]:
        """The erasures that are not done."""
        rows = self._connection.execute(
            "SELECT number, asked FROM lethe_erasures ORDER BY number"
        ).fetchall()
        return [
            msgspec.structs.replace(msgspec.json.decode(body, type=Request), number=number)
            for number, body in rows
        ]

    def forget_person(self, asked: Request) -> None:
        """The places have nothing of the person any more: nor has this."""
        left = Request(time_ms=asked.time_ms, person=None, places=asked.places)
        self._connection.execute(
            "UPDATE lethe_erasures SET asked = ? WHERE number = ?",
            (_encode(left), asked.number),
        )

    def done(self, asked: Request) -> None:
        """An erasure is done."""
        self._connection.execute("DELETE FROM lethe_erasures WHERE number = ?", (asked.number,))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Put what `change` makes of every text of the audit, the holds and the cycles in its
        place: the one thing that changes an audit. Digests of lines that change go."""
        for number, who, asked in self._all("SELECT number, who, asked FROM lethe_cycles"):
            self._connection.execute(
                "UPDATE lethe_cycles SET who = ?, asked = ? WHERE number = ?",
                (change(who), change(asked), number),
            )
        for number, target, reason in self._all("SELECT number, target, reason FROM lethe_holds"):
            self._connection.execute(
                "UPDATE lethe_holds SET target = ?, reason = ? WHERE number = ?",
                (_encode(_changed(target, change)), change(reason), number),
            )
        self._connection.execute("DROP TRIGGER lethe_audit_is_final")
        for entry in self.audit():
            ids = tuple(map(change, entry.ids))
            who, why = change(entry.who), change(entry.why)
            if (ids, who, why) != (entry.ids, entry.who, entry.why):
                digests = entry.digests if ids == entry.ids else ()
                self._connection.execute(
                    "UPDATE lethe_audit SET ids = ?, digests = ?, who = ?, why = ? "
                    "WHERE number = ?",
                    (_encode(ids), _encode(digests), who, why, entry.number),
                )
        self._connection.execute(_IS_FINAL)

    def clear_digests(self, digests: Iterable[str]) -> None:
        """Take digests of erased contents out of the audit: who guesses the content could tell
        by them that it was there."""
        gone = set(digests)
        self._connection.execute("DROP TRIGGER lethe_audit_is_final")
        for entry in self.audit():
            if gone & set(entry.digests):
                left = [digest for digest in entry.digests if digest not in gone]
                self._connection.execute(
                    "UPDATE lethe_audit SET digests = ? WHERE number = ?",
                    (_encode(left), entry.number),
                )
        self._connection.execute(_IS_FINAL)

    def _all(self, statement: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement).fetchall()


def by_place(trash: Sequence[Trashed]) -> dict[str, list[Record]]:
    """What was taken from each place."""
    found: dict[str, list[Record]] = {}
    for each in trash:
        found.setdefault(each.place, []).append(each.record)
    return found


def _line(row: tuple[Any, ...]) -> Entry:
    number, time_ms, what, who, why, place, ids, digests = row
    said: list[str] = msgspec.json.decode(ids)
    proofs: list[str] = msgspec.json.decode(digests)
    return Entry(number, time_ms, what, who, why, place, tuple(said), tuple(proofs))


def _changed(target: bytes, change: Callable[[str], str]) -> Target:
    plain = msgspec.json.decode(target, type=Target)
    return Target(
        places=plain.places,
        kinds=plain.kinds,
        ids=change(plain.ids),
        scopes=tuple(map(change, plain.scopes)),
    )


def _bare(row: Row) -> Row:
    return msgspec.structs.replace(row, text="")
