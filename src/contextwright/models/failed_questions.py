"""Questions that failed: what a model could not answer is not asked again and again."""

import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple

from contextwright.spec.task import Task

MAX_FAILURES = 10_000
"""Failures that are remembered."""
LASTING = frozenset({"malformed", "refused", "rejected", "cut_off"})
"""Faults that the same question meets again."""
OF_SERIES = 2
"""Questions of a series that may fail in a row: each has more of a session that grows."""
OF_KIND = 5
"""Questions of a kind that may fail in a row: what is wrong lies with the model then."""


class _Failure(NamedTuple):
    at: float
    times: int
    reason: str


class FailedQuestions:
    """What failed, by the question's hash, by its series and by its kind; each for a while.

    Args:
        expires_s: seconds after which a question may be asked again.
        clock: seconds.
    """

    def __init__(
        self, expires_s: float, clock: Callable[[], float], most: int = MAX_FAILURES
    ) -> None:
        self._expires_s, self._clock, self._most = expires_s, clock, most
        self._failures: dict[str, _Failure] = {}
        self._lock = threading.Lock()

    def why_not(self, task: Task, maker: str) -> str:
        """Why a task is not to be asked; empty where it may be."""
        for name, most in _names(task, maker):
            failure = self._known(name)
            if failure is not None and failure.times >= most:
                return f"not asked again, it failed before ({failure.reason})"
        return ""

    def failed_before(self, task: Task, maker: str) -> bool:
        """Whether the last of its series failed: then one try is enough."""
        return any(self._known(name) is not None for name, _ in _names(task, maker))

    def add(self, task: Task, maker: str, reason: str) -> None:
        """A task failed."""
        with self._lock:
            for name, _ in _names(task, maker):
                before = self._known(name)
                times = before.times + 1 if before is not None else 1
                self._failures.pop(name, None)
                self._failures[name] = _Failure(self._clock(), times, reason)
            while len(self._failures) > self._most:
                del self._failures[next(iter(self._failures))]

    def answered(self, task: Task, maker: str) -> None:
        """A task was answered: its series and its kind are well."""
        with self._lock:
            for name, _ in _names(task, maker):
                self._failures.pop(name, None)

    def _known(self, name: str) -> _Failure | None:
        failure = self._failures.get(name)
        if failure is not None and self._clock() - failure.at >= self._expires_s:
            return None
        return failure


def _names(task: Task, maker: str) -> Iterable[tuple[str, int]]:
    who = f"{maker}\n{task.model}"
    yield f"{who}\nquestion\n{task.fingerprint}", 1
    if task.series:
        yield f"{who}\nseries\n{task.series}", OF_SERIES
    yield f"{who}\nkind\n{task.kind}", OF_KIND
