"""Answers as places: those of models, in a file or in memory, and those to questions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from contextwright.retention.place import Record, Row, Touched
from contextwright.retention.subject_matcher import Theirs
from contextwright.retrieval.semantic_cache import CacheEntry, SemanticCache
from contextwright.spec.task import Answer
from contextwright.stores.answers import AnswerRow, SQLiteAnswers
from contextwright.stores.artifact_retention import refs_in

_encode = msgspec.json.Encoder(order="sorted").encode
_entry = msgspec.json.Decoder(AnswerRow).decode
_answer = msgspec.json.Decoder(Answer).decode
_asked = msgspec.json.Decoder(CacheEntry).decode


MADE_OF = "answers that were made of the person's sessions and do not name the person"


class KeptAnswers:
    """The answers of a `SQLiteAnswers`.

    Args:
        answers: the store.
        name: of the place.
    """

    beyond = MADE_OF

    def __init__(self, answers: SQLiteAnswers, *, name: str = "answers") -> None:
        self._answers, self.name, self.path = answers, name, answers.path

    def rows(self) -> list[Row]:
        """A row an answer."""
        return [_entry_row(each) for each in self._answers.entries()]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Answers, whole."""
        wanted = set(ids)
        return [
            Record(each.key, _encode(each))
            for each in self._answers.entries()
            if each.key in wanted
        ]

    def remove(self, records: Sequence[Record]) -> None:
        """Remove answers that are still what was taken."""
        bodies = {each.key: each.body for each in self._answers.entries()}
        self._answers.forget(
            record.id for record in records if bodies.get(record.id) == _entry(record.body).body
        )

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put answers back in their places."""
        return self._answers.put_back(_entry(record.body) for record in records)

    def touched(self, theirs: Theirs) -> list[Row]:
        """Answers that name the person: they are asked again."""
        return [row for row in self.rows() if _names(row, theirs)]

    def erase(self, theirs: Theirs) -> Touched:
        """Remove them."""
        return Touched(removed=self._answers.forget([row.id for row in self.touched(theirs)]))

    def scrub(self) -> None:
        """Write the file anew."""
        self._answers.scrub()


class AnswersInMemory(Protocol):
    """What `models.cache.RecentAnswers` is."""

    def entries(self) -> Mapping[str, Answer]:
        """Every answer by its key."""
        ...

    def forget(self, keys: Iterable[str]) -> int:
        """Drop answers."""
        ...

    def put_back(self, answers: Iterable[tuple[str, Answer]]) -> list[str]:
        """Put dropped answers back."""
        ...


class RecentlyAnswered:
    """The answers of a `RecentAnswers`. They have no times: only `min_salience` and `max_items`
    say anything about them.

    Args:
        answers: the cache.
        name: of the place.
    """

    path = ""
    beyond = f"caches in the memory of other processes; {MADE_OF}"

    def __init__(self, answers: AnswersInMemory, *, name: str = "recent_answers") -> None:
        self._answers, self.name = answers, name

    def rows(self) -> list[Row]:
        """A row an answer."""
        return [_answer_row(key, each) for key, each in self._answers.entries().items()]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Answers, whole."""
        held = self._answers.entries()
        return [Record(key, _encode(held[key])) for key in ids if key in held]

    def remove(self, records: Sequence[Record]) -> None:
        """Drop answers that are still what was taken."""
        held = self._answers.entries()
        self._answers.forget(
            record.id for record in records if held.get(record.id) == _answer(record.body)
        )

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put answers back."""
        return self._answers.put_back((record.id, _answer(record.body)) for record in records)

    def touched(self, theirs: Theirs) -> list[Row]:
        """Answers that name the person."""
        return [row for row in self.rows() if _names(row, theirs)]

    def erase(self, theirs: Theirs) -> Touched:
        """Drop them."""
        return Touched(removed=self._answers.forget([row.id for row in self.touched(theirs)]))

    def scrub(self) -> None:
        """Nothing: it has no file."""


class Questions:
    """The answers of a `SemanticCache`. Their ids are digests, for the audit holds ids.

    Args:
        cache: the cache.
        name: of the place.
    """

    path = ""
    beyond = "caches in the memory of other processes"

    def __init__(self, cache: SemanticCache, *, name: str = "semantic_cache") -> None:
        self._cache, self.name = cache, name

    def rows(self) -> list[Row]:
        """A row an answer."""
        return [_asked_row(each) for each in self._cache.entries()]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Answers, whole."""
        wanted = set(ids)
        return [
            Record(each.id, _encode(each)) for each in self._cache.entries() if each.id in wanted
        ]

    def remove(self, records: Sequence[Record]) -> None:
        """Drop answers that are still what was taken."""
        held = {each.id: each.answer for each in self._cache.entries()}
        self._cache.drop(
            record.id for record in records if held.get(record.id) == _asked(record.body).answer
        )

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put answers back."""
        return self._cache.put_back(_asked(record.body) for record in records)

    def touched(self, theirs: Theirs) -> list[Row]:
        """Answers of the person's scope, and those that name the person."""
        return [row for row in self.rows() if theirs.owns(row.scope) or _names(row, theirs)]

    def erase(self, theirs: Theirs) -> Touched:
        """Drop them."""
        return Touched(removed=self._cache.drop([row.id for row in self.touched(theirs)]))

    def scrub(self) -> None:
        """Nothing: it has no file."""


def _entry_row(each: AnswerRow) -> Row:
    return _text_row(
        each.key,
        each.body.decode("utf-8", "replace"),
        time_ms=each.written_ms,
        used_ms=each.used_ms,
        uses=each.uses,
    )


def _answer_row(key: str, each: Answer) -> Row:
    return _text_row(key, _encode(each).decode())


def _asked_row(each: CacheEntry) -> Row:
    return _text_row(
        each.id,
        f"{each.query}\n{each.answer}",
        scope=each.scope,
        time_ms=each.time_ms,
        used_ms=each.used_ms,
        uses=each.uses,
    )


def _text_row(
    id: str,
    text: str,
    *,
    scope: str = "",
    time_ms: int | None = None,
    used_ms: int | None = None,
    uses: int = 0,
) -> Row:
    return Row(
        id=id,
        text=text,
        kind="answer",
        scope=scope,
        time_ms=time_ms,
        used_ms=used_ms,
        uses=uses,
        refs=tuple(sorted(refs_in(text))) if "artifact://" in text else (),
        size=len(text.encode("utf-8", "surrogatepass")),
    )


def _names(row: Row, theirs: Theirs) -> bool:
    return theirs.names(row.text) or theirs.names(row.id)
