"""One PostgreSQL database for one tenant: a pool, transactions, locks, migrations."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, LiteralString, TypeVar
from urllib.parse import urlsplit

from contextwright.errors import StoreBusy, StoreError
from contextwright.stores.postgres.driver import conninfo_to_dict, psycopg, psycopg_pool, sql
from contextwright.stores.postgres.migrations import TABLES, TENANT, migrate, migrated
from contextwright.stores.postgres.postgres_connection import (
    LOST,
    LostConnection,
    PostgresConnection,
    errors_named,
)
from contextwright.stores.postgres.row_security import secure_new_tables

T = TypeVar("T")
_WRITING: LiteralString = "READ COMMITTED"
_SNAPSHOT: LiteralString = "REPEATABLE READ READ ONLY"
ATTEMPT_S = 1.0
"""Seconds that the pool tries to connect before it is asked anew."""
_LOCK = "SELECT pg_advisory_xact_lock(?)"
_BYPASSES = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_UNSECURED = """
SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = ? AND c.relname = ANY(?) AND NOT (relrowsecurity AND relforcerowsecurity)
"""


class PostgresDatabase:
    """A database that stores of one process share; it may be used from several threads.

    What several stores over one of these do within `writing()` is one transaction.

    Args:
        url: as libpq takes it: `postgresql://user@host:5432/name`. With several hosts and
            `target_session_attrs=read-write` the one that takes writes is found again after a
            failover.
        tenant: whose rows these are; no statement reaches another's.
        schema: of the tables; made where it is missing.
        connections: the most that the pool opens.
        wait_s: seconds to wait for a connection, and for a server that is being restarted.
        rest_s: seconds for which a server that did not answer in that time is left alone: what is
            asked meanwhile fails at once.
        row_security: refuse to work unless the server itself holds tenants apart
            (`enable_row_security`).

    Raises:
        StoreError: no such server, no right to make the tables; or `row_security`, and a table
            without it or a role that it does not bind. NewerSchema: a newer version made them.
        MissingExtra: psycopg is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        tenant: str = "default",
        schema: str = "contextwright",
        connections: int = 10,
        wait_s: float = 30.0,
        rest_s: float = 0.0,
        row_security: bool = False,
    ) -> None:
        _check_address(url, schema)
        self.schema, self._wait_s, self._row_security = schema, wait_s, row_security
        self._url, self._place, self._rest = url, _place(url, schema), _Rest(rest_s)
        # a pooler between here and the server has no prepared statements of ours
        self._pool = psycopg_pool.ConnectionPool(
            url,
            min_size=0,
            max_size=connections,
            reconnect_timeout=ATTEMPT_S,
            open=False,
            check=psycopg_pool.ConnectionPool.check_connection,
            kwargs={"autocommit": True, "prepare_threshold": None},
        )
        self._is_open = False
        self._set_tenant(tenant)
        with errors_named(self.path):
            self._pool.open()
        try:
            self._prepare()
            self._is_open = True
        except BaseException:
            self._pool.close()
            raise

    def for_tenant(self, tenant: str) -> "PostgresDatabase":
        """The same database for another tenant, with the same pool of connections."""
        other = object.__new__(PostgresDatabase)
        other.__dict__.update(self.__dict__)
        other._set_tenant(tenant)
        return other

    def close(self) -> None:
        """Close the connections, those of `for_tenant` too."""
        self._pool.close()

    @contextmanager
    def writing(self, lock: str = "") -> Generator[PostgresConnection]:
        """One transaction, or a part of the one that this thread is in.

        Args:
            lock: a name that one transaction of the tenant has at a time, until it ends.
        """
        with self._transaction(_WRITING) as connection:
            if lock:
                connection.execute(_LOCK, (_key(self.schema, self.tenant, lock),))
            yield connection

    @contextmanager
    def snapshot(self) -> Generator[PostgresConnection]:
        """A transaction that reads, whose statements all see one state of the database; within a
        transaction of this thread, what that sees."""
        with self._transaction(_SNAPSHOT) as connection:
            yield connection

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement reads."""
        with self.snapshot() as connection:
            return connection.execute(statement, values).fetchall()

    def retried(self, work: Callable[[], T]) -> T:
        """What some work gives that may be done twice: done again where the server went away
        meanwhile, or ended it for another's sake, until the waiting time is over. Within a
        transaction it is not."""
        end = time.monotonic() + self._wait_s
        while True:
            try:
                return work()
            except (LostConnection, StoreBusy):
                over = time.monotonic() >= end or self._rest.lasts()
                if self._own.connection is not None or over:
                    raise
                time.sleep(0.05)

    def scrub(self, *tables: str) -> None:
        """Write tables anew without what was deleted from them; nobody uses them meanwhile. The
        server's log, its replicas and backups have it until they are gone.

        Raises:
            StoreError: not the owner of the tables, or within a transaction.
        """
        with errors_named(self.path), self._pool.connection() as raw:
            for name in tables:
                table = sql.Identifier(self.schema, f"{name}_rows")
                raw.execute(sql.SQL("VACUUM (FULL) {}").format(table))

    def _set_tenant(self, tenant: str) -> None:
        if not _is_text(tenant):
            raise StoreError(
                f"expected the name of a tenant, got {tenant!r}",
                where="PostgresDatabase(tenant=...)",
                fix="give whose rows these are, such as 'acme'; leave it out where there is one",
            )
        self.tenant, self._own = tenant, _Own()
        self.path = f"{self._place}, tenant {tenant!r}"

    def _prepare(self) -> None:
        if not self.retried(self._is_migrated):
            self.retried(self._migrate)
        if self._row_security:
            self.retried(self._check_row_security)

    def _is_migrated(self) -> bool:
        with self._transaction(_WRITING) as connection:
            return migrated(connection, self.schema, self.path)

    def _migrate(self) -> None:
        with self._transaction(_WRITING) as connection:
            if migrate(connection, self.schema, self.path):
                secure_new_tables(connection, self.schema)

    def _check_row_security(self) -> None:
        with self.snapshot() as connection:
            names = [f"{name}_rows" for name in TABLES]
            open_tables = connection.execute(_UNSECURED, (self.schema, names)).fetchall()
            bypasses = connection.execute(_BYPASSES).fetchone() == (True,)
        if open_tables or bypasses:
            what = f"table {open_tables[0][0]} has none" if open_tables else "this role bypasses it"
            raise StoreError(
                f"row-level security was asked for and {what}",
                where=self.path,
                fix="run enable_row_security(database, role) as the owner, and connect as a role "
                "that is no superuser",
            )

    @contextmanager
    def _transaction(self, isolation: LiteralString) -> Generator[PostgresConnection]:
        with errors_named(self.path):
            if self._own.connection is not None:
                # the part of a transaction that fails leaves no trace in the rest of it
                with self._own.raw.transaction():
                    yield self._own.connection
                return
            with self._connection() as raw:
                raw.execute(self._begin(isolation))
                self._own.connection, self._own.raw = PostgresConnection(raw), raw
                try:
                    yield self._own.connection
                    raw.execute("COMMIT")
                except BaseException:
                    if not raw.closed:
                        raw.execute("ROLLBACK")
                    raise
                finally:
                    self._own.connection = self._own.raw = None

    @contextmanager
    def _connection(self) -> Generator[Any]:
        """A connection of the pool. A pool that can not connect waits longer and longer, also
        behind the moment at which the server is there again: it is asked anew."""
        if self._rest.lasts():
            raise LostConnection(
                f"{LOST}; it is left alone for {self._rest.seconds:g} s",
                where=self.path,
                fix="see that the server runs, then try again",
            )
        end = time.monotonic() + self._wait_s
        raw: Any = None
        while raw is None:
            left = end - time.monotonic()
            try:
                raw = self._pool.getconn(timeout=max(0.0, min(ATTEMPT_S, left)))
            except psycopg_pool.PoolTimeout:
                if left <= ATTEMPT_S:
                    self._rest.begin()
                    raise self._unreached() from None
        try:
            yield raw
        finally:
            self._pool.putconn(raw)

    def _unreached(self) -> LostConnection:
        """Why no connection can be had: a pool keeps to itself what the server says. Who leaves a
        server alone that does not answer is not kept waiting for that as well, once it did."""
        telling = "the pool has none left, or the server does not answer"
        try:
            if not (self._rest.seconds and self._is_open):
                psycopg.connect(self._url, connect_timeout=2).close()
        except psycopg.Error as error:
            telling = str(error).strip().partition("\n")[0]
        return LostConnection(
            f"no connection within the time that was waited: {telling}",
            where=self.path,
            fix="see that the server runs and takes as many connections as pools may open",
        )

    def _begin(self, isolation: LiteralString) -> sql.Composed:
        """Begin, for one tenant, in one message. The settings end with the transaction, as a
        pooler needs it."""
        return sql.SQL(
            "BEGIN ISOLATION LEVEL {}; SELECT set_config({}, {}, true), "
            "set_config('search_path', {}, true)"
        ).format(
            sql.SQL(isolation),
            sql.Literal(TENANT),
            sql.Literal(self.tenant),
            sql.Literal(sql.Identifier(self.schema).as_string(None)),
        )


def _key(*names: str) -> int:
    """The number that names a lock, of 64 bits: two names of one number wait for each other."""
    named = "\n".join(names).encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(named).digest()[:8], "big", signed=True)


class _Rest:
    """The time for which a server that did not answer is left alone."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._until = seconds, 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + self.seconds

    def lasts(self) -> bool:
        return time.monotonic() < self._until


class _Own(threading.local):
    """The transaction that a thread is in."""

    connection: PostgresConnection | None = None
    raw: Any = None


def _is_text(name: object) -> bool:
    """Whether it is a text that the server can hold as it is."""
    if not isinstance(name, str) or not name or "\0" in name:
        return False
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _check_address(url: str, schema: str) -> None:
    try:
        conninfo_to_dict(url)
    except (psycopg.ProgrammingError, AttributeError, TypeError, ValueError) as error:
        raise StoreError(
            "this is no URL of a PostgreSQL database",  # which may have a password: it is not shown
            where="PostgresDatabase(url)",
            fix="such as postgresql://user@host:5432/name",
        ) from error
    if not _is_text(schema):
        raise StoreError(
            f"expected the name of a schema, got {schema!r}",
            where="PostgresDatabase(schema=...)",
            fix="leave it out for 'contextwright'",
        )


def _place(url: str, schema: str) -> str:
    """The database without its password, for errors."""
    parts = urlsplit(url)
    if not parts.scheme:
        return f"PostgreSQL, schema {schema}"
    host = parts.netloc.rpartition("@")[2]
    return f"postgresql://{host}{parts.path}, schema {schema}"
