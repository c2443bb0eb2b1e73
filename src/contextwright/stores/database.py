"""One SQLite file: WAL, one writer at a time, errors that name the file; and the stores over it."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from contextwright.argument_types import expect_types
from contextwright.errors import CorruptData, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from contextwright.process_bound import ProcessBound
from contextwright.stores.local_path import local_path
from contextwright.stores.row_hash import row_hash
from contextwright.stores.session_row import Connection

OPENING_S = 0.01
"""Seconds between tries to open a file that others make at this moment."""
BUSY_SECONDS = 60.0
_ERRORS: Mapping[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_READONLY: ReadOnlyStore,
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_CORRUPT: CorruptData,
    sqlite3.SQLITE_NOTADB: CorruptData,
}
"""Errors by SQLite's primary result code."""
_FIXES: Mapping[type[StoreError], str] = {
    StoreBusy: "let the other process end its transaction, then do it again",
    ReadOnlyStore: "allow writing the file and its folder",
    StoreFull: "free space on the disk; nothing was written",
    CorruptData: "look with `ctx verify FILE`, or restore the file from a backup",
}


def clock_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Database:
    """A connection that several threads share; other processes may have their own. The file is
    made for its owner only; one that can not be written is opened for reading.

    Args:
        path: the file; made where it is missing.
        schema: statements that make the tables where they are missing.
        fix: what to do where SQLite gives an error.
        durable: whether a transaction is on the disk when it ends.
        busy: seconds to wait for another process's transaction.
        rest_s: for which nobody waits again, once that was in vain.
        as_it_is: whether the file keeps the log that it has: it may be of somebody else.

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
        rest_s: float = 0.0,
        as_it_is: bool = False,
    ) -> None:
        if not isinstance(path, str | Path) or not str(path):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise StoreError(
                f"expected the path of a file, got {path!r}",
                where="path",
                fix='such as "agents.ctx.db"; ":memory:" for one that ends with the process',
            )
        local_path(path)
        self.path, self._fix = str(path), fix
        self._rest_s, self._rests_until_s = rest_s, 0.0
        self._is_closed = False
        self._lock = threading.RLock()
        self._triggers: list[str] = []
        self.read_only = _is_read_only(self.path)
        with self._named():
            self._connection = self._connect(busy)
            run = self._connection.execute
            if not self.read_only:
                if not as_it_is:
                    self._write_ahead(busy)
                run("PRAGMA synchronous=FULL" if durable else "PRAGMA synchronous=NORMAL")
                run("PRAGMA secure_delete=ON")
            # what a statement replaces would be in a temporary file otherwise
            run("PRAGMA temp_store=MEMORY")
            if not self.read_only:
                self._connection.executescript(schema)

    def _connect(self, busy: float) -> sqlite3.Connection:
        name, uri = self.path, False
        if self.read_only:
            # without a log beside it there is nobody who writes, and none can be made there
            still = "" if Path(f"{self.path}-wal").exists() else "&immutable=1"
            name, uri = f"{Path(self.path).absolute().as_uri()}?mode=ro{still}", True
        else:
            _make_private(self.path)
        connection = sqlite3.connect(
            name, timeout=busy, isolation_level=None, check_same_thread=False, uri=uri
        )
        # a byte that is no UTF-8 any more must reach the hash that finds it
        connection.text_factory = _text
        connection.create_function("row_hash", -1, row_hash, deterministic=True)
        return connection

    def _write_ahead(self, busy: float) -> None:
        """Have a log beside the file. While another one makes the same new file so, SQLite does
        not wait by itself."""
        end = time.monotonic() + busy
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            time.sleep(OPENING_S)

    def close(self) -> None:
        """Close the file."""
        self._is_closed = True
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
                # which drops what is temporary
                self._connection.execute("PRAGMA temp_store=MEMORY")
                for statement in self._triggers:
                    self._connection.execute(statement)
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreError(
                "another process is reading: what was deleted is still in the file's log",
                where=self.path,
                fix="let the other process end its reading, then do it again",
            )

    def add_triggers(self, statements: Iterable[str]) -> None:
        """Run statements that make triggers of this connection only."""
        with self.writing() as connection:
            for statement in statements:
                connection.execute(statement)
                self._triggers.append(statement)

    def add_columns(self, table: str, columns: Mapping[str, str]) -> None:
        """Give the table of an earlier version the columns that it lacks, by name with their
        declarations, such as `INTEGER NOT NULL DEFAULT 0`."""

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
        if self.read_only:
            raise ReadOnlyStore(
                "this file can be read and not written",
                where=self.path,
                fix=_FIXES[ReadOnlyStore],
            )
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
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """The connection, for several statements that must see one state of the file, whatever
        other processes write meanwhile."""
        with self._lock, self._named():
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("ROLLBACK")

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement reads."""
        with self.reading() as connection:
            return connection.execute(statement, values).fetchall()

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Run a statement with each of the rows, in one transaction; how many rows it changed."""
        with self.writing() as connection:
            return sum(connection.execute(statement, row).rowcount for row in rows)

    def flush_log(self) -> None:
        """Empty the write-ahead log: it still has the pages that were overwritten."""
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _named(self) -> Generator[None]:
        if self._is_closed:
            raise StoreError("the store was closed", where=self.path, fix="open it again")
        if time.monotonic() < self._rests_until_s:
            what = "another process's transaction was waited for in vain a moment ago"
            raise StoreBusy(what, where=self.path, fix=_FIXES[StoreBusy])
        try:
            yield
        except sqlite3.Error as error:
            kind = _ERRORS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, StoreError)
            if kind is StoreBusy:
                self._rests_until_s = time.monotonic() + self._rest_s
            what, fix = f"SQLite says: {error}", _FIXES.get(kind, self._fix)
            raise kind(what, where=self.path, fix=fix) from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _is_read_only(path: str) -> bool:
    """Whether a file is there that this process may only read. In a folder that can not be written
    SQLite can make no log, and writes nothing either."""
    file = Path(path)
    return file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _make_private(path: str) -> None:
    """Make a file of mode 0600 where there is none; SQLite gives its logs the mode of the file."""
    if path in {"", ":memory:"}:
        return
    with suppress(OSError):  # SQLite names what is the matter
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


class RowDatabase(Protocol):
    """What stores of rows need of a database: transactions of statements with `?` for values."""

    path: str
    read_only: bool

    def close(self) -> None: ...

    def scrub(self) -> None: ...

    def writing(self) -> AbstractContextManager[Connection]: ...

    def reading(self) -> AbstractContextManager[Connection]: ...

    def snapshot(self) -> AbstractContextManager[Connection]: ...

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int: ...


class RowStore(ProcessBound):
    """A store of rows."""

    in_a_worker = "open it where it is used, by the same path or address"

    def __init__(self, database: RowDatabase) -> None:
        self.path, self._database = database.path, database

    def close(self) -> None:
        """Close the file. A database that is shared stays open."""
        self._database.close()

    def scrub(self) -> None:
        """Write it anew, so that nothing that was deleted is left in it.

        Raises:
            StoreError: another process is reading.
        """
        self._database.scrub()


class CountingStore(RowStore):
    """A store that counts how often its records are used, in memory until it is read or closed: a
    synced write per search would cost more than the search. A killed process loses those counts.

    Args:
        used: the statement that writes (uses, last use in milliseconds since 1970, id).
        clock: milliseconds since 1970.
    """

    def __init__(self, database: RowDatabase, used: str, clock: Callable[[], int]) -> None:
        super().__init__(database)
        self._used, self._clock = used, clock
        self._waiting: dict[str, tuple[int, int]] = {}
        self._waiting_lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        with suppress(StoreError):  # of a file that is gone, nothing is to be counted
            self._write_uses()
        super().close()

    def _count_use(self, ids: Iterable[str], now_ms: int) -> None:
        with self._waiting_lock:
            for id in ids:
                uses, last = self._waiting.get(id, (0, now_ms))
                self._waiting[id] = (uses + 1, max(last, now_ms))

    def _write_uses(self) -> None:
        with self._waiting_lock:
            waiting, self._waiting = self._waiting, {}
        if waiting and not self._database.read_only:
            self._database.run_each(
                self._used, [(uses, last, id) for id, (uses, last) in waiting.items()]
            )

    def _each(self, statement: str, ids: str | Iterable[str]) -> int:
        """Run a statement with each id, or the one; how many rows it changed."""
        expect_types("the ids of records", StoreError, ids=(ids, Iterable))
        wanted = [ids] if isinstance(ids, str) else ids
        return self._database.run_each(statement, ((id,) for id in wanted))
