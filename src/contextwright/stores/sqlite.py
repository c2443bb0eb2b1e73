"""Sessions in one SQLite file: WAL, full sync, one row an event, a hash a row, a chain a log."""

from contextlib import AbstractContextManager
from pathlib import Path

from contextwright.errors import NewerSchema
from contextwright.stores.database import BUSY_SECONDS, Database
from contextwright.stores.row_sessions import RowSessions
from contextwright.stores.session_row import Connection, SessionRow, chained
from contextwright.stores.session_rows import StoredSession, session_ids

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


class SQLiteSessions(RowSessions):
    """A `SessionStore` in one file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing, for its owner only. One that can not be written
            is read.
        busy_s, rest_s: as `Database` has them.

    Raises:
        StoreError: not a database, or one of a newer version.
    """

    def __init__(
        self, path: str | Path, *, busy_s: float = BUSY_SECONDS, rest_s: float = 0.0
    ) -> None:
        fix = "give a session file that can be written, on a local disk with room"
        super().__init__()
        self._database = Database(path, "", fix=fix, busy=busy_s, rest_s=rest_s)
        self.path = self._database.path
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

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def scrub(self) -> None:
        """Write the file anew, so that nothing that was deleted is left in it.

        Raises:
            StoreError: another process is reading.
        """
        self._database.scrub()

    def _writing(self, session_id: str) -> AbstractContextManager[Connection]:
        return self._database.writing()

    def _snapshot(self) -> AbstractContextManager[Connection]:
        return self._database.snapshot()

    def _overwritten(self) -> None:
        self._database.flush_log()


def _seal(connection: Connection, session_id: str, path: str) -> None:
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
