"""Answers of models in Redis, in front of where they are kept."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec

from contextwright.models.answer_cache import AnswerCache
from contextwright.spec.task import Answer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores.redis.redis_cache import CacheClaim, RedisCache
from contextwright.typed_decoding import decoder

_KIND, _LATEST = "answer", "latest"
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = decoder(Answer).decode


class RedisAnswers:
    """An `AnswerCache` in front of another one. Of processes that want the same answer at the
    same time one asks the model, and the others wait for it.

    An answer is in the store behind before it is in Redis; the newest of a series is always asked
    of that store. So an emptied server changes no answer, and a dead one costs time only.

    Args:
        cache: of the tenant whose answers these are.
        store: where answers are kept, such as `PostgresAnswers`. Without one, they are in Redis
            alone, and asked again when they are gone.
    """

    def __init__(self, cache: RedisCache, store: AnswerCache | None = None) -> None:
        self._cache, self._store = cache, store
        self._claims: dict[str, CacheClaim] = {}
        self.path = str(getattr(store, "path", ""))

    @property
    def traits(self) -> StoreTraits:
        """Those of the store behind; what was forgotten there is removed here as well."""
        behind = getattr(self._store, "traits", None)
        return behind or StoreTraits(name="answers", unreached="answers in Redis until they expire")

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept."""
        known = self._cached(_KIND, key)
        if known is not None or self._store is None:
            return known
        generation = self._cache.generation(_KIND)
        answer = self._store.get(key)
        # what was removed meanwhile must not come back
        if answer is not None and generation is not None:
            self._cache.put(_KIND, key, _encode(answer))
            if self._cache.generation(_KIND) != generation:
                self._cache.delete(_KIND, [key])
        return answer

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; where another process was given the right to make it since, its own."""
        if self._store is not None:
            self._store.put(key, answer)
        body = _encode(answer)
        self._cache.put(_KIND, key, body, claim=self._claims.get(key))
        if self._store is None and answer.series:
            self._cache.put(_LATEST, answer.series, body)

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        if self._store is not None:
            return self._store.latest(series)
        return self._cached(_LATEST, series)

    def claim(self, key: str, lease_s: float) -> bool:
        """Whether this process is to make an answer; not, where another one makes it."""
        claim = self._cache.claim(key, lease_s)
        if claim is None:
            return False
        if claim.token:
            self._claims[key] = claim
        return True

    def release(self, key: str) -> None:
        """The answer was made, or will not be."""
        claim = self._claims.pop(key, None)
        if claim is not None:
            self._cache.release(claim)

    def records(self) -> Sequence[StoredRecord]:
        """The answers of the store behind, as retention takes them."""
        return self._behind.records() if self._store is not None else []

    def remove_records(self, ids: Collection[str]) -> int:
        removed = self._behind.remove_records(ids) if self._store is not None else 0
        self._cache.delete(_KIND, ids)
        return removed

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        return self.remove_records([each.id for each in self.records() if matches(each)])

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put forgotten answers back into the store behind."""
        return self._behind.restore_records(records) if self._store is not None else []

    def scrub(self) -> None:
        """Leave nothing of what was removed in the store behind."""
        if self._store is not None:
            self._behind.scrub()

    @property
    def _behind(self) -> Any:
        """The store behind, as a `RecordStore`."""
        return self._store

    def _cached(self, kind: str, name: str) -> Answer | None:
        body = self._cache.get(kind, name)
        try:
            return None if body is None else _decode(body)
        except msgspec.DecodeError:  # of another version of this package
            return None
