"""The journal of forgetting in PostgreSQL, in one transaction with the stores over its database."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from contextwright.retention.journal import JournalTransaction
from contextwright.stores.postgres.migrations import JOURNAL_TABLES, REWRITING
from contextwright.stores.postgres.postgres_database import PostgresDatabase


class PostgresJournal:
    """The journal of a `Lethe` in the database of its stores.

    Stores over the same `PostgresDatabase` forget in the transaction that says so: it has
    happened and is in the journal, or neither. Stores elsewhere go by the journal, as ever.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database, self.path = database, f"{database.path}, journal"

    def close(self) -> None:
        """The database is shared: it stays open."""

    def scrub(self) -> None:
        """Write the tables anew without what was deleted.

        Raises:
            StoreError: not the owner of the tables.
        """
        self._database.scrub(*JOURNAL_TABLES)

    @contextmanager
    def writing(self) -> Generator[JournalTransaction]:
        """One transaction, and the lock on forgetting."""
        with self._database.writing("forgetting") as connection:
            yield _Transaction(connection)

    @contextmanager
    def reading(self) -> Generator[JournalTransaction]:
        """A transaction that reads, without the lock."""
        with self._database.snapshot() as connection:
            yield _Transaction(connection)


class _Transaction(JournalTransaction):
    """Statements as PostgreSQL has them."""

    unlock_audit = f"SET LOCAL {REWRITING} = 'on'"
    lock_audit = f"SET LOCAL {REWRITING} = 'off'"

    def _insert(self, statement: str, *values: Any) -> int:
        """The number of the new row."""
        return self._run(f"{statement} RETURNING number", values).fetchone()[0]
