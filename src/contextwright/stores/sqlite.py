"""Sessions in one SQLite file: WAL, full sync, one row an event, a hash a row, a chain a log."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from contextwright.errors import CorruptData, NewerSchema, SessionError, StoreError, WriteConflict
from contextwright.session.event import Event
from contextwright.session.event_json import event_json
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.stores.database import SQLiteStore
from contextwright.stores.salvage import Salvage, salvage
from contextwright.stores.session_rows import (
    SessionRow,
    StoredSession,
    chained,
    session_ids,
    storable,
)

SCHEMA_VERSION = 3
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
_SEALS = """CREATE TABLE seals (session INTEGER PRIMARY KEY, about BLOB NOT NULL,
    events INTEGER NOT NULL, events_head BLOB NOT NULL, changes INTEGER NOT NULL,
    changes_head BLOB NOT NULL, seal BLOB NOT NULL)"""


class SQLiteSessions(SQLiteStore):
    """A `SessionStore` in one file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing, for its owner only. One that can not be written
            is read.

    Raises:
        StoreError: not a database, or one of a newer version.
    """

    def __init__(self, path: str | Path) -> None:
        fix = "give a session file that can be written, on a local disk with room"
        super().__init__(path, "", fix=fix)
        # the rows and the log of each session in memory when it was loaded or saved last
        self._known: WeakKeyDictionary[Session, tuple[SessionRow, Log]] = WeakKeyDictionary()
        if self._version() == SCHEMA_VERSION:
            return
        with self._database.writing() as connection:
            version = self._version()
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            if version < 2:
                connection.execute(_EVENT_IDS)
                connection.execute(_KNOWN_IDS)
            if version < 3:
                connection.execute(_SEALS)
                for id in session_ids(connection):
                    _seal(connection, id, self.path)
            connection.execute("PRAGMA user_version = 3")

    def _version(self) -> int:
        version: int = self._database.rows("PRAGMA user_version")[0][0]
        if version > SCHEMA_VERSION:
            raise NewerSchema(
                f"the file has version {version} and this package knows {SCHEMA_VERSION}",
                where=self.path,
                fix="upgrade contextwright",
            )
        return version

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        """As the protocol says. What is stored already, byte for byte, is not stored again: an
        append whose answer was lost may be tried once more."""
        events = storable(events)
        with self._database.writing() as connection:
            stored = StoredSession.made(connection, session_id, self.path)
            length, _ = stored.last("events")
            new = stored.not_stored(events)
            if events and not new:
                return length
            if length != expected:
                raise WriteConflict(
                    f"the stored log has {length} events, {expected} were expected",
                    where=f"session {session_id!r}",
                    fix="load the session again and append to what it holds now",
                )
            return stored.add("events", list(map(event_json, new)), [event.id for event in new])

    def save(self, session: Session) -> None:
        if not isinstance(session, Session):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SessionError(
                f"expected a session, got {type(session).__name__}",
                where="SQLiteSessions.save(session)",
                fix="session_from([...]) makes one of messages; read_session(PATH) reads one",
            )
        with self._database.writing() as connection:
            stored = StoredSession.made(connection, session.id, self.path)
            row, log = self._known.get(session, (None, None))
            same_rows = row is not None and row.rows == stored.row.rows
            untouched = same_rows and log is session.log
            stored.set_about(session)
            stored.add_new(session, untouched=untouched)
        self._known[session] = stored.row, session.log

    def load(self, session_id: str) -> Session:
        with self._database.snapshot() as connection:
            stored = self._stored(connection, session_id)
            session = stored.load()
        self._known[session] = stored.row, session.log
        return session

    def load_new(self, session: Session) -> None:
        with self._database.snapshot() as connection:
            stored = self._stored(connection, session.id)
            known, log = self._known.get(session, (None, None))
            if known is None or known.number != stored.number or log is not session.log:
                raise WriteConflict(
                    "this session was not loaded from this file, nor saved to it",
                    where=f"session {session.id!r}",
                    fix="load(ID) gives it, to be kept",
                )
            stored.load_new(session, known)
        self._known[session] = stored.row, session.log

    def length(self, session_id: str) -> int:
        with self._database.snapshot() as connection:
            stored = StoredSession.find(connection, session_id, self.path)
            if stored is None:
                return 0
            stored.check()
            return stored.last("events")[0]

    def salvage(self, session_id: str) -> Salvage:
        with self._database.snapshot() as connection:
            return salvage(self._stored(connection, session_id))

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        """As the protocol says; rows that stay as they are are not written."""
        with self._database.writing() as connection:
            stored = StoredSession.find(connection, session_id, self.path)
            new = None if stored is None else change(stored.load())
            if stored is None or new is None:
                return False
            if new.id != session_id and new.id in session_ids(connection):
                raise WriteConflict(
                    f"there is a session {new.id!r} already",
                    where=f"session {session_id!r}",
                    fix="give the rewritten session an id of its own",
                )
            stored.set_about(new)
            replaced = stored.replace("events", list(new.log))
            replaced |= stored.replace("changes", list(new.changes))
        if replaced:
            self._database.flush_log()
        return True

    def ids(self) -> list[str]:
        with self._database.reading() as connection:
            return session_ids(connection)

    def delete(self, session_id: str) -> bool:
        """Remove a session's rows; freed pages are overwritten."""
        with self._database.writing() as connection:
            stored = StoredSession.find(connection, session_id, self.path)
            if stored is None:
                return False
            stored.remove()
        self._database.flush_log()
        return True

    def _stored(self, connection: sqlite3.Connection, session_id: str) -> StoredSession:
        stored = StoredSession.find(connection, session_id, self.path)
        if stored is not None:
            return stored
        ids = session_ids(connection)
        if session_id in ids:
            raise CorruptData(
                "the id of a session, or the index of them, was changed",
                where=f"{self.path}, session {session_id!r}",
                fix="look with `ctx verify FILE`, or restore the file from a backup",
            )
        raise StoreError(
            f"no session {session_id!r}",
            where=self.path,
            fix=f"stored are: {', '.join(ids[:10]) or 'none'}",
        )


def _seal(connection: sqlite3.Connection, session_id: str, path: str) -> None:
    """Seal a session of a file that had no seals, with the rows that it has."""
    stored = StoredSession.find(connection, session_id, path)
    if stored is None:
        return
    row = SessionRow(*stored.row[:4])
    for table in ("events", "changes"):
        digests = [digest for _, _, digest in stored.raw(table)]
        hashes = [digest if isinstance(digest, bytes) else b"" for digest in digests]
        row = row.with_end(table, len(hashes), chained(b"", hashes))
    stored.seal(row)
