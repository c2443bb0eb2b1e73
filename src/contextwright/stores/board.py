"""The Task Board: steps that are ready, claimed, done, failed or rejected, in one SQLite file
(context-packs.md#task-board)."""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import CorruptData, StoreError, WriteConflict
from contextwright.stored_record import StoredRecord
from contextwright.stores import board_rows as sql
from contextwright.stores.artifact_retention import refs_in
from contextwright.stores.board_rows import StepRow
from contextwright.stores.database import Database, RowDatabase, RowStore, clock_ms
from contextwright.stores.row_hash import check_row
from contextwright.stores.session_row import Connection
from contextwright.tasks.plan_step import Step, step_of
from contextwright.typed_decoding import decoder

State = Literal["waiting", "ready", "claimed", "done", "failed", "rejected"]
_OPEN = 0
_STATES: Mapping[int, State] = {1: "done", 2: "failed", 3: "rejected"}
"""What the column `done` says; 0 is a step that is open."""
MOST_ATTEMPTS = 5
LEASE_S = 300.0
"""Seconds after which a claim that nobody extended is open to others: its worker died."""


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
    """A step as the board shows it.

    Args:
        reason: why it failed or was rejected.
    """

    step: Step
    state: State
    worker: str = ""
    attempts: int = 0
    result: Any = None
    reason: str = ""


