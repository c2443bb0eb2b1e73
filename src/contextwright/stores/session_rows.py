"""The rows of a stored session: a hash a row, the hashes chained, the end of the chain sealed."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count, repeat
from typing import Any

import msgspec

from contextwright.errors import CorruptData, SessionError, StoreError, WriteConflict
from contextwright.session.event import Event, Tool
from contextwright.session.event_json import encodable
from contextwright.session.lineage import LINEAGES
from contextwright.session.session import Session
from contextwright.session.state import StateChange
from contextwright.stores.session_row import Connection, SessionRow, chained
from contextwright.typed_decoding import decoder

_ONE = """
SELECT number, id, tools, metadata, about, events, events_head, changes, changes_head, seal
FROM sessions LEFT JOIN seals ON session = number WHERE id = ?
"""
_IDS = "SELECT id FROM sessions ORDER BY number"
_ADD = """INSERT INTO sessions (id, tools, metadata) VALUES (?, '[]', '{}')
    ON CONFLICT DO NOTHING"""
_ABOUT = "UPDATE sessions SET id = ?, tools = ?, metadata = ? WHERE number = ?"
_SEAL = """UPDATE seals SET about = ?, events = ?, events_head = ?, changes = ?,
    changes_head = ?, seal = ? WHERE session = ?"""
_FIRST_SEAL = """INSERT INTO seals
    (about, events, events_head, changes, changes_head, seal, session) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_HASH_OF_ID = """SELECT e.hash FROM event_ids AS i JOIN events AS e
    ON e.session = i.session AND e.seq = i.seq WHERE i.session = ? AND i.id = ?"""
_ADD_ID = "INSERT INTO event_ids VALUES (?, ?, ?)"
_IDS_OF = "SELECT id, seq FROM event_ids WHERE session = ?"
_DROP_IDS = "DELETE FROM event_ids WHERE session = ?"


def _of_both(statement: str) -> dict[str, str]:
    return {table: statement.format(table) for table in ("events", "changes")}


_LAST = _of_both("SELECT seq + 1, hash FROM {} WHERE session = ? ORDER BY seq DESC LIMIT 1")
_HASHES = _of_both("SELECT seq, hash FROM {} WHERE session = ? ORDER BY seq")
_ROWS = _of_both("SELECT seq, body, hash FROM {} WHERE session = ? AND seq >= ? ORDER BY seq")
_INSERT = _of_both("INSERT INTO {} VALUES (?, ?, ?, ?)")
_REMOVE = _of_both("DELETE FROM {} WHERE session = ? AND seq = ?")
_CUT = _of_both("DELETE FROM {} WHERE session = ? AND seq >= ?")
_encode = msgspec.json.Encoder(order="sorted").encode
_FIX = "look with `ctx verify FILE`, or restore the file from a backup; nothing was loaded"


def session_ids(connection: Connection) -> list[str]:
    """The ids of all sessions, in the order of their first save."""
    return [row[0] for row in connection.execute(_IDS)]


CachedBodies = tuple[Sequence[bytes], Sequence[bytes]]
"""Bodies of events, and of changes, that the rows of a session begin with."""


