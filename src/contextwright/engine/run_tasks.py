"""Run work that asks models in between, waiting in a thread or in an event loop.

Such work is a generator: it yields the tasks that it needs answered, is sent their answers, and
returns its result. So one body serves the sync and the async entry points.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec

from contextwright.compute_gate import waiting
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import belonging_to
from contextwright.spec.task import Answer, Task, TaskGenerator
from contextwright.worker_threads import off_loop

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


def run_tasks(
    asking: TaskGenerator[T], models: TaskRunner, session: str, turn: Callable[[], int] = int
) -> T:
    """The result, waiting for models in this thread.

    Args:
        session, turn: whose spending their answers are. The turn is asked for where they are.
    """
    step: _Step[T] = _advanced(asking)
    while step.tasks is not None:
        try:
            with waiting() if getattr(models, "llm", models) is not None else nullcontext():
                answered: Any = models.answer_now(step.tasks, session=session, turn=turn())
        except Exception as error:  # noqa: BLE001 -- a runner of the user's may raise anything
            answered = error
        step = _advanced(asking, step.tasks, answered)
    return cast(T, step.result)


async def adrive(
    asking: TaskGenerator[T],
    models: TaskRunner,
    session: str,
    turn: Callable[[], int] = int,
    *,
    owner: Tables | None = None,
    long: bool = False,
) -> T:
    """The result, computed in worker threads: the event loop runs meanwhile, as it does while
    models answer.

    Args:
        session, turn: as of `run_tasks`.
        owner: who remembers what is worked out.
        long: whether it may compute long; then it gives way to what does not.
    """
    if owner is not None:
        with belonging_to(owner):
            return await adrive(_scope_of(owner, asking), models, session, turn, long=long)
    step: _Step[T] = await off_loop(_advanced, asking, long=long)
    while step.tasks is not None:
        try:
            answered: Any = await models.answer(step.tasks, session=session, turn=turn())
        except Exception as error:  # noqa: BLE001 -- a runner of the user's may raise anything
            answered = error
        step = await off_loop(_advanced, asking, step.tasks, answered, long=long)
    return cast(T, step.result)


def _scope_of(owner: Tables, asking: TaskGenerator[T]) -> TaskGenerator[T]:
    """Such work as a scope of its owner's, which begins and ends in the threads that do it: what
    came is measured then, and what is forgotten let go of, for tens of milliseconds where a long
    session was compiled for the first time."""
    owner.begin()
    try:
        return (yield from asking)
    finally:
        owner.end()


class _Step(msgspec.Struct, Generic[T], gc=False):
    """How far such work is: what it asks next, or its result."""

    tasks: Any = None
    result: T | None = None


def _advanced(asking: TaskGenerator[T], tasks: Any = None, answered: Any = None) -> _Step[T]:
    """The next step of such work, from its beginning or with what was answered."""
    answers: Any = None if tasks is None else _answers(tasks, answered)
    try:
        return _Step(asking.send(answers))
    except StopIteration as done:
        return _Step(result=done.value)


def _answers(tasks: Any, answered: Any) -> Any:
    """What was answered, where it is that; else the embedded models' answers."""
    try:
        if isinstance(answered, Exception):
            raise answered
        return _checked(answered, tasks)
    except Exception as error:  # noqa: BLE001 -- a runner of the user's may give anything
        return _instead(tasks, error)


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
