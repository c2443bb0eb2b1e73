"""Rows that carry the hash of what they hold: written with it by triggers, checked when read."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.errors import CorruptData

if TYPE_CHECKING:
    from contextwright.stores.database import Database

_encode = msgspec.msgpack.Encoder().encode


def row_hash(*values: Any) -> bytes | None:
    """The sha256 of a row's values and their types; None for what no row of ours holds."""
    try:
        return sha256(_encode(values)).digest()
    except (TypeError, ValueError, OverflowError):  # bytes that are no UTF-8
        return None


class HashedTable:
    """A table whose rows have the hash of some of their columns in a column `hash`.

    The triggers that write it are this connection's own: a row that something else changed keeps
    the hash of what it was.

    Args:
        name: of the table; it has a column `number`.
        columns: those that the hash covers, `number` first.
    """

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        self.name, self.columns = name, tuple(columns)
        new = ", ".join(f"NEW.{column}" for column in columns)
        # names of tables and columns of this package; no value is ever put into a statement
        put = f"UPDATE {name} SET hash = row_hash({new}) WHERE number = NEW.number; END"  # noqa: S608
        self._triggers = tuple(
            f"CREATE TEMP TRIGGER IF NOT EXISTS {name}_{when} AFTER {event} ON main.{name} "
            f"BEGIN {put}"
            for when, event in (
                ("inserted", "INSERT"),
                ("updated", f"UPDATE OF {', '.join(columns)}"),
            )
        )
        covered = ", ".join(columns)
        marks = ", ".join("?" * (len(columns) + 1))
        self.select = f"SELECT {covered}, hash FROM {name} ORDER BY number"  # noqa: S608
        self.select_one = f"SELECT {covered}, hash FROM {name} WHERE number = ?"  # noqa: S608
        self.put = f"INSERT INTO {name} ({covered}, hash) VALUES ({marks})"  # noqa: S608
        self.delete = f"DELETE FROM {name} WHERE number = ?"  # noqa: S608
        self.unsealed = f"SELECT {covered} FROM {name} WHERE hash IS NULL ORDER BY number"  # noqa: S608
        self.seal_one = f"UPDATE {name} SET hash = ? WHERE number = ?"  # noqa: S608
        self._seal = f"UPDATE {name} SET hash = row_hash({covered}) WHERE hash IS NULL"  # noqa: S608

    def open(self, database: "Database") -> None:
        """Write hashes from now on; rows of a file that had none get theirs."""
        known = {row[1] for row in database.rows(f"PRAGMA table_info({self.name})")}
        database.add_columns(self.name, {"hash": "BLOB"})
        if database.read_only:
            return
        if "hash" not in known:
            database.run_each(self._seal, [()])
        database.add_triggers(self._triggers)


def check_row(digest: Any, values: Sequence[Any], what: str, path: str) -> None:
    """Check that a row is what was written.

    Args:
        digest: the hash in the row. values: those that it covers.
        what, path: name the row and its file in the error.

    Raises:
        CorruptData: it is not.
    """
    if digest is None or row_hash(*values) != digest:
        raise CorruptData(
            "a stored row is not what was written",
            where=f"{path}, {what}",
            fix="look with `ctx verify FILE`, restore it from a backup, or remove it",
        )
