"""Sessions in the rows of a database: what SQLite and PostgreSQL have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from weakref import WeakKeyDictionary

from contextwright.errors import CorruptData, SessionError, StoreError, WriteConflict
from contextwright.process_bound import ProcessBound
from contextwright.session.event import Event
from contextwright.session.event_json import event_json
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.stores.salvage import Salvage, salvage
from contextwright.stores.session_row import Connection, SessionRow
from contextwright.stores.session_rows import StoredSession, session_ids, storable


class RowSessions(ProcessBound, ABC):
    """A `SessionStore` over transactions: one row an event, a hash a row, a chain a log."""

    path: str
    """Names the database in errors."""

    in_a_worker = "open it where it is used, by the same path or address"

    def __init__(self) -> None:
        # the rows and the log of each session in memory when it was loaded or saved last
        self._known: WeakKeyDictionary[Session, tuple[SessionRow, Log]] = WeakKeyDictionary()

    @abstractmethod
    def _writing(self, session_id: str) -> AbstractContextManager[Connection]:
        """One transaction; nobody else writes this session meanwhile."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Connection]:
        """A connection whose statements all see one state of the database."""

    def _read(self, stored: StoredSession) -> Session:
        """The session of its rows."""
        return stored.load()

    @abstractmethod
    def _overwritten(self) -> None:
        """Rows were removed or replaced: what a cheap way can overwrite of them goes."""

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        """As the protocol says. What is stored already, byte for byte, is not stored again: an
        append whose answer was lost may be tried once more."""
        events = storable(events)
        with self._writing(session_id) as connection:
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
                where=f"{type(self).__name__}.save(session)",
                fix="session_from([...]) makes one of messages; read_session(PATH) reads one",
            )
        with self._writing(session.id) as connection:
            stored = StoredSession.made(connection, session.id, self.path)
            row, log = self._known.get(session, (None, None))
            same_rows = row is not None and row.rows == stored.row.rows
            untouched = same_rows and log is session.log
            stored.set_about(session)
            stored.add_new(session, untouched=untouched)
        self._known[session] = stored.row, session.log

    def load(self, session_id: str) -> Session:
        with self._snapshot() as connection:
            stored = self._stored(connection, session_id)
            session = self._read(stored)
        self._known[session] = stored.row, session.log
        return session

    def load_new(self, session: Session) -> None:
        with self._snapshot() as connection:
            stored = self._stored(connection, session.id)
            known, log = self._known.get(session, (None, None))
            if known is None or known.number != stored.number or log is not session.log:
                raise WriteConflict(
                    "this session was not loaded from here, nor saved",
                    where=f"session {session.id!r}",
                    fix="load(ID) gives it, to be kept",
                )
            stored.load_new(session, known)
        self._known[session] = stored.row, session.log

    def length(self, session_id: str) -> int:
        with self._snapshot() as connection:
            stored = StoredSession.find(connection, session_id, self.path)
            if stored is None:
                return 0
            stored.check()
            return stored.last("events")[0]

    def salvage(self, session_id: str) -> Salvage:
        with self._snapshot() as connection:
            return salvage(self._stored(connection, session_id))

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        """As the protocol says; rows that stay as they are are not written."""
        with self._writing(session_id) as connection:
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
            self._overwritten()
        return True

    def ids(self) -> list[str]:
        with self._snapshot() as connection:
            return session_ids(connection)

    def delete(self, session_id: str) -> bool:
        """Remove a session's rows; what SQLite frees is overwritten."""
        with self._writing(session_id) as connection:
            stored = StoredSession.find(connection, session_id, self.path)
            if stored is None:
                return False
            stored.remove()
        self._overwritten()
        return True

    def _stored(self, connection: Connection, session_id: str) -> StoredSession:
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
