"""The models that every compile without others shares; imported when a spec first asks them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import ModelError
from contextwright.spec.task import Answer, Task
from contextwright.worker_threads import off_loop


class NoAnswers:
    """Keeps no answer: what these models said of a session ends with it."""

    def get(self, key: str) -> Answer | None:
        """None."""

    def put(self, key: str, answer: Answer) -> None:
        """Nothing."""

    def latest(self, series: str) -> Answer | None:
        """None."""


class Embedded:
    """The embedded models, no network, no key: what `TaskRunner` names, `Models` has."""

    llm = None
    by_words: frozenset[str] = frozenset({"llm", "lexical"})

    @cached_property
    def models(self) -> TaskRunner:
        """What answers."""
        from contextwright.models import Models

        return Models(answers=NoAnswers())

    async def answer(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """An answer for every task, the models imported in a worker thread."""
        models = await off_loop(lambda: self.models)
        return await models.answer(tasks, session=session, turn=turn)

    def latest(self, series: str) -> Any:
        """As `Models` has it; naming it imports no model."""
        return self.models.latest(series)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.models, name)


EMBEDDED = cast(TaskRunner, Embedded())


def answering_by(models: TaskRunner | None) -> TaskRunner:
    """The runner that answers: the caller's, or the embedded models.

    Raises:
        ModelError: the runner answers nothing, such as the bare name of a model.
    """
    runner: Any = models
    if runner is None:
        return EMBEDDED
    if not hasattr(runner, "answer_now"):
        raise ModelError(
            f"models is a {type(runner).__name__}",
            where=f"models={runner!r}"[:80],
            fix="give contextwright.models.Models(...), such as Models('openai:gpt-5-mini')",
        )
    return runner
