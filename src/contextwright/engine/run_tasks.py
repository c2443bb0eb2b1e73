"""Run work that asks models in between, waiting in a thread or in an event loop.

Such work is a generator: it yields the tasks that it needs answered, is sent their answers, and
returns its result. So one body serves the sync and the async entry points.
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec

from contextwright.spec.task import Answer, Task, TaskGenerator

T = TypeVar("T")


class TaskRunner(Protocol):
    """What answers tasks: `contextwright.models.Models`."""

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series that was kept, in this process or another."""
        ...

    async def answer(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """An answer for every task, in their order; fails only if it is cancelled."""
        ...

    def answer_now(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """The same, waiting."""
        ...


def run_tasks(asking: TaskGenerator[T], models: TaskRunner, session: str, turn: int = 0) -> T:
    """The result, waiting for models in this thread."""
    try:
        tasks = next(asking)
        while True:
            try:
                answers = _checked(models.answer_now(tasks, session=session, turn=turn), tasks)
            except Exception as error:  # noqa: BLE001 -- a runner of the user's may raise anything
                answers = _instead(tasks, error)
            tasks = asking.send(answers)
    except StopIteration as done:
        return done.value


async def adrive(asking: TaskGenerator[T], models: TaskRunner, session: str, turn: int = 0) -> T:
    """The result, letting the event loop run while models answer."""
    try:
        tasks = next(asking)
        while True:
            try:
                answers = _checked(await models.answer(tasks, session=session, turn=turn), tasks)
            except Exception as error:  # noqa: BLE001 -- a runner of the user's may raise anything
                answers = _instead(tasks, error)
            tasks = asking.send(answers)
    except StopIteration as done:
        return done.value


def _checked(answers: Any, tasks: Any) -> list[Answer]:
    """The answers, where each is one; what came back for a judge of the user's as it is.

    Raises:
        TypeError: they are something else, or too few.
    """
    if not isinstance(tasks, tuple):
        return answers
    if len(answers) != len(cast("tuple[Task, ...]", tasks)) or not all(
        isinstance(one, Answer) for one in answers
    ):
        raise TypeError(f"expected {len(tasks)} answers, got {answers!r}"[:200])
    return list(answers)


def _instead(tasks: Any, error: Exception) -> list[Answer]:
    """The embedded models' answers, where who should answer failed.

    Raises:
        Exception: the error, of what no embedded model answers.
    """
    if not isinstance(tasks, tuple):
        raise error
    from contextwright.engine.embedded import EMBEDDED

    why = f"the models failed: {type(error).__name__}: {error}"[:200]
    answers = EMBEDDED.answer_now(tasks)
    return [msgspec.structs.replace(answer, fallback=why, series="") for answer in answers]
