"""The Task Board: steps that are ready, claimed or done, in one SQLite file
(context-packs.md#task-board)."""

import math
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

import msgspec

from contextwright.errors import StoreError
from contextwright.stores.database import SQLiteStore, clock_ms
from contextwright.tasks.plan_step import Step, step_of

State = Literal["waiting", "ready", "claimed", "done"]
LEASE_S = 300.0
"""Seconds after which a claim that nobody extended is open to others: its worker died."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT,
    task TEXT NOT NULL, step TEXT NOT NULL, body BLOB NOT NULL, worker TEXT NOT NULL DEFAULT '',
    token TEXT NOT NULL DEFAULT '', until_ms INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, result BLOB,
    UNIQUE (task, step));
CREATE TABLE IF NOT EXISTS needs (task TEXT NOT NULL, step TEXT NOT NULL, after TEXT NOT NULL,
    PRIMARY KEY (task, step, after)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS steps_open ON steps (done, number);
"""
_OPEN = """
SELECT number, body, attempts FROM steps AS s WHERE done = 0 AND until_ms <= :now
    AND (:task = '' OR task = :task) AND NOT EXISTS (SELECT 1 FROM needs JOIN steps AS before
        ON before.task = needs.task AND before.step = needs.after
        WHERE needs.task = s.task AND needs.step = s.step AND before.done = 0)
ORDER BY number LIMIT 1
"""
_LISTED = """
SELECT body, worker, until_ms, attempts, done, result, EXISTS (SELECT 1 FROM needs
    JOIN steps AS before ON before.task = needs.task AND before.step = needs.after
    WHERE needs.task = s.task AND needs.step = s.step AND before.done = 0)
FROM steps AS s WHERE :task = '' OR task = :task ORDER BY number
"""
_CLAIM = """
UPDATE steps SET worker = ?, token = ?, until_ms = ?, attempts = attempts + 1 WHERE number = ?
"""
_OF_CLAIM = """
UPDATE steps SET {} WHERE task = ? AND step = ? AND token = ? AND token != '' AND done = 0
"""
_EXTEND = _OF_CLAIM.format("until_ms = ?")
_COMPLETE = _OF_CLAIM.format("done = 1, until_ms = 0, result = ?")
_RELEASE = _OF_CLAIM.format("until_ms = ?, token = '', worker = ''")
_BODY = "SELECT body FROM steps WHERE task = ? AND step = ?"


class StepClaim(msgspec.Struct, frozen=True):
    """A step that one worker has for itself, for a time.

    Args:
        attempts: how often it was claimed, this time included.
    """

    step: Step
    worker: str
    token: str
    attempts: int


class BoardEntry(msgspec.Struct, frozen=True):
    """A step as the board shows it."""

    step: Step
    state: State
    worker: str = ""
    attempts: int = 0
    result: Any = None