class RowBoard(RowStore):
    """Hands each step to one worker at a time, and out again if that one dies.

    Usable from several threads and processes. A step is done once: a worker whose claim ran out
    and was given to another can not complete it any more. A step that can not be done fails, for
    good or until somebody puts it back; those that need it wait.

    Args:
        lease_s: seconds that a claim lasts unless it is extended.
        most_attempts: claims after which a step that was never completed fails: it would take
            down one worker after the other.
        clock: milliseconds since 1970; the same for all workers.

    Raises:
        StoreError: a lease in which nothing can be done.
    """

    def __init__(
        self, database: RowDatabase, lease_s: float, most_attempts: int, clock: Callable[[], int]
    ) -> None:
        where = f"{type(self).__name__}(...)"
        expect_types(
            where, StoreError, lease_s=(lease_s, float), most_attempts=(most_attempts, int)
        )
        if not 0.001 <= lease_s < math.inf:
            raise StoreError(
                f"a lease of {lease_s} seconds",
                where=f"{type(self).__name__}(lease_s=...)",
                fix="give the seconds after which a silent worker counts as dead",
            )
        if most_attempts < 1:
            raise StoreError(
                f"expected a number of attempts from 1, got {most_attempts}",
                where=f"{type(self).__name__}(most_attempts=...)",
                fix="give how often a step may be claimed, such as 5",
            )
        super().__init__(database)
        self._lease_ms, self._clock, self._most = round(lease_s * 1000), clock, most_attempts

    def add(self, *steps: Step, after: Iterable[str] = ()) -> None:
        """Put steps on the board; one that is there already stays as it is.

        Args:
            after: ids of steps of the same task that must be done first; they must be on the
                board, so that steps can not wait for each other in a circle.

        Raises:
            StepError: a step without a checklist. StoreError: an unknown step in `after`, or
                another step under a known id.
        """
        expect_types("add(*steps, after=...)", StoreError, after=(after, Iterable))
        plain = [step_of(step, "add(*steps)") for step in steps]
        before = (after,) if isinstance(after, str) else tuple(after)
        with self._database.writing() as connection:
            for step in plain:
                self._add(connection, step, before)

    def _add(self, connection: Connection, step: Step, before: tuple[str, ...]) -> None:
        key = (step.task_id, step.step_id)
        body = _encoded(step, _place(step))
        known = connection.execute(sql.BODY, key).fetchone()
        if known is not None:
            if known[0] != body:
                raise WriteConflict(
                    "another step has this id",
                    where=_place(step),
                    fix="give the new step an id of its own",
                )
            return
        for name in before:
            if connection.execute(sql.BODY, (step.task_id, name)).fetchone() is None:
                raise StoreError(
                    f"step {name!r} is not on the board",
                    where=f"{_place(step)}, after",
                    fix="add the steps in their order",
                )
        needs = [(*key, name) for name in before]
        after = "\n".join(sorted(set(before)))
        connection.execute(sql.ADD_STEP, (*key, body, after))
        connection.executemany(sql.ADD_NEED, needs)

    def claim(self, worker: str, *, task: str = "") -> StepClaim | None:
        """The first step that is ready, for this worker only; None where there is none now. One
        whose row is damaged is passed over, and one that was claimed too often fails.

        Args:
            task: only steps of this task.

        Raises:
            StoreError: no name of a worker.
        """
        expect_types("claim(worker)", StoreError, worker=(worker, str), task=(task, str))
        worker = _plain(worker)
        with self._database.writing() as connection:
            now, last = self._clock(), 0
            while True:
                fetched = connection.execute(sql.CLAIMABLE, (task, task, now, last)).fetchone()
                if fetched is None:
                    return None
                row = StepRow._make(fetched)
                last = row.number
                if self._damage(connection, row) or self._waits(connection, row):
                    continue
                if row.attempts >= self._most:
                    reason = f"claimed {row.attempts} times and never completed"
                    connection.execute(sql.GIVE_UP, (reason, row.number))
                    continue
                token, until = token_hex(8), now + self._lease_ms
                connection.execute(sql.CLAIM, (worker, token, until, row.number))
                step = decoder(Step).decode(row.body)
                return StepClaim(step, worker, token, row.attempts + 1)

    def extend(self, claim: StepClaim) -> None:
        """Keep a claim for another lease.

        Raises:
            StoreError: it is not this worker's any more.
        """
        self._set(claim, sql.EXTEND, self._clock() + self._lease_ms)

    def complete(self, claim: StepClaim, result: Any = None) -> None:
        """The step is done.

        Args:
            result: plain JSON data, for those who look later.

        Raises:
            StoreError: the claim ran out and another worker had the step, or the result is no
                JSON data.
        """
        step = _claimed(claim)
        self._set(claim, sql.COMPLETE, _encoded(result, f"result of step {step.step_id!r}"))

    def release(self, claim: StepClaim) -> None:
        """The step is ready again, at once.

        Raises:
            StoreError: it is not this worker's any more.
        """
        self._set(claim, sql.RELEASE, 0)

    def fail(self, claim: StepClaim, reason: str) -> None:
        """The step can not be done: nobody gets it any more, until it is reopened.

        Raises:
            StoreError: it is not this worker's any more, or the reason is no text.
        """
        expect_types("fail(claim, reason)", StoreError, reason=(reason, str))
        self._set(claim, sql.FAIL, _plain(reason))

    def reject(self, task: str, step: str, reason: str) -> None:
        """A step's result, or the step itself, is not taken, whatever state it is in: nobody gets
        it any more, until it is reopened; those that need it wait.

        Raises:
            StoreError: there is no such step, or it is rejected already, or the reason is no text.
        """
        expect_types("reject(task, step, reason)", StoreError, reason=(reason, str))
        self._mark(sql.REJECT, (_plain(reason), task, step), "to be rejected")

    def reopen(self, task: str, step: str) -> None:
        """A failed or rejected step is ready again, with all its attempts.

        Raises:
            StoreError: there is none.
        """
        self._mark(sql.REOPEN, (task, step), "failed or rejected")

    def steps(self, task: str = "") -> list[BoardEntry]:
        """All steps, in the order in which they were added; `damaged()` names those that can not
        be read."""
        with self._database.snapshot() as connection:
            now = self._clock()
            rows = list(map(StepRow._make, connection.execute(sql.LISTED, (task, task)).fetchall()))
            return [
                _listed(row, now, waits=self._waits(connection, row))
                for row in rows
                if not self._damage(connection, row)
            ]

    def refs(self) -> set[str]:
        """The artifacts that steps and their results name: `collect` must hold them; of damaged
        ones what can still be read."""
        with self._database.snapshot() as connection:
            rows = map(StepRow._make, connection.execute(sql.LISTED, ("", "")).fetchall())
            texts = [(bytes(row.body), bytes(row.result or b""), row.reason) for row in rows]
        named = (refs_in(_readable(text)) for each in texts for text in each)
        return set[str]().union(*named)

    def damaged(self) -> list[StoredRecord]:
        """The steps whose rows are not what was written, with what can still be read of them.
        Nobody gets them, and those that need them wait."""
        with self._database.snapshot() as connection:
            rows = map(StepRow._make, connection.execute(sql.LISTED, ("", "")).fetchall())
            named = [(row, self._damage(connection, row)) for row in rows]
        return [
            StoredRecord(id=f"{row.task}/{row.step}", kind="step", damage=damage)
            for row, damage in named
            if damage
        ]

    def _damage(self, connection: Connection, row: StepRow) -> str:
        """What is wrong with a row; empty where nothing is."""
        what = f"step {row.step!r} of task {row.task!r}"
        try:
            check_row(row.hash, row[: len(sql.COLUMNS)], what, self.path)
        except CorruptData as error:
            return f"{error.what}: {error.where}"
        needs = connection.execute(sql.NEEDS, (row.task, row.step)).fetchall()
        if "\n".join(name for (name,) in needs) != row.after:
            return f"the steps before it are not those that were written: {self.path}, {what}"
        return ""

    def _waits(self, connection: Connection, row: StepRow) -> bool:
        """Whether a step that it needs is not done, or who knows."""
        if row.waits or not row.after:
            return bool(row.waits)
        wanted = (row.task, row.task, row.task, row.step)
        before = connection.execute(sql.BEFORE, wanted).fetchall()
        return any(self._damage(connection, StepRow._make(each)) for each in before)

    def _mark(self, statement: str, values: tuple[str, ...], state: str) -> None:
        if self._database.run_each(statement, [values]) != 1:
            task, step = values[-2:]
            raise StoreError(
                f"no step is there {state}",
                where=f"task {task!r}, step {step!r}",
                fix="steps() lists the steps and their states",
            )

    def _set(self, claim: StepClaim, statement: str, value: int | bytes | str) -> None:
        step = _claimed(claim)
        row = (value, step.task_id, step.step_id, claim.token)
        if self._database.run_each(statement, [row]) != 1:
            raise WriteConflict(
                "the claim ran out, or the step is done: its result is not taken",
                where=f"{_place(step)}, worker {claim.worker!r}",
                fix="claim the next step; extend() claims of long steps in time",
            )


