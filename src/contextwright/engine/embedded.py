"""The models that every compile without others shares; imported when a spec first asks them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import ModelError
from contextwright.spec.task import Answer, Task


class Embedded:
    """The embedded models: no network, no key."""

    llm = None

    @cached_property
    def models(self) -> TaskRunner:
        """What answers."""
        from contextwright.models import Models

        return Models()

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series."""
        return self.models.latest(series)

    async def answer(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """An answer for every task."""
        return await self.models.answer(tasks, session=session, turn=turn)

    def answer_now(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """The same, waiting."""
        return self.models.answer_now(tasks, session=session, turn=turn)


EMBEDDED = Embedded()


def answering_by(models: TaskRunner | None) -> TaskRunner:
    """Who answers: what was given, or the embedded models.

    Raises:
        ModelError: what was given answers nothing, such as the bare name of a model.
    """
    given: Any = models
    if given is None:
        return EMBEDDED
    if not hasattr(given, "answer_now"):
        raise ModelError(
            f"models is a {type(given).__name__}",
            where=f"models={given!r}"[:80],
            fix="give contextwright.models.Models(...), such as Models('openai:gpt-5-mini')",
        )
    return given
