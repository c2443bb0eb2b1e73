"""Sessions in one SQLite file: WAL, full sync, one row an event, a hash a row."""

import sqlite3
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import StoreError
from contextwright.session.event import Event, Tool
from contextwright.session.session import Session, StateChange
from contextwright.stores.database import Database

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE sessions (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    tools BLOB NOT NULL, metadata BLOB NOT NULL);
CREATE TABLE events (session INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
    hash BLOB NOT NULL, PRIMARY KEY (session, seq)) WITHOUT ROWID;
CREATE TABLE changes (session INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
    hash BLOB NOT NULL, PRIMARY KEY (session, seq)) WITHOUT ROWID;
"""
_encode = msgspec.json.Encoder(order="sorted").encode


class SQLiteSessions:
    """A `SessionStore` in one file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing.

    Raises:
        StoreError: not a database, or one of a newer version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._database = Database(
            path, "", fix="give a session file that can be written, on a local disk with room"
        )
        self._migrate()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _migrate(self) -> None:
        with self._database.writing() as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise StoreError(
                    f"the file has version {version} and this package knows {SCHEMA_VERSION}",
                    where=self.path,
                    fix="upgrade contextwright",
                )
            if version == 0:
                for statement in _SCHEMA.strip().split(";"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute("PRAGMA user_version = 1")

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        """Append events if the stored log is `expected` long."""
        with self._database.writing() as connection:
            number = _number(connection, session_id)
            length = _length(connection, number)
            if length != expected:
                raise StoreError(
                    f"the stored log has {length} events, {expected} were expected",
                    where=f"session {session_id!r}",
                    fix="load the session again and append to what it holds now",
                )
            _insert_events(connection, number, length, events)
            return length + len(events)

    def save(self, session: Session) -> None:
        """Write what is not stored yet."""
        events, changes = list(session.log), list(session.changes)
        with self._database.writing() as connection:
            number = _number(connection, session.id)
            connection.execute(
                "UPDATE sessions SET tools = ?, metadata = ? WHERE number = ?",
                (_encode(session.tools), _encode(session.metadata), number),
            )
            length = _length(connection, number)
            self._check_beginning(connection, number, session, length)
            _insert_events(connection, number, length, events[length:])
            known = self._known_changes(connection, number, session, changes)
            _insert_changes(connection, number, known, changes[known:])

    def _check_beginning(
        self, connection: sqlite3.Connection, number: int, session: Session, length: int
    ) -> None:
        if not length:
            return
        stored: bytes = connection.execute(
            "SELECT hash FROM events WHERE session = ? AND seq = ?", (number, length - 1)
        ).fetchone()[0]
        if length > len(session.log) or _row(session.log[length - 1])[1] != stored:
            raise StoreError(
                "the stored log is not a beginning of this one: another writer was here",
                where=f"session {session.id!r}, {length} events stored, {len(session.log)} given",
                fix="load the session again and append to what it holds now",
            )

    def _known_changes(
        self,
        connection: sqlite3.Connection,
        number: int,
        session: Session,
        changes: Sequence[StateChange],
    ) -> int:
        """How many state changes are stored; they must be the first of these, or what is new
        here would be taken for stored and lost."""
        known, last = connection.execute(_LAST_CHANGE, (number, number)).fetchone()
        if known and (known > len(changes) or _row(changes[known - 1])[1] != last):
            raise StoreError(
                "the stored state is not a beginning of this one: another writer was here",
                where=f"session {session.id!r}, {known} changes stored, {len(changes)} given",
                fix="load the session again and update what it holds now",
            )
        return known

    def load(self, session_id: str) -> Session:
        """The session, every row checked."""
        with self._database.reading() as connection:
            stored = _load(connection, session_id)
            if stored is None:
                raise StoreError(
                    f"no session {session_id!r}",
                    where=self.path,
                    fix=f"stored are: {', '.join(_ids(connection)[:10]) or 'none'}",
                )
            return stored[1]

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        """Put what `change` makes of a session in its place, in one transaction; rows that stay
        as they are are not written."""
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
            connection.execute(
                "UPDATE sessions SET id = ?, tools = ?, metadata = ? WHERE number = ?",
                (new.id, _encode(new.tools), _encode(new.metadata), number),
            )
            replaced = _replace(connection, "events", number, list(new.log))
            replaced |= _replace(connection, "changes", number, list(new.changes))
        if replaced:
            with self._database.reading() as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

    def scrub(self) -> None:
        """Write the file anew, so that nothing that was deleted is left in it.

        Raises:
            StoreError: another process is reading.
        """
        self._database.scrub()

    def ids(self) -> list[str]:
        """The stored sessions."""
        with self._database.reading() as connection:
            return _ids(connection)

    def delete(self, session_id: str) -> bool:
        """Remove a session's rows; freed pages are overwritten."""
        with self._database.writing() as connection:
            row = connection.execute(
                "SELECT number FROM sessions WHERE id = ?", (session_id,)
            ).fetchone()
            if row is None:
                return False
            connection.execute("DELETE FROM events WHERE session = ?", row)
            connection.execute("DELETE FROM changes WHERE session = ?", row)
            connection.execute("DELETE FROM sessions WHERE number = ?", row)
        with self._database.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True


def _load(connection: sqlite3.Connection, session_id: str) -> tuple[int, Session] | None:
    row = connection.execute(
        "SELECT number, tools, metadata FROM sessions WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        return None
    number, tools, metadata = row
    session = Session(
        session_id,
        _rows(connection, "events", number, Event, session_id),
        tools=msgspec.json.decode(tools, type=tuple[Tool, ...]),
        metadata=msgspec.json.decode(metadata),
    )
    for change in _rows(connection, "changes", number, StateChange, session_id):
        session.restore(change)
    return number, session


def _ids(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT id FROM sessions ORDER BY number")
    return [row[0] for row in rows]


def _number(connection: sqlite3.Connection, session_id: str) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO sessions (id, tools, metadata) VALUES (?, '[]', '{}')",
        (session_id,),
    )
    row = connection.execute("SELECT number FROM sessions WHERE id = ?", (session_id,))
    return row.fetchone()[0]


def _length(connection: sqlite3.Connection, number: int) -> int:
    row = connection.execute(
        "SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session = ?", (number,)
    )
    return row.fetchone()[0]


def _insert_events(
    connection: sqlite3.Connection, number: int, start: int, events: Sequence[Event]
) -> None:
    rows = [(number, seq, *_row(event)) for seq, event in enumerate(events, start)]
    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)


def _insert_changes(
    connection: sqlite3.Connection, number: int, start: int, changes: Sequence[StateChange]
) -> None:
    rows = [(number, seq, *_row(change)) for seq, change in enumerate(changes, start)]
    connection.executemany("INSERT INTO changes VALUES (?, ?, ?, ?)", rows)


def _replace(
    connection: sqlite3.Connection, table: str, number: int, values: Sequence[Any]
) -> bool:
    """Make the rows of a session these; whether one that was there was changed or removed."""
    known = dict(connection.execute(_HASHES[table], (number,)).fetchall())
    rows = [(number, seq, *_row(value)) for seq, value in enumerate(values)]
    other = [row for row in rows if known.get(row[1]) != row[3]]
    connection.executemany(_PUT[table], other)
    connection.execute(_CUT[table], (number, len(rows)))
    return len(known) > len(rows) or any(row[1] in known for row in other)


def _row(value: Any) -> tuple[bytes, bytes]:
    body = _encode(value)
    return body, sha256(body).digest()


_LAST_CHANGE = """
SELECT count(*), (SELECT hash FROM changes WHERE session = ? ORDER BY seq DESC LIMIT 1)
FROM changes WHERE session = ?
"""
_HASHES = {
    "events": "SELECT seq, hash FROM events WHERE session = ?",
    "changes": "SELECT seq, hash FROM changes WHERE session = ?",
}
_PUT = {
    "events": "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?)",
    "changes": "INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)",
}
_CUT = {
    "events": "DELETE FROM events WHERE session = ? AND seq >= ?",
    "changes": "DELETE FROM changes WHERE session = ? AND seq >= ?",
}
_SELECTS = {
    "events": "SELECT seq, body, hash FROM events WHERE session = ? ORDER BY seq",
    "changes": "SELECT seq, body, hash FROM changes WHERE session = ? ORDER BY seq",
}


def _rows(
    connection: sqlite3.Connection, table: str, number: int, kind: Any, session_id: str
) -> list[Any]:
    decode = msgspec.json.Decoder(kind).decode
    values: list[Any] = []
    for seq, body, digest in connection.execute(_SELECTS[table], (number,)):
        whole = isinstance(body, bytes) and sha256(body).digest() == digest
        if seq != len(values) or not whole:
            raise StoreError(
                "a stored row was changed or is missing",
                where=f"session {session_id!r}, {table} row {len(values)}",
                fix="restore the file from a backup; nothing was loaded",
            )
        values.append(decode(body))
    return values
