"""Sessions in one SQLite file: WAL, full sync, one row an event, a hash a row."""

import sqlite3
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from contextwright.errors import StoreError
from contextwright.session.event import Event, Tool
from contextwright.session.session import Session, StateChange
from contextwright.stores.database import SQLiteStore

SCHEMA_VERSION = 2
_SCHEMA = """
CREATE TABLE sessions (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    tools BLOB NOT NULL, metadata BLOB NOT NULL);
CREATE TABLE events (session INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
    hash BLOB NOT NULL, PRIMARY KEY (session, seq)) WITHOUT ROWID;
CREATE TABLE changes (session INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
    hash BLOB NOT NULL, PRIMARY KEY (session, seq)) WITHOUT ROWID
"""
_EVENT_IDS = """CREATE TABLE event_ids (session INTEGER NOT NULL, id TEXT NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (session, id)) WITHOUT ROWID"""
_KNOWN_IDS = """INSERT OR IGNORE INTO event_ids
    SELECT session, json_extract(CAST(body AS TEXT), '$.id'), seq FROM events"""
_HASH_OF_ID = """SELECT e.hash FROM event_ids AS i JOIN events AS e
    ON e.session = i.session AND e.seq = i.seq WHERE i.session = ? AND i.id = ?"""
_ADD_ID = "INSERT INTO event_ids VALUES (?, ?, ?)"
_DROP_IDS = "DELETE FROM event_ids WHERE session = ?"
_ONE = "SELECT number, tools, metadata FROM sessions WHERE id = ?"
_IDS = "SELECT id FROM sessions ORDER BY number"
_ADD = "INSERT OR IGNORE INTO sessions (id, tools, metadata) VALUES (?, '[]', '{}')"
_SET = "UPDATE sessions SET id = ?, tools = ?, metadata = ? WHERE number = ?"


def _of_both(statement: str) -> dict[str, str]:
    return {table: statement.format(table) for table in ("events", "changes")}


_LAST = _of_both("SELECT seq + 1, hash FROM {} WHERE session = ? ORDER BY seq DESC LIMIT 1")
_HASHES = _of_both("SELECT seq, hash FROM {} WHERE session = ?")
_ROWS = _of_both("SELECT seq, body, hash FROM {} WHERE session = ? ORDER BY seq")
_INSERT = _of_both("INSERT INTO {} VALUES (?, ?, ?, ?)")
_PUT = _of_both("INSERT OR REPLACE INTO {} VALUES (?, ?, ?, ?)")
_CUT = _of_both("DELETE FROM {} WHERE session = ? AND seq >= ?")
_encode = msgspec.json.Encoder(order="sorted").encode


class SQLiteSessions(SQLiteStore):
    """A `SessionStore` in one file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing.

    Raises:
        StoreError: not a database, or one of a newer version.
    """

    def __init__(self, path: str | Path) -> None:
        fix = "give a session file that can be written, on a local disk with room"
        super().__init__(path, "", fix=fix)
        with self._database.writing() as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise StoreError(
                    f"the file has version {version} and this package knows {SCHEMA_VERSION}",
                    where=self.path,
                    fix="upgrade contextwright",
                )
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            if version < 2:
                connection.execute(_EVENT_IDS)
                connection.execute(_KNOWN_IDS)
                connection.execute("PRAGMA user_version = 2")

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        """As the protocol says. What is stored already, byte for byte, is not stored again: an
        append whose answer was lost may be tried once more."""
        with self._database.writing() as connection:
            stored = _Rows(connection, "events", _number(connection, session_id), session_id)
            length, _ = stored.last()
            new = stored.not_stored(events)
            if events and not new:
                return length
            if length != expected:
                raise StoreError(
                    f"the stored log has {length} events, {expected} were expected",
                    where=f"session {session_id!r}",
                    fix="load the session again and append to what it holds now",
                )
            stored.add(length, new)
            return length + len(new)

    def save(self, session: Session) -> None:
        with self._database.writing() as connection:
            number = _number(connection, session.id)
            connection.execute(
                _SET, (session.id, _encode(session.tools), _encode(session.metadata), number)
            )
            _Rows(connection, "events", number, session.id).add_new(list(session.log))
            _Rows(connection, "changes", number, session.id).add_new(list(session.changes))

    def load(self, session_id: str) -> Session:
        with self._database.snapshot() as connection:
            stored = _load(connection, session_id)
            if stored is None:
                raise StoreError(
                    f"no session {session_id!r}",
                    where=self.path,
                    fix=f"stored are: {', '.join(_ids(connection)[:10]) or 'none'}",
                )
            return stored[1]

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        """As the protocol says; rows that stay as they are are not written."""
        with self._database.writing() as connection:
            stored = _load(connection, session_id)
            new = None if stored is None else change(stored[1])
            if stored is None or new is None:
                return False
            number, _ = stored
            if new.id != session_id and new.id in _ids(connection):
                raise StoreError(
                    f"there is a session {new.id!r} already",
                    where=f"session {session_id!r}",
                    fix="give the rewritten session an id of its own",
                )
            connection.execute(_SET, (new.id, _encode(new.tools), _encode(new.metadata), number))
            replaced = _Rows(connection, "events", number).replace(list(new.log))
            replaced |= _Rows(connection, "changes", number).replace(list(new.changes))
        if replaced:
            self._database.flush_log()
        return True

    def ids(self) -> list[str]:
        with self._database.reading() as connection:
            return _ids(connection)

    def delete(self, session_id: str) -> bool:
        """Remove a session's rows; freed pages are overwritten."""
        with self._database.writing() as connection:
            row = connection.execute(_ONE, (session_id,)).fetchone()
            if row is None:
                return False
            for table in ("events", "changes"):
                _Rows(connection, table, row[0]).run(_CUT, 0)
            connection.execute(_DROP_IDS, row[:1])
            connection.execute("DELETE FROM sessions WHERE number = ?", row[:1])
        self._database.flush_log()
        return True


