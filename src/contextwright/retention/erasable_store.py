"""The stores that `Lethe` works on: one protocol, and the adapter that makes one of any
`RecordStore`."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.stored_record import RecordStore, StoredRecord, StoreTraits
from contextwright.stores.artifact_retention import refs_in


class ErasureCount(msgspec.Struct, frozen=True):
    """The number of records that an erasure removed from a store, and rewrote in it; the ids of
    those that it passed over because they are damaged."""

    removed: int = 0
    rewritten: int = 0
    damaged: tuple[str, ...] = ()


@runtime_checkable
class ErasableStore(Protocol):
    """A store that can be forgotten in and erased from.

    `remove`, `restore`, `erase` and `scrub` are idempotent: after a crash they are done again.
    A store of plain records offers `RecordStore` instead and needs no more.
    """

    traits: StoreTraits
    path: str
    """Its file; empty where it has none of its own."""

    def records(self) -> list[StoredRecord]:
        """Every record; bodies may be missing."""
        ...

    def export(self, ids: Collection[str]) -> list[StoredRecord]:
        """The records of these ids that are there, with their bodies; the store stays as it is."""
        ...

    def remove(self, records: Sequence[StoredRecord]) -> None:
        """Remove records that are still as they were exported; what was changed since stays."""
        ...

    def restore(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put back what is not there; the ids of those that are there now as exported."""
        ...

    def affected(self, matcher: SubjectMatcher) -> list[StoredRecord]:
        """The records that an erasure would change or remove."""
        ...

    def erase(self, matcher: SubjectMatcher) -> ErasureCount:
        """Remove the data subject's records, rewrite those that name the data subject."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was removed in the store's files."""
        ...


class RecordStoreAdapter:
    """An `ErasableStore` over a `RecordStore`."""

    def __init__(self, store: RecordStore, *, name: str = "") -> None:
        self._store, self.path = store, store.path
        traits, durable = store.traits.renamed(name), store.traits.durable or bool(store.path)
        self.traits = msgspec.structs.replace(traits, durable=durable)

    def records(self) -> list[StoredRecord]:
        return [_measured(record) for record in self._store.records()]

    def export(self, ids: Collection[str]) -> list[StoredRecord]:
        wanted = set(ids)
        return [record for record in self.records() if record.id in wanted]

    def remove(self, records: Sequence[StoredRecord]) -> None:
        bodies = {record.id: record.body for record in self._store.records()}
        self._store.remove_records([r.id for r in records if bodies.get(r.id) == r.body])

    def restore(self, records: Sequence[StoredRecord]) -> list[str]:
        return self._store.restore_records(records)

    def affected(self, matcher: SubjectMatcher) -> list[StoredRecord]:
        return list(filter(matcher.matches, self.records()))

    def erase(self, matcher: SubjectMatcher) -> ErasureCount:
        removed = self._store.erase_records(matcher.matches)
        left = tuple(record.id for record in self._store.records() if record.damage)
        return ErasureCount(removed=removed, damaged=left)

    def scrub(self) -> None:
        self._store.scrub()


def _measured(record: StoredRecord) -> StoredRecord:
    searched = "\n".join((record.text, *record.labels))
    return msgspec.structs.replace(
        record,
        # a text without a ref is the rule, and looking for refs is slow
        refs=tuple(sorted(refs_in(searched))) if "artifact://" in searched else (),
        size=len(record.text.encode("utf-8", "surrogatepass")),
    )


Score = Callable[[str], float]
"""How much a text matters, 0 to 1."""


class TextScorer(Protocol):
    """An object that scores texts, as a `SalienceScorer` does."""

    def score(self, content: str) -> float:
        """How much a text matters, 0 to 1."""
        ...


def score_function(salience: Score | TextScorer | None) -> Score | None:
    """The callable of a scorer."""
    score: Any = getattr(salience, "score", None)
    return salience if score is None else score  # type: ignore[return-value]
