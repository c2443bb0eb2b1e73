"""Run work that asks models in between, waiting in a thread or in an event loop.

Such work is a generator: it yields the tasks that it needs answered, is sent their answers, and
returns its result. So one body serves the sync and the async entry points.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

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
            tasks = asking.send(models.answer_now(tasks, session=session, turn=turn))
    except StopIteration as done:
        return done.value


async def adrive(asking: TaskGenerator[T], models: TaskRunner, session: str, turn: int = 0) -> T:
    """The result, letting the event loop run while models answer."""
    try:
        tasks = next(asking)
        while True:
            tasks = asking.send(await models.answer(tasks, session=session, turn=turn))
    except StopIteration as done:
        return done.value