class TaskBoard(RowBoard):
    """A board in one SQLite file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing.
        lease_s, most_attempts, clock: as `RowBoard` has them.

    Raises:
        StoreError: not a database, or a lease in which nothing can be done.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        lease_s: float = LEASE_S,
        most_attempts: int = MOST_ATTEMPTS,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        database = Database(path, sql.SCHEMA, fix="give a file of a TaskBoard")
        super().__init__(database, lease_s, most_attempts, clock)
        sql.migrate(database)


def _claimed(claim: StepClaim) -> Step:
    """The step of a claim.

    Raises:
        StoreError: it is none.
    """
    expect_types("board.claim(worker) gives claims", StoreError, claim=(claim, StepClaim))
    return claim.step


def _place(step: Step) -> str:
    return f"task {step.task_id!r}, step {step.step_id!r}"


def _encoded(value: Any, where: str) -> bytes:
    try:
        return msgspec.json.encode(value, order="sorted")
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"this is no JSON data: {error}"[:200],
            where=where,
            fix="give strings, numbers, booleans, lists and dicts",
        ) from error


def _readable(text: bytes | str) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "replace")


def _plain(text: str) -> str:
    """A text that a file can hold."""
    return text.encode("utf-8", "replace").decode()


def _listed(row: StepRow, now: int, *, waits: bool) -> BoardEntry:
    state: State = "waiting" if waits else "ready"
    if row.done != _OPEN:
        state = _STATES[row.done]
    elif row.until_ms > now:
        state = "claimed"
    return BoardEntry(
        step=decoder(Step).decode(row.body),
        state=state,
        worker="" if state in {"waiting", "ready"} else row.worker,
        attempts=row.attempts,
        result=msgspec.json.decode(row.result) if row.result is not None else None,
        reason=row.reason,
    )
