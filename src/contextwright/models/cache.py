"""Answers that were paid for once. `stores.SQLiteAnswers` keeps them across processes."""

import threading
from typing import Protocol

from contextwright.spec.task import Answer

MOST = 10_000
"""Answers that are kept in memory."""


class AnswerCache(Protocol):
    """Keeps answers by key: who made it, and the task's fingerprint."""

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept."""
        ...

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer, whole or not at all."""
        ...

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        ...


class RecentAnswers:
    """The newest answers, in memory."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._answers: dict[str, Answer] = {}
        self._latest: dict[str, Answer] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept."""
        return self._answers.get(key)

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; the oldest goes where there are too many."""
        with self._lock:
            self._answers[key] = answer
            if answer.series:
                self._latest[answer.series] = answer
            for table in (self._answers, self._latest):
                while len(table) > self._most:
                    del table[next(iter(table))]

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        return self._latest.get(series)
