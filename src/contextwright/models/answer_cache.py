"""Answers of models, so that none is paid for twice.

`stores.SQLiteAnswers` keeps them across processes.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import msgspec

from contextwright.spec.task import Answer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.typed_decoding import decoder

MAX_ANSWERS = 10_000
"""Answers in memory: some tens of megabytes."""
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = decoder(Answer).decode


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
    """The newest answers, in memory. They have no times: of a retention policy only
    `min_salience` and `max_items` say anything about them."""

    traits = StoreTraits(
        name="recent_answers",
        unreached="caches in the memory of other processes; answers that were made of the "
        "person's sessions and do not name the person",
        durable=False,
    )
    path = ""

    def __init__(self, most: int = MAX_ANSWERS) -> None:
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

    def entries(self) -> dict[str, Answer]:
        """Every answer by its key, the oldest first."""
        with self._lock:
            return dict(self._answers)

    def remove_records(self, ids: Collection[str]) -> int:
        """Drop answers by their keys; the one before becomes the newest of its series. How many
        there were."""
        with self._lock:
            popped = [self._answers.pop(key, None) for key in ids]
            dropped = [answer for answer in popped if answer is not None]
            series = {answer.series for answer in dropped} - {""}
            for name in series:
                self._latest.pop(name, None)
            for answer in self._answers.values() if series else ():
                if answer.series in series:
                    self._latest[answer.series] = answer
            return len(dropped)

    def records(self) -> list[StoredRecord]:
        """Every answer, as retention takes it."""
        bodies = {key: _encode(answer) for key, answer in self.entries().items()}
        return [
            StoredRecord(id=key, text=body.decode(), kind="answer", body=body)
            for key, body in bodies.items()
        ]

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Drop the answers that match."""
        return self.remove_records([record.id for record in self.records() if matches(record)])

    def scrub(self) -> None:
        """Nothing to do: it has no file."""

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put dropped answers back, before those that came since; the keys of those that are
        there now as they were."""
        restored = {record.id: _decode(record.body) for record in records}
        with self._lock:
            self._answers = {**restored, **self._answers}
            for answer in self._answers.values():
                if answer.series:
                    self._latest.setdefault(answer.series, answer)
            for key in list(self._answers)[: max(0, len(self._answers) - self._most)]:
                del self._answers[key]
            return [key for key, answer in restored.items() if self._answers.get(key) == answer]
