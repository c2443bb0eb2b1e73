"""The row of a stored session, and the connection that reads and writes it."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from contextwright.stores.row_hash import row_hash


class Connection(Protocol):
    """A connection within a transaction; `?` stands for a value, as SQLite has it."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement; a cursor."""
        ...

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement with each of the rows."""
        ...


class SessionRow(NamedTuple):
    """The row of a session itself, and of its seal, which is another: tools may be large, and an
    append writes the seal anew.

    `about` is the hash of id, tools and metadata; `events` and `changes` say how many rows there
    are, `events_head` and `changes_head` where their chains end; `seal` is the hash of all that.
    """

    number: int
    id: str
    tools: bytes
    metadata: bytes
    about: bytes | None = None
    events: int = 0
    events_head: bytes = b""
    changes: int = 0
    changes_head: bytes = b""
    seal: bytes | None = None

    @property
    def about_hash(self) -> bytes | None:
        """What `about` must be."""
        return row_hash(self.id, self.tools, self.metadata)

    @property
    def seal_hash(self) -> bytes | None:
        """What `seal` must be."""
        return row_hash(self.number, *self[4:9])

    @property
    def rows(self) -> tuple[Any, ...]:
        """Names the rows of events and changes that are stored."""
        return self.number, *self[5:9]

    def end(self, table: str) -> tuple[int, bytes]:
        """How many rows a table has, and where their chain ends."""
        ends = {
            "events": (self.events, self.events_head),
            "changes": (self.changes, self.changes_head),
        }
        return ends[table]

    def with_end(self, table: str, count: int, head: bytes) -> "SessionRow":
        """The row with another end of a table's chain."""
        return self._replace(**{table: count, f"{table}_head": head})


def chained(head: bytes, hashes: Iterable[bytes]) -> bytes:
    """Where a chain ends that goes on from `head`."""
    for digest in hashes:
        head = sha256(head + digest).digest()
    return head
