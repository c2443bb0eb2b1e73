"""Sessions in PostgreSQL: append-only rows by tenant, session and place, a hash a row."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from contextwright.session.event import Event
from contextwright.session.session import Session
from contextwright.stores.postgres.migrations import SESSION_TABLES
from contextwright.stores.postgres.postgres_database import PostgresDatabase
from contextwright.stores.row_sessions import RowSessions
from contextwright.stores.session_bodies import SessionBodies, ValueCache
from contextwright.stores.session_row import Connection
from contextwright.stores.session_rows import StoredSession


class PostgresSessions(RowSessions):
    """A `SessionStore` that several machines share.

    Writers of one session take turns, those of different sessions do not wait for each other;
    readers wait for nobody. `append`, `save` and reads are tried again where the server went away
    meanwhile: what is stored already is not stored twice.

    Args:
        database: of the tenant.
        cache: a `RedisCache`, say, that keeps what sessions begin with: of a session that it has,
            only what is new is read, and all of it checked against the seal in the database.
    """

    def __init__(self, database: PostgresDatabase, *, cache: ValueCache | None = None) -> None:
        super().__init__()
        self._database, self.path = database, database.path
        place = f"{database.schema}\n{database.tenant}"
        self._cache = SessionBodies(cache, place) if cache is not None else None

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        append = super().append
        return self._database.retried(lambda: append(session_id, events, expected=expected))

    def save(self, session: Session) -> None:
        save = super().save
        self._database.retried(lambda: save(session))

    def load(self, session_id: str) -> Session:
        load = super().load
        return self._database.retried(lambda: load(session_id))

    def length(self, session_id: str) -> int:
        length = super().length
        return self._database.retried(lambda: length(session_id))

    def ids(self) -> list[str]:
        return self._database.retried(super().ids)

    def scrub(self) -> None:
        """Write the tables anew without what was deleted; nobody uses them meanwhile.

        Raises:
            StoreError: not the owner of the tables.
        """
        self._database.scrub(*SESSION_TABLES)

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        if self._cache is not None:
            self._cache.forget(session_id)
        done = super().rewrite(session_id, change)
        if self._cache is not None:  # who read it meanwhile put it back
            self._cache.forget(session_id)
        return done

    def delete(self, session_id: str) -> bool:
        if self._cache is not None:
            self._cache.forget(session_id)
        return super().delete(session_id)

    def _read(self, stored: StoredSession) -> Session:
        return stored.load() if self._cache is None else self._cache.load(stored)

    def _writing(self, session_id: str) -> AbstractContextManager[Connection]:
        return self._database.writing(f"session {session_id}")

    def _snapshot(self) -> AbstractContextManager[Connection]:
        return self._database.snapshot()

    def _overwritten(self) -> None:
        """PostgreSQL reuses the room of removed rows in its own time; `scrub` does it now."""