class StoredSession:
    """A session's rows, within one transaction.

    Args:
        path: of the file, for errors.
    """

    def __init__(self, connection: Connection, row: SessionRow, path: str) -> None:
        self.connection, self.row, self.path = connection, row, path

    @classmethod
    def find(cls, connection: Connection, session_id: str, path: str) -> "StoredSession | None":
        """The rows of a session; None where it is not stored."""
        try:
            row = connection.execute(_ONE, (session_id,)).fetchone()
        except UnicodeEncodeError:  # half a character: no id of ours
            return None
        return None if row is None else cls(connection, SessionRow._make(row), path)

    @classmethod
    def made(cls, connection: Connection, session_id: str, path: str) -> "StoredSession":
        """The rows of a session, which is there from now on.

        Raises:
            CorruptData: its row is not what was written. StoreError: no id.
        """
        stored = cls.find(connection, session_id, path)
        if stored is not None:
            stored.check()
            return stored
        try:
            connection.execute(_ADD, (session_id.encode().decode(),))
        except (UnicodeEncodeError, AttributeError) as error:
            raise StoreError(
                "an id that is no text, or has half a character, which no file can hold",
                where=f"session {session_id!r}",
                fix="give the session an id that is text",
            ) from error
        stored = cls.find(connection, session_id, path)
        assert stored is not None  # written above
        stored.seal(SessionRow(*stored.row[:4]))
        return stored

    @property
    def number(self) -> int:
        """Of the session in this file."""
        return self.row.number

    def run(self, statement: dict[str, str], table: str, *values: Any) -> Any:
        """Run a statement about the session's rows of a table."""
        return self.connection.execute(statement[table], (self.number, *values))

    def damage(self, what: str, place: str = "") -> CorruptData:
        """The error of a session that is not what was written."""
        where = f"{self.path}, session {self.row.id!r}{place and ', '}{place}"
        return CorruptData(what, where=where, fix=_FIX)

    def check(self) -> None:
        """Check the seal.

        Raises:
            CorruptData: it is not what was written.
        """
        if self.row.seal is None or self.row.seal != self.row.seal_hash:
            raise self.damage("the stored length or seal was changed")

    def seal(self, row: SessionRow) -> None:
        """Make this the row of the session, sealed."""
        other = row[1:4] != self.row[1:4]
        if other:
            self.connection.execute(_ABOUT, (*row[1:4], self.number))
        if other or row.about is None:
            row = row._replace(about=row.about_hash)
        self.row = row._replace(seal=row.seal_hash)
        values = (*self.row[4:], self.number)
        if self.connection.execute(_SEAL, values).rowcount != 1:
            self.connection.execute(_FIRST_SEAL, values)

    def set_about(self, session: Session) -> None:
        """Take id, tools and metadata of a session.

        Raises:
            StoreError: they are no JSON data.
        """
        try:
            tools, metadata = _encode(session.tools), _encode(session.metadata)
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(
                f"tools or metadata that are no JSON data: {error}"[:300],
                where=f"session {session.id!r}",
                fix="give strings, numbers, booleans, lists and dicts",
            ) from error
        if (session.id, tools, metadata) != self.row[1:4]:
            self.seal(self.row._replace(id=session.id, tools=tools, metadata=metadata))

    def last(self, table: str) -> tuple[int, bytes]:
        """How many rows there are, and the hash of the last.

        Raises:
            CorruptData: other rows are there than were written.
        """
        count, digest = self.run(_LAST, table).fetchone() or (0, b"")
        if count != self.row.end(table)[0]:
            wanted = self.row.end(table)[0]
            raise self.damage(f"{count} stored {table} where {wanted} were written")
        return count, digest

    def add(self, table: str, bodies: Sequence[bytes], ids: Sequence[str] = ()) -> int:
        """Write bodies behind those that are there; how many there are now.

        Args:
            ids: of the events that they are.
        """
        start, head = self.row.end(table)
        hashes = [sha256(body).digest() for body in bodies]
        rows = zip(repeat(self.number), count(start), bodies, hashes)
        self.connection.executemany(_INSERT[table], rows)
        self._add_ids(start, ids)
        end = start + len(bodies)
        if bodies:
            self.seal(self.row.with_end(table, end, chained(head, hashes)))
        return end

    def add_new(self, session: Session, *, untouched: bool = False) -> None:
        """Write what is not stored yet of a session's events and changes; nothing else of it is
        looked at but the last that is stored. Where it was rewound since, and what is stored is
        one of the lineages that it left behind, its own take their place.

        Args:
            untouched: whether what is stored is known to be its beginning.

        Raises:
            WriteConflict: what is stored is not its beginning: what is new here would be taken
                for stored and lost.
        """
        log, changes = session.log, session.changes
        if LINEAGES in session.metadata and not untouched and not self._begins(session):
            if not any(map(self._begins, session.lineages)):
                raise self._conflict("events", self.row.events, len(log))
            self.replace("events", list(log))
            self.replace("changes", changes)
            return
        stop, known = len(log), self.last("events")
        self._expect_beginning("events", known, stop, log.bodies(known[0] - 1, known[0]))
        self.add("events", log.bodies(known[0], stop), log.ids(known[0], stop))
        stop, known = len(changes), self.last("changes")
        last = [_encode(change) for change in changes[max(0, known[0] - 1) : known[0]]]
        self._expect_beginning("changes", known, stop, last)
        self.add("changes", [_encode(change) for change in changes[known[0] : stop]])

    def _begins(self, session: Session) -> bool:
        """Whether all that is stored is what a session begins with. Each row is compared: of two
        lineages the last ones may be alike where those before them are not."""
        (events, _), (changes, _) = self.last("events"), self.last("changes")
        if events > len(session.log) or changes > len(session.changes):
            return False
        for table, bodies in (
            ("events", session.log.bodies(0, events)),
            ("changes", [_encode(change) for change in session.changes[:changes]]),
        ):
            hashes = (sha256(body).digest() for body in bodies)
            if chained(b"", hashes) != self.row.end(table)[1]:
                return False
        return True

    def _expect_beginning(
        self, table: str, known: tuple[int, bytes], length: int, last: list[bytes]
    ) -> None:
        count, digest = known
        if count and (count > length or sha256(last[0]).digest() != digest):
            raise self._conflict(table, count, length)

    def _conflict(self, table: str, count: int, length: int) -> WriteConflict:
        what, verb = ("log", "append to") if table == "events" else ("state", "update")
        return WriteConflict(
            f"the stored {what} is not a beginning of this one: another writer was here",
            where=f"session {self.row.id!r}, {count} {table} stored, {length} given",
            fix=f"load the session again and {verb} what it holds now",
        )

    def not_stored(self, events: Sequence[Event]) -> list[Event]:
        """The events that the session does not hold yet.

        Raises:
            WriteConflict: another event of the same id is stored, or among these.
        """
        new: dict[str, bytes] = {}
        out: list[Event] = []
        for event in events:
            _, digest = _row(event)
            row = self.connection.execute(_HASH_OF_ID, (self.number, event.id)).fetchone()
            known = row[0] if row is not None else new.get(event.id)
            if known is not None and known != digest:
                raise WriteConflict(
                    f"another event has the id {event.id!r}",
                    where=f"session {self.row.id!r}",
                    fix="give every event of a session an id of its own; nothing was stored",
                )
            if known is None:
                new[event.id] = digest
                out.append(event)
        return out

    def replace(self, table: str, values: Sequence[Any]) -> bool:
        """Make these the rows; whether one that was there was changed or removed."""
        known = dict(self.run(_HASHES, table).fetchall())
        rows = [(self.number, seq, *_row(value)) for seq, value in enumerate(values)]
        other = [row for row in rows if known.get(row[1]) != row[3]]
        self.connection.executemany(_REMOVE[table], [row[:2] for row in other if row[1] in known])
        self.connection.executemany(_INSERT[table], other)
        self.run(_CUT, table, len(rows))
        if table == "events":
            self.connection.execute(_DROP_IDS, (self.number,))
            self._add_ids(0, [event.id for event in values])
        head = chained(b"", (row[3] for row in rows))
        self.seal(self.row.with_end(table, len(rows), head))
        return len(known) > len(rows) or any(row[1] in known for row in other)

    def remove(self) -> None:
        """Remove all rows, whatever they are."""
        for table in ("events", "changes"):
            self.run(_CUT, table, -(2**62))
        self.connection.execute(_DROP_IDS, (self.number,))
        self.connection.execute("DELETE FROM seals WHERE session = ?", (self.number,))
        self.connection.execute("DELETE FROM sessions WHERE number = ?", (self.number,))

    def load(self, cached: "CachedBodies | None" = None) -> Session:
        """The session, every row checked against its hash and its place.

        Args:
            cached: bodies that rows begin with, for which they need not be read: a chain that
                ends where the seal has it proves them too.

        Raises:
            CorruptData: it is not what was written.
        """
        self.check()
        if self.row.about != self.row.about_hash:
            raise self.damage("stored id, tools or metadata were changed")
        try:
            session = Session(
                self.row.id,
                tools=decoder(tuple[Tool, ...]).decode(self.row.tools),
                metadata=decoder(dict[str, Any]).decode(self.row.metadata),
            )
            events, changes = cached or ((), ())
            session.log.extend(self._values("events", Event, cached=events), decoded=True)
            for change in self._values("changes", StateChange, cached=changes):
                session.restore(change)
        except (msgspec.DecodeError, SessionError) as error:
            raise self.damage(f"this is no session: {error}"[:300]) from error
        if len(session.log) != self.row.events:
            raise self.damage("an event is stored twice")
        return session

    def raw(self, table: str) -> list[tuple[Any, Any, Any]]:
        """Place, body and hash of the rows of a table, unchecked."""
        return self.run(_ROWS, table, -(2**62)).fetchall()

    def problem(self) -> str:
        """What is wrong with the session; empty where nothing is."""
        try:
            session = self.load()
        except CorruptData as error:
            return f"{error.what}: {error.where}"
        ids = dict(self.connection.execute(_IDS_OF, (self.number,)).fetchall())
        if ids != {event.id: seq for seq, event in enumerate(session.log)}:
            return "the index of its event ids was changed"
        return ""

    def put_bodies(self, table: str, bodies: Sequence[bytes]) -> None:
        """Make these the rows of a table; the seal is another's work."""
        self.run(_CUT, table, -(2**62))
        hashed = [(self.number, n, body, sha256(body).digest()) for n, body in enumerate(bodies)]
        self.connection.executemany(_INSERT[table], hashed)
        if table == "events":
            self.connection.execute(_DROP_IDS, (self.number,))
            self._add_ids(0, [decoder(Event).decode(body).id for body in bodies])

    def load_new(self, session: Session, known: SessionRow) -> None:
        """Add to a session what was stored since its rows were as `known` says.

        Raises:
            WriteConflict: it has more than was stored then, or what is stored was rewritten.
            CorruptData: what is stored is not what was written.
        """
        self.check()
        if (len(session.log), len(session.changes)) != (known.events, known.changes):
            raise WriteConflict(
                "the session holds what is not stored yet",
                where=f"session {self.row.id!r}",
                fix="save it first, or load the session again",
            )
        try:
            events = list(self._values("events", Event, known))
            changes = list(self._values("changes", StateChange, known))
        except CorruptData:
            self.load()  # says what is damaged, if anything is
            raise WriteConflict(
                "the stored session was rewritten",
                where=f"session {self.row.id!r}",
                fix="load the session again",
            ) from None
        session.log.extend(events, decoded=True)
        for change in changes:
            session.restore(change)
        if self.row[2:4] != known[2:4]:
            session.tools = decoder(tuple[Tool, ...]).decode(self.row.tools)
            session.metadata = decoder(dict[str, Any]).decode(self.row.metadata)

    def _values(
        self,
        table: str,
        kind: Any,
        known: SessionRow | None = None,
        cached: Sequence[bytes] = (),
    ) -> Iterator[Any]:
        """The values of a table behind those of `known`, each row checked; where the last is not
        where the seal has it, the error comes behind it."""
        decode = decoder(kind).decode
        place, head = (0, b"") if known is None else known.end(table)
        rows = ((n, body, sha256(body).digest()) for n, body in enumerate(cached))
        for seq, body, digest in chain(rows, self.run(_ROWS, table, place + len(cached))):
            if seq != place or not is_whole(body, digest):
                raise self.damage("a stored row was changed or is missing", f"{table} row {seq}")
            yield decode(body)
            head = sha256(head + digest).digest()
            place += 1
        if (place, head) != self.row.end(table):
            raise self.damage(f"stored {table} were changed, or the last of them are missing")

    def _add_ids(self, start: int, ids: Sequence[str]) -> None:
        rows = zip(repeat(self.number), ids, count(start))
        self.connection.executemany(_ADD_ID, rows)


def is_whole(body: Any, digest: Any) -> bool:
    """Whether a row's body is what its hash says."""
    return isinstance(body, bytes) and sha256(body).digest() == digest


def storable(events: Sequence[Event]) -> list[Event]:
    """The events as a log would take them.

    Raises:
        SessionError: one is no event, has no known role, or holds what is no JSON data.
    """
    return [encodable(event)[0] for event in events]


def _row(value: Any) -> tuple[bytes, bytes]:
    body = _encode(value)
    return body, sha256(body).digest()
