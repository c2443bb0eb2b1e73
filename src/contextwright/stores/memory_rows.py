"""The rows of `SQLiteMemory`: values, statements, and the columns that earlier files lack."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal, get_args

import msgspec

from contextwright.errors import CorruptData
from contextwright.session.checked_call import CheckedRecord
from contextwright.stored_record import StoredRecord
from contextwright.stores.database import Database
from contextwright.stores.row_hash import HashedTable, check_row
from contextwright.typed_decoding import decoder

MemoryKind = Literal["note", "fact", "entity", "decision", "preference", "checkpoint"]
KINDS = get_args(MemoryKind)
_encode = msgspec.json.Encoder(order="sorted").encode


class MemoryRecord(msgspec.Struct, metaclass=CheckedRecord, frozen=True, kw_only=True):
    """Something worth keeping.

    Args:
        id: by default named by its content, so that the same thing is kept once.
        scope: whose it is: a user, a team; searches see one scope only.
        entity: what it is about, for `entity` memories: a later one of the same replaces it in
            `entities`, the log keeps both.
        time_ms: when it was so, in milliseconds since 1970.
        origin: refs of the events and artifacts that it comes from.
        tier: 1 critical, 2 important, 3 supplementary, 4 archive; 0 where none was set.
        pinned: never forgotten by a policy.
    """

    text: str
    kind: MemoryKind = "note"
    scope: str = ""
    entity: str = ""
    time_ms: int | None = None
    origin: tuple[str, ...] = ()
    id: str = ""
    tier: int = 0
    pinned: bool = False


class MemoryRow(msgspec.Struct, frozen=True):
    """A memory with what its store knows of it.

    Args:
        written_ms, used_ms: milliseconds since 1970; None for files of earlier versions, and for
            what no search found yet.
        uses: searches that found it.
        active: whether searches may find it.
    """

    memory: MemoryRecord
    written_ms: int | None = None
    used_ms: int | None = None
    uses: int = 0
    active: bool = True


_decode = decoder(MemoryRow).decode

SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL,
    text TEXT NOT NULL, time_ms INTEGER, origin BLOB NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS memories_log ON memories (scope, kind, number);
CREATE INDEX IF NOT EXISTS memories_gone ON memories (gone);
CREATE TABLE IF NOT EXISTS memories_epochs (epoch INTEGER PRIMARY KEY AUTOINCREMENT);
"""
_ADDED_COLUMNS = {
    "tier": "INTEGER NOT NULL DEFAULT 0",
    "pinned": "INTEGER NOT NULL DEFAULT 0",
    "active": "INTEGER NOT NULL DEFAULT 1",
    "written_ms": "INTEGER",
    "used_ms": "INTEGER",
    "uses": "INTEGER NOT NULL DEFAULT 0",
    "turned": "INTEGER NOT NULL DEFAULT 0",
}
"""Columns that came with forgetting, in their order; a file of an earlier version gets them."""
_TURNED_INDEX = "CREATE INDEX IF NOT EXISTS memories_turned ON memories (turned)"

_HASHED = (
    "number", "gone", "turned", "id", "scope", "kind", "entity", "text", "time_ms", "origin",
    "tier", "pinned", "active", "written_ms",
)  # fmt: skip
"""Columns that a row's hash covers; what mere use counts is not worth one."""
TABLE = HashedTable("memories", _HASHED)
COLUMNS = (
    "SELECT number, gone, turned, id, scope, kind, entity, text, time_ms, origin, tier, pinned, "
    "active, written_ms, used_ms, uses, hash FROM memories"
)
ALL = COLUMNS + " ORDER BY number"
NEW = COLUMNS + " WHERE number > ? ORDER BY number"
LISTED = COLUMNS + " WHERE gone = 0 ORDER BY number"
LOG = COLUMNS + " WHERE scope = ? AND kind = ? AND gone = 0 ORDER BY number"
ONE = COLUMNS + " WHERE id = ? AND gone = 0"
TURNED = COLUMNS + " WHERE turned > ? ORDER BY turned"
INSERT = """
INSERT INTO memories (id, scope, kind, entity, text, time_ms, origin, tier, pinned, active,
    written_ms, used_ms, uses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
FORGET = """
UPDATE memories SET gone = (SELECT max(gone) FROM memories) + 1, text = '', entity = '',
    origin = '[]' WHERE id = ? AND gone = 0