class TaskBoard(SQLiteStore):
    """Hands each step to one worker at a time, and out again if that one dies.

    Usable from several threads and processes. A step is done once: a worker whose claim ran out
    and was given to another can not complete it any more.

    Args:
        path: the file; made where it is missing.
        lease_s: seconds that a claim lasts unless it is extended.
        clock: milliseconds since 1970; the same for all workers.

    Raises:
        StoreError: not a database, or a lease in which nothing can be done.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        lease_s: float = LEASE_S,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        if not 0.001 <= lease_s < math.inf:
            raise StoreError(
                f"a lease of {lease_s} seconds",
                where="TaskBoard(lease_s=...)",
                fix="give the seconds after which a silent worker counts as dead",
            )
        super().__init__(path, _SCHEMA, fix="give a file of a TaskBoard")
        self._lease_ms, self._clock = round(lease_s * 1000), clock

    def add(self, *steps: Step, after: Iterable[str] = ()) -> None:
        """Put steps on the board; one that is there already stays as it is.

        Args:
            after: ids of steps of the same task that must be done first; they must be on the
                board, so that steps can not wait for each other in a circle.

        Raises:
            StepError: a step without a checklist. StoreError: an unknown step in `after`, or
                another step under a known id.
        """
        plain = [step_of(step) for step in steps]
        before = (after,) if isinstance(after, str) else tuple(after)
        with self._database.writing() as connection:
            for step in plain:
                self._add(connection, step, before)

    def _add(self, connection: sqlite3.Connection, step: Step, before: tuple[str, ...]) -> None:
        key = (step.task_id, step.step_id)
        body = _encoded(step, _place(step))
        known = connection.execute(_BODY, key).fetchone()
        if known is not None:
            if known[0] != body:
                raise StoreError(
                    "another step has this id",
                    where=_place(step),
                    fix="give the new step an id of its own",
                )
            return
        for name in before:
            if connection.execute(_BODY, (step.task_id, name)).fetchone() is None:
                raise StoreError(
                    f"step {name!r} is not on the board",
                    where=f"{_place(step)}, after",
                    fix="add the steps in their order",
                )
        connection.execute("INSERT INTO steps (task, step, body) VALUES (?, ?, ?)", (*key, body))
        needs = [(*key, name) for name in before]
        connection.executemany("INSERT OR IGNORE INTO needs VALUES (?, ?, ?)", needs)

    def claim(self, worker: str, *, task: str = "") -> StepClaim | None:
        """The first step that is ready, for this worker only; None where there is none now.

        Args:
            task: only steps of this task.
        """
        with self._database.writing() as connection:
            now = self._clock()
            row = connection.execute(_OPEN, {"now": now, "task": task}).fetchone()
            if row is None:
                return None
            number, body, attempts = row
            token = token_hex(8)
            connection.execute(_CLAIM, (worker, token, now + self._lease_ms, number))
        return StepClaim(msgspec.json.decode(body, type=Step), worker, token, attempts + 1)

    def extend(self, claim: StepClaim) -> None:
        """Keep a claim for another lease.

        Raises:
            StoreError: it is not this worker's any more.
        """
        self._set(claim, _EXTEND, self._clock() + self._lease_ms)

    def complete(self, claim: StepClaim, result: Any = None) -> None:
        """The step is done.

        Args:
            result: plain JSON data, for those who look later.

        Raises:
            StoreError: the claim ran out and another worker has the step, or did it; or the
                result is no JSON data.
        """
        self._set(claim, _COMPLETE, _encoded(result, f"result of step {claim.step.step_id!r}"))

    def release(self, claim: StepClaim) -> None:
        """The step is ready again, at once.

        Raises:
            StoreError: it is not this worker's any more.
        """
        self._set(claim, _RELEASE, 0)

    def steps(self, task: str = "") -> list[BoardEntry]:
        """All steps, in the order in which they were added."""
        with self._database.reading() as connection:
            now = self._clock()
            return [_listed(row, now) for row in connection.execute(_LISTED, {"task": task})]

    def _set(self, claim: StepClaim, statement: str, value: int | bytes) -> None:
        step = claim.step
        row = (value, step.task_id, step.step_id, claim.token)
        if self._database.run_each(statement, [row]) != 1:
            raise StoreError(
                "the claim ran out, or the step is done: its result is not taken",
                where=f"{_place(step)}, worker {claim.worker!r}",
                fix="claim the next step; extend() claims of long steps in time",
            )


def _place(step: Step) -> str:
    return f"task {step.task_id!r}, step {step.step_id!r}"


def _encoded(value: Any, where: str) -> bytes:
    try:
        return msgspec.json.encode(value, order="sorted")
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"this is no JSON data: {error}"[:200],
            where=where,
            fix="give strings, numbers, booleans, lists and dicts",
        ) from error


def _listed(row: tuple[Any, ...], now: int) -> BoardEntry:
    body, worker, until, attempts, done, result, waits = row
    state: State = "waiting" if waits else "ready"
    if done:
        state = "done"
    elif until > now:
        state = "claimed"
    return BoardEntry(
        step=msgspec.json.decode(body, type=Step),
        state=state,
        worker=worker if state in {"claimed", "done"} else "",
        attempts=attempts,
        result=msgspec.json.decode(result) if result is not None else None,
    )