def _load(connection: sqlite3.Connection, session_id: str) -> tuple[int, Session] | None:
    row = connection.execute(_ONE, (session_id,)).fetchone()
    if row is None:
        return None
    number, tools, metadata = row
    session = Session(
        session_id,
        _Rows(connection, "events", number, session_id).load(Event),
        tools=msgspec.json.decode(tools, type=tuple[Tool, ...]),
        metadata=msgspec.json.decode(metadata),
    )
    for change in _Rows(connection, "changes", number, session_id).load(StateChange):
        session.restore(change)
    return number, session


def _ids(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute(_IDS)]


def _number(connection: sqlite3.Connection, session_id: str) -> int:
    connection.execute(_ADD, (session_id,))
    return connection.execute(_ONE, (session_id,)).fetchone()[0]


class _Rows(NamedTuple):
    """The events or the state changes of a session."""

    connection: sqlite3.Connection
    table: str
    number: int
    session_id: str = ""

    def run(self, statement: dict[str, str], *values: int) -> sqlite3.Cursor:
        return self.connection.execute(statement[self.table], (self.number, *values))

    def last(self) -> tuple[int, bytes]:
        """How many there are, and the hash of the last."""
        return self.run(_LAST).fetchone() or (0, b"")

    def add(self, start: int, values: Sequence[Any]) -> None:
        rows = [(self.number, seq, *_row(value)) for seq, value in enumerate(values, start)]
        self.connection.executemany(_INSERT[self.table], rows)
        self._add_ids(start, values)

    def not_stored(self, events: Sequence[Event]) -> list[Event]:
        """The events that the session does not hold yet.

        Raises:
            StoreError: another event of the same id is stored, or among these.
        """
        new: dict[str, bytes] = {}
        out: list[Event] = []
        for event in events:
            _, digest = _row(event)
            row = self.connection.execute(_HASH_OF_ID, (self.number, event.id)).fetchone()
            known = row[0] if row is not None else new.get(event.id)
            if known is not None and known != digest:
                raise StoreError(
                    f"another event has the id {event.id!r}",
                    where=f"session {self.session_id!r}",
                    fix="give every event of a session an id of its own; nothing was stored",
                )
            if known is None:
                new[event.id] = digest
                out.append(event)
        return out

    def _add_ids(self, start: int, values: Sequence[Any]) -> None:
        if self.table == "events":
            ids = [(self.number, event.id, seq) for seq, event in enumerate(values, start)]
            self.connection.executemany(_ADD_ID, ids)

    def add_new(self, values: Sequence[Any]) -> None:
        """Write what is not stored yet; what is stored must be the first of these values, or what
        is new here would be taken for stored and lost."""
        known, last = self.last()
        if known and (known > len(values) or _row(values[known - 1])[1] != last):
            what, verb = ("log", "append to") if self.table == "events" else ("state", "update")
            raise StoreError(
                f"the stored {what} is not a beginning of this one: another writer was here",
                where=f"session {self.session_id!r}, {known} {self.table} stored, "
                f"{len(values)} given",
                fix=f"load the session again and {verb} what it holds now",
            )
        self.add(known, values[known:])

    def replace(self, values: Sequence[Any]) -> bool:
        """Make these the rows; whether one that was there was changed or removed."""
        known = dict(self.run(_HASHES).fetchall())
        rows = [(self.number, seq, *_row(value)) for seq, value in enumerate(values)]
        other = [row for row in rows if known.get(row[1]) != row[3]]
        self.connection.executemany(_PUT[self.table], other)
        self.run(_CUT, len(rows))
        if self.table == "events":
            self.connection.execute(_DROP_IDS, (self.number,))
            self._add_ids(0, values)
        return len(known) > len(rows) or any(row[1] in known for row in other)

    def load(self, kind: Any) -> list[Any]:
        """The values, each checked against its hash."""
        decode = msgspec.json.Decoder(kind).decode
        values: list[Any] = []
        for seq, body, digest in self.run(_ROWS):
            whole = isinstance(body, bytes) and sha256(body).digest() == digest
            if seq != len(values) or not whole:
                raise StoreError(
                    "a stored row was changed or is missing",
                    where=f"session {self.session_id!r}, {self.table} row {len(values)}",
                    fix="restore the file from a backup; nothing was loaded",
                )
            values.append(decode(body))
        return values


def _row(value: Any) -> tuple[bytes, bytes]:
    body = _encode(value)
    return body, sha256(body).digest()
