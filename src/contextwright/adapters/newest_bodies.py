"""The body that was compiled last, of each run: whose conversation a tool reads back from."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

_RUNS = 64
"""Runs whose newest body is remembered; the one used longest ago goes first."""
_NEWEST: ContextVar[Mapping[object, dict[str, Any]]] = ContextVar("newest bodies", default={})  # noqa: B039
"""Of each port, the body that this task or thread compiled last."""


class NewestBodies:
    """The newest body of each run; without a run, of this task or thread."""

    def __init__(self) -> None:
        self._of_runs: dict[str, dict[str, Any]] = {}

    def remember(self, body: dict[str, Any], run: str) -> None:
        """Take a body that is compiled now."""
        _NEWEST.set({**_NEWEST.get(), self: body})
        if run:
            self._of_runs.pop(run, None)
            self._of_runs[run] = body
            while len(self._of_runs) > _RUNS:
                del self._of_runs[next(iter(self._of_runs))]

    def of(self, run: str) -> dict[str, Any] | None:
        """The newest body of a run."""
        return self._of_runs.get(run) if run else _NEWEST.get().get(self)
