"""A connection to PostgreSQL that takes the statements that SQLite takes; its errors as ours."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from contextwright.errors import (
    CorruptData,
    ReadOnlyStore,
    StoreBusy,
    StoreError,
    StoreFull,
    WriteConflict,
)
from contextwright.stores.postgres.driver import psycopg, psycopg_pool

if TYPE_CHECKING:
    from psycopg import Cursor
    from psycopg.sql import Composed

LOST = "the connection to the server was lost, or there is none"
_KINDS: Mapping[str, type[StoreError]] = {
    "23505": WriteConflict,  # unique_violation
    "25006": ReadOnlyStore,  # read_only_sql_transaction
    "42501": ReadOnlyStore,  # insufficient_privilege
    "40001": StoreBusy,  # serialization_failure
    "40P01": StoreBusy,  # deadlock_detected
    "55P03": StoreBusy,  # lock_not_available
    "57014": StoreBusy,  # query_canceled
    "53100": StoreFull,  # disk_full
    "53200": StoreFull,  # out_of_memory
    "XX001": CorruptData,  # data_corrupted
    "XX002": CorruptData,  # index_corrupted
}
"""Errors by SQLSTATE (the manual's appendix A)."""
_FIXES: Mapping[type[StoreError], str] = {
    WriteConflict: "load what is there now, and try again",
    ReadOnlyStore: "give a role that may write these tables, and a server that is no replica",
    StoreBusy: "do it again",
    StoreFull: "free space on the server; nothing was written",
    CorruptData: "look at the server's log, and restore from a backup",
}


class LostConnection(StoreError):
    """The server went away. What was under way may have been written: the same call may be tried
    again where it says so."""


class PostgresConnection:
    """A connection within a transaction; `?` stands for a value, as SQLite has it."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> "Cursor[Any]":
        """Run a statement; its cursor."""
        return self._connection.execute(_translated(statement), values)

    def run_composed(self, statement: "Composed") -> None:
        """Run a statement of psycopg's own making: one that names tables."""
        self._connection.execute(statement)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> int:
        """Run a statement with each of the rows, without waiting for each; how many rows it
        changed."""
        listed = list(rows)
        if not listed:
            return 0
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(statement), listed)
            return cursor.rowcount


@lru_cache(maxsize=512)
def _translated(statement: str) -> Any:
    """A statement as psycopg takes it. No statement of ours has a question mark of its own."""
    return statement.replace("%", "%%").replace("?", "%s")


@contextmanager
def errors_named(path: str) -> Generator[None]:
    """Errors of psycopg as errors of ours.

    Args:
        path: names the database in them; it has no password in it.
    """
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        raise LostConnection(
            "no connection within the time that was waited",
            where=path,
            fix="see that the server runs and takes as many connections as pools may open",
        ) from error
    except psycopg.Error as error:
        raise _named(error, path) from error


def _named(error: "psycopg.Error", path: str) -> StoreError:
    state = error.sqlstate or ""
    telling = str(error).strip().partition("\n")[0]
    is_lost = isinstance(error, psycopg.OperationalError) and not state
    if is_lost or state[:2] == "08" or state in {"57P01", "57P02", "57P03"}:
        fix = "try again: an append is stored once, however often it is tried"
        return LostConnection(f"{LOST}: {telling}", where=path, fix=fix)
    kind = _KINDS.get(state, StoreError)
    fix = _FIXES.get(kind, "give text without NUL, and ids of at most about 2,000 bytes")
    return kind(f"PostgreSQL says: {telling}", where=path, fix=fix)
