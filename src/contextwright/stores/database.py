"""One SQLite file: WAL, one writer at a time, errors that name the file."""

import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from contextwright.errors import StoreError

BUSY_SECONDS = 60.0


class Database:
    """A connection that several threads share; other processes may have their own.

    Args:
        path: the file; made where it is missing.
        schema: statements that make the tables where they are missing.
        fix: what to do where SQLite gives an error.
        durable: whether a transaction is on the disk when it ends.
        busy: seconds to wait for another process's transaction.

    Raises:
        StoreError: not a database.
    """

    def __init__(
        self,
        path: str | Path,
        schema: str,
        *,
        fix: str,
        durable: bool = True,
        busy: float = BUSY_SECONDS,
    ) -> None:
        self.path, self._fix = str(path), fix
        self._lock = threading.RLock()
        with self._named():
            self._connection = sqlite3.connect(
                self.path, timeout=busy, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(
                "PRAGMA synchronous=FULL" if durable else "PRAGMA synchronous=NORMAL"
            )
            self._connection.execute("PRAGMA secure_delete=ON")
            # what a statement replaces would be in a temporary file otherwise
            self._connection.execute("PRAGMA temp_store=MEMORY")
            self._connection.executescript(schema)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty its log: pages that were
        split keep old bytes in their gaps, whatever `secure_delete` says.

        Raises:
            StoreError: another process has the file open in the middle of reading.
        """
        with self._lock, self._named():
            # what is copied is what stays, and may be more than memory holds
            self._connection.execute("PRAGMA temp_store=FILE")
            try:
                self._connection.execute("VACUUM")
            finally:
                self._connection.execute("PRAGMA temp_store=MEMORY")
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreError(
                "another process is reading: what was deleted is still in the file's log",
                where=self.path,
                fix="let the other process end its reading, then do it again",
            )

    def add_columns(self, table: str, columns: Mapping[str, str]) -> None:
        """Give the table of an earlier version the columns that it lacks.

        Args:
            table: its name.
            columns: declarations by name, such as `INTEGER NOT NULL DEFAULT 0`.

        Raises:
            StoreError: the file can not be written.
        """

        def missing(connection: sqlite3.Connection) -> list[str]:
            known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            return [name for name in columns if name not in known]

        # a file that lacks nothing may be one that can not be written
        with self.reading() as connection:
            if not missing(connection):
                return
        with self.writing() as connection:
            for name in missing(connection):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {columns[name]}")

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """One transaction that holds the write lock from its beginning: a deferred one would
        fail, not wait, when another process wrote in between."""
        with self._lock, self._named():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection, for this thread only."""
        with self._lock, self._named():
            yield self._connection

    @contextmanager
    def _named(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"SQLite says: {error}", where=self.path, fix=self._fix) from error
