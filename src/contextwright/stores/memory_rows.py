"""The rows of `SQLiteMemory`: its statements, and the columns that earlier files lack."""

from contextwright.stores.database import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL,
    text TEXT NOT NULL, time_ms INTEGER, origin BLOB NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS memories_log ON memories (scope, kind, number);
CREATE INDEX IF NOT EXISTS memories_gone ON memories (gone);
CREATE TABLE IF NOT EXISTS memories_epochs (epoch INTEGER PRIMARY KEY AUTOINCREMENT);
"""
_LATER = (
    ("tier", "ALTER TABLE memories ADD COLUMN tier INTEGER NOT NULL DEFAULT 0"),
    ("pinned", "ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0"),
    ("active", "ALTER TABLE memories ADD COLUMN active INTEGER NOT NULL DEFAULT 1"),
    ("written_ms", "ALTER TABLE memories ADD COLUMN written_ms INTEGER"),
    ("used_ms", "ALTER TABLE memories ADD COLUMN used_ms INTEGER"),
    ("uses", "ALTER TABLE memories ADD COLUMN uses INTEGER NOT NULL DEFAULT 0"),
    ("turned", "ALTER TABLE memories ADD COLUMN turned INTEGER NOT NULL DEFAULT 0"),
)
"""Columns that came with forgetting, in their order; a file of an earlier version gets them."""
_TURNED_INDEX = "CREATE INDEX IF NOT EXISTS memories_turned ON memories (turned)"

COLUMNS = (
    "SELECT number, id, scope, kind, entity, text, time_ms, origin, gone, "
    "tier, pinned, active, written_ms, used_ms, uses, turned FROM memories"
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
MAKE_WAY = "UPDATE memories SET id = id || char(10) || number WHERE id = ? AND gone > 0"
GONE = "SELECT id, gone FROM memories WHERE gone > ? ORDER BY gone"
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
    """Give a file of an earlier version the columns that it lacks.

    Raises:
        StoreError: it can not be written.
    """
    with database.reading() as connection:
        known = {row[1] for row in connection.execute("PRAGMA table_info(memories)")}
    if all(column in known for column, _ in _LATER):
        return
    with database.writing() as connection:
        known = {row[1] for row in connection.execute("PRAGMA table_info(memories)")}
        for column, statement in _LATER:
            if column not in known:
                connection.execute(statement)
        connection.execute(_TURNED_INDEX)