"""
MAKE_WAY = "UPDATE memories SET id = id || ? || number WHERE id = ? AND gone > 0"
DELETIONS = "SELECT id, gone FROM memories WHERE gone > ? ORDER BY gone"
"""`gone` counts upward, so that every process sees what went since it looked; so does `turned`,
for what was turned on and off."""
PIN = "UPDATE memories SET pinned = 1 WHERE id = ? AND gone = 0"
UNPIN = "UPDATE memories SET pinned = 0 WHERE id = ? AND gone = 0 AND pinned = 1"
DEACTIVATE = """
UPDATE memories SET turned = (SELECT max(turned) FROM memories) + 1, active = 0
WHERE id = ? AND gone = 0 AND active = 1
"""
ACTIVATE = """
UPDATE memories SET turned = (SELECT max(turned) FROM memories) + 1, active = 1
WHERE id = ? AND gone = 0 AND active = 0
"""
USED = "UPDATE memories SET uses = uses + ?, used_ms = max(coalesce(used_ms, 0), ?) WHERE id = ?"
DELETE = "DELETE FROM memories WHERE number = ?"
EPOCH = "SELECT coalesce(max(epoch), 0) FROM memories_epochs"
NEXT_EPOCH = "INSERT INTO memories_epochs DEFAULT VALUES"
"""Rows were removed: what a process has counted so far is worth nothing, it begins anew."""


def migrate(database: Database) -> None:
    """Give a file of an earlier version the columns and the index that it lacks.

    Raises:
        ReadOnlyStore: it lacks some and can not be written.
    """
    database.add_columns("memories", _ADDED_COLUMNS)
    TABLE.open(database)
    if "memories_turned" not in {row[1] for row in database.rows("PRAGMA index_list(memories)")}:
        database.run_each(_TURNED_INDEX, [()])


def memory_row(row: tuple[Any, ...], path: str = "") -> MemoryRow:
    """A row of `COLUMNS`.

    Raises:
        CorruptData: it is not what was written.
    """
    _, _, _, id, scope, kind, entity, text, time_ms, origin, tier, pinned, active, *usage = row
    *usage, digest = usage
    check_row(digest, row[: len(_HASHED)], f"memory {id!r}, row {row[0]}", path)
    memory = MemoryRecord(
        id=id,
        scope=scope,
        kind=kind,
        entity=entity,
        text=text,
        time_ms=time_ms,
        origin=decoder(tuple[str, ...]).decode(origin),
        tier=tier,
        pinned=bool(pinned),
    )
    return MemoryRow(memory, *usage, active=bool(active))


def whole_rows(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], MemoryRow]]:
    """The rows that are what was written, each with what it holds."""
    for row in rows:
        with suppress(CorruptData):
            yield row, memory_row(row)


def record_of_row(row: tuple[Any, ...], path: str) -> StoredRecord:
    """A row as retention takes it; of a damaged one, what can still be read."""
    try:
        return record_of(memory_row(row, path))
    except CorruptData as error:
        texts = [_readable(value) for value in row[: len(_HASHED)]]
        id, scope, kind, entity, text, _, origin = texts[3:10]
        return StoredRecord(
            id=id,
            text=text,
            labels=(entity, origin),
            kind=kind,
            scope=scope,
            protected_by="damaged",
            damage=f"{error.what}: {error.where}",
        )


def _readable(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value or "").encode("utf-8", "replace").decode()


def values_of(each: MemoryRow) -> tuple[Any, ...]:
    """A row as `INSERT` takes it."""
    one = each.memory
    content = (one.id, one.scope, one.kind, one.entity, one.text, one.time_ms)
    flags = (one.tier, int(one.pinned), int(each.active))
    usage = (*flags, each.written_ms, each.used_ms, each.uses)
    return (*content, msgspec.json.encode(one.origin), *usage)


def record_of(each: MemoryRow) -> StoredRecord:
    """A row as retention takes it."""
    one = each.memory
    return StoredRecord(
        id=one.id,
        text=one.text,
        labels=(one.entity, *one.origin),
        kind=one.kind,
        scope=one.scope,
        time_ms=each.written_ms if one.time_ms is None else one.time_ms,
        used_ms=each.used_ms,
        uses=each.uses,
        tier=one.tier,
        pinned=one.pinned,
        body=_encode(msgspec.structs.replace(each, used_ms=None, uses=0)),
    )


def row_of_record(record: StoredRecord) -> MemoryRow:
    """The row that a record was exported from."""
    row = _decode(record.body)
    return msgspec.structs.replace(row, used_ms=record.used_ms, uses=record.uses)
