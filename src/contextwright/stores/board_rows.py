"""The rows of a task board: statements that SQLite and PostgreSQL take, and what they give."""

from collections.abc import Iterable
from typing import NamedTuple

from contextwright.stores.database import Database
from contextwright.stores.row_hash import HashedTable
from contextwright.stores.session_row import Connection

SCHEMA = """
CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT,
    task TEXT NOT NULL, step TEXT NOT NULL, body BLOB NOT NULL, worker TEXT NOT NULL DEFAULT '',
    token TEXT NOT NULL DEFAULT '', until_ms INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, result BLOB,
    UNIQUE (task, step));
CREATE TABLE IF NOT EXISTS needs (task TEXT NOT NULL, step TEXT NOT NULL, after TEXT NOT NULL,
    PRIMARY KEY (task, step, after)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS steps_open ON steps (done, number);
"""
COLUMNS = (
    "number", "task", "step", "body", "worker", "token", "until_ms", "attempts", "done", "result",
    "reason", "after",
)  # fmt: skip
TABLE = HashedTable("steps", COLUMNS)
_ADDED_COLUMNS = {"reason": "TEXT NOT NULL DEFAULT ''", "after": "TEXT NOT NULL DEFAULT ''"}
"""Columns that came with failed steps; `after` has the needs of a step under its hash."""
_OF_NEEDS = """
UPDATE steps SET after = coalesce((SELECT group_concat(after, char(10)) FROM (SELECT needs.after
    FROM needs WHERE needs.task = steps.task AND needs.step = steps.step ORDER BY needs.after)), '')
"""
_WAITS = """EXISTS (SELECT 1 FROM needs LEFT JOIN steps AS before
        ON before.task = needs.task AND before.step = needs.after
        WHERE needs.task = s.task AND needs.step = s.step AND coalesce(before.done, 0) != 1)"""
# no value is ever put into a statement
_ROWS = f"""
SELECT number, task, step, body, worker, token, until_ms, attempts, done, result, reason, after,
    hash, {_WAITS} AS waits
FROM steps AS s WHERE (? = '' OR task = ?)
"""  # noqa: S608
CLAIMABLE = f"""{_ROWS} AND done = 0 AND until_ms <= ? AND number > ? AND NOT {_WAITS}
ORDER BY number LIMIT 1"""
LISTED = _ROWS + " ORDER BY number"
BEFORE = _ROWS + " AND step IN (SELECT after FROM needs WHERE task = ? AND step = ?)"  # noqa: S608
NEEDS = "SELECT after FROM needs WHERE task = ? AND step = ? ORDER BY after"
GIVE_UP = "UPDATE steps SET done = 2, until_ms = 0, token = '', reason = ? WHERE number = ?"
CLAIM = """
UPDATE steps SET worker = ?, token = ?, until_ms = ?, attempts = attempts + 1 WHERE number = ?
"""
_OF_CLAIM = """
UPDATE steps SET {} WHERE task = ? AND step = ? AND token = ? AND token != '' AND done = 0
"""
EXTEND = _OF_CLAIM.format("until_ms = ?")
COMPLETE = _OF_CLAIM.format("done = 1, until_ms = 0, result = ?")
RELEASE = _OF_CLAIM.format("until_ms = ?, token = '', worker = ''")
FAIL = _OF_CLAIM.format("done = 2, until_ms = 0, reason = ?")
REJECT = """
UPDATE steps SET done = 3, until_ms = 0, token = '', reason = ? WHERE task = ? AND step = ?
    AND done != 3
"""
REOPEN = """
UPDATE steps SET done = 0, until_ms = 0, token = '', worker = '', attempts = 0, reason = '',
    result = NULL WHERE task = ? AND step = ? AND done IN (2, 3)
"""
BODY = "SELECT body FROM steps WHERE task = ? AND step = ?"


ADD_STEP = "INSERT INTO steps (task, step, body, after) VALUES (?, ?, ?, ?)"
ADD_NEED = "INSERT INTO needs VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class StepRow(NamedTuple):
    """A row of `steps`, and whether it waits for others."""

    number: int
    task: str
    step: str
    body: bytes
    worker: str
    token: str
    until_ms: int
    attempts: int
    done: int
    result: bytes | None
    reason: str
    after: str
    hash: bytes | None
    waits: int


def lost_needs(connection: Connection) -> list[tuple[str, str]]:
    """Task and step of the steps whose needs are not those under their hash."""
    rows = connection.execute("SELECT task, step, after FROM steps ORDER BY number").fetchall()
    return [
        (task, step)
        for task, step, after in rows
        if "\n".join(name for (name,) in connection.execute(NEEDS, (task, step))) != after
    ]


def heal_needs(connection: Connection, steps: Iterable[tuple[str, str]]) -> None:
    """Put back the needs that are under the hash of steps."""
    for key in steps:
        (after,) = connection.execute(
            "SELECT after FROM steps WHERE task = ? AND step = ?", key
        ).fetchone()
        connection.execute("DELETE FROM needs WHERE task = ? AND step = ?", key)
        names = after.split("\n") if after else []
        rows = [(*key, name) for name in names]
        connection.executemany("INSERT INTO needs VALUES (?, ?, ?)", rows)


def migrate(database: Database) -> None:
    """Give a file of an earlier version the columns that it lacks."""
    known = {row[1] for row in database.rows("PRAGMA table_info(steps)")}
    database.add_columns("steps", _ADDED_COLUMNS)
    if "after" not in known:
        database.run_each(_OF_NEEDS, [()])
    TABLE.open(database)
