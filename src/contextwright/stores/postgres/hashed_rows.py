"""A table of hashed rows in PostgreSQL, in the place of a SQLite file of them."""

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from contextwright.stores.postgres.postgres_connection import PostgresConnection
from contextwright.stores.postgres.postgres_database import PostgresDatabase
from contextwright.stores.row_hash import HashedTable, row_hash


class HashedRows:
    """What a store of rows sees of a shared database. Its writers take turns, as those of a file
    do: numbers are seen in their order. Each writes the hashes of its rows before it ends.

    Args:
        table: of the hashed rows. also: further tables of the store.
    """

    read_only = False

    def __init__(self, database: PostgresDatabase, table: HashedTable, *also: str) -> None:
        self.path, self._database, self._table = database.path, database, table
        self._names = (table.name, *also)

    def close(self) -> None:
        """The database is shared: it stays open."""

    def scrub(self) -> None:
        """Write the tables anew without what was deleted.

        Raises:
            StoreError: not the owner of the tables.
        """
        self._database.scrub(*self._names)

    @contextmanager
    def writing(self) -> Generator[PostgresConnection]:
        """One transaction, the only one that writes this table of the tenant."""
        with self._database.writing(self._table.name) as connection:
            yield connection
            rows = connection.execute(self._table.unsealed).fetchall()
            hashes = [(row_hash(*row), row[0]) for row in rows]
            connection.executemany(self._table.seal_one, hashes)

    def reading(self) -> AbstractContextManager[PostgresConnection]:
        """A connection that sees one state of the database."""
        return self._database.snapshot()

    snapshot = reading

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement reads."""
        return self._database.retried(lambda: self._database.rows(statement, *values))

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Run a statement with each of the rows, in one transaction; how many rows it changed."""
        with self.writing() as connection:
            return sum(connection.execute(statement, row).rowcount for row in rows)
