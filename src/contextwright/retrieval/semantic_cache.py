"""Answers to questions that came before in other words.

A likeness alone gives wrong answers: `flights on 3 May` is nearly `flights on 4 May`. So an answer
comes back only where the guards hold too: the same numbers, names and identifiers in the same
order, the same negations and opposites, the same corpus, the same scope, not too old.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256

import msgspec

from contextwright.retrieval.stems import stems
from contextwright.retrieval.vectors import Vectorizer, checked_vectors, reason_of
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.text.identifiers import IDENTIFIER
from contextwright.text.search_terms import STOP, words
from contextwright.typed_decoding import decoder

LIKE_VECTORS = 0.95
"""Cosine from which two questions are alike: static vectors of eight words differ in one by less
than a tenth."""
LIKE_WORDS = 0.9
"""Share of all content words that both have: with fewer than ten, every one."""
MAX_ANSWERS = 1_000
"""Answers that stay, those used last: each `get` compares with all of them."""

_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
_NAMED = re.compile(rf"`[^`\n]+`|\"[^\"\n]+\"|{IDENTIFIER}|(?<!^)\b[A-Z]\w+")
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(number) for number, word in enumerate(re.findall(r"\w+", _COUNTED))}
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|except|excluding|neither|nor|cannot|unless)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_OPPOSITES = frozenset(
    re.findall(
        r"\w+",
        """before after first last min max minimum maximum least most lowest highest low high lower
        higher less more fewer under over below above up down in out on off increase decrease rise
        fall start end begin stop open close enable disable allow deny add remove delete create
        buy sell give take send receive from to oldest newest earliest latest old new best worst
        cheap cheapest expensive dearest fast slow fastest slowest import export push pull read
        write encrypt decrypt upgrade downgrade win lose left right yes who when where why how
        which many much today yesterday tomorrow next previous past future all any some every only
        my your his her our their""",
    )
)
"""Words that turn a question into another one, together with the words that ask."""
_FILLER = frozenset(
    re.findall(
        r"\w+",
        """please tell show give could would can you me know want like need explain say let help
        kindly hi hello hey thanks thank""",
    )
)


class Cached(msgspec.Struct, frozen=True):
    """An answer from the cache.

    Args:
        likeness: of that question to the one asked now, in millionths.
    """

    query: str
    answer: str
    likeness: int
    age_ms: int


class CacheEntry(msgspec.Struct, frozen=True):
    """An answer in the cache.

    Args:
        time_ms: when it was put in; used_ms: when it was last given; milliseconds since 1970.
    """

    query: str
    answer: str
    scope: str = ""
    version: str = ""
    time_ms: int = 0
    used_ms: int | None = None
    uses: int = 0

    @property
    def id(self) -> str:
        """Names it without saying what was asked."""
        named = f"{self.scope}\n{self.query}".encode("utf-8", "surrogatepass")
        return "asked_" + sha256(named).hexdigest()[:16]


_encode = msgspec.json.Encoder(order="sorted").encode
_decode = decoder(CacheEntry).decode


class _Indexed(msgspec.Struct):
    """An entry with what its question is compared by."""

    entry: CacheEntry
    guard: tuple[object, ...]
    content: tuple[str, ...]
    vector: list[float]

    @property
    def key(self) -> tuple[str, str]:
        """Its place in the cache."""
        return self.entry.scope, self.entry.query


class SemanticCache:
    """Answers by question. Asks no clock: times are given, in milliseconds since 1970.

    Args:
        embedder: without one, or where it fails, questions are alike by their words.
        like: likeness from which an answer is given, 0 to 1; None for the measured defaults.
        max_age_ms: milliseconds after which an answer is forgotten; None for never.
    """

    traits = StoreTraits(
        name="semantic_cache",
        unreached="caches in the memory of other processes",
        durable=False,
    )
    path = ""

    def __init__(
        self,
        embedder: Vectorizer | None = None,
        *,
        like: float | None = None,
        max_age_ms: int | None = None,
        keep: int = MAX_ANSWERS,
    ) -> None:
        self._embedder, self._like, self._max_age, self._keep = embedder, like, max_age_ms, keep
        self._entries: OrderedDict[tuple[str, str], _Indexed] = OrderedDict()
        self._lock = threading.Lock()
        self.degraded = "" if embedder is not None else "no embedder: alike by words only"

    def __len__(self) -> int:
        return len(self._entries)

    def put(
        self, query: str, answer: str, *, now_ms: int, scope: str = "", version: str = ""
    ) -> None:
        """Keeps an answer.

        Args:
            scope: whose it is (a user, a tenant): given back in the same scope only.
            version: what state of the corpus it is from: given back for the same only.
        """
        indexed = self._indexed(CacheEntry(query, answer, scope, version, now_ms))
        with self._lock:
            self._entries[indexed.key] = indexed
            self._entries.move_to_end(indexed.key)
            self._shrink()

    def get(self, query: str, *, now_ms: int, scope: str = "", version: str = "") -> Cached | None:
        """The answer to the likest question for which every guard holds.

        Returns:
            The answer; None where no question is like enough.
        """
        question = self._indexed(CacheEntry(query, "", scope, version, now_ms))
        with self._lock:
            if (most := self._max_age) is not None:
                self._remove(lambda entry: now_ms - entry.time_ms > most)
            alike: list[tuple[float, str]] = []
            for each in self._entries.values():
                entry = each.entry
                if (entry.scope, entry.version, each.guard) != (scope, version, question.guard):
                    continue
                likeness, least = self._likeness(each, question)
                if likeness >= least and entry.time_ms <= now_ms:
                    alike.append((-likeness, entry.query))
            if not alike:
                return None
            likeness, best = min(alike)
            hit = self._entries[scope, best]
            self._entries.move_to_end(hit.key)
            entry = hit.entry
            hit.entry = msgspec.structs.replace(entry, used_ms=now_ms, uses=entry.uses + 1)
            age_ms = now_ms - entry.time_ms
            return Cached(entry.query, entry.answer, round(-likeness * 1_000_000), age_ms)

    def forget(self, *, scope: str | None = None, version: str | None = None) -> int:
        """Drops the answers of a scope, of a version, of both; all without either. How many."""
        return self._drop(
            lambda entry: scope in (None, entry.scope) and version in (None, entry.version)
        )

    def entries(self) -> list[CacheEntry]:
        """Every answer, the one that was used last at the end."""
        with self._lock:
            return [each.entry for each in self._entries.values()]

    def records(self) -> list[StoredRecord]:
        """Every answer, as retention takes it; ids are digests, for the audit log has them."""
        return [_record(each) for each in self.entries()]

    def remove_records(self, ids: Collection[str]) -> int:
        """Drops answers by the ids of their entries; how many there were."""
        dropped = set(ids)
        return self._drop(lambda entry: entry.id in dropped)

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Drops the answers that match."""
        return self._drop(lambda entry: matches(_record(entry)))

    def scrub(self) -> None:
        """Nothing to do: it has no file."""

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Puts dropped answers back, before those that came since; the ids of those that are
        there now as they were."""
        returned = [self._indexed(_restored(record)) for record in records]
        with self._lock:
            for each in returned:
                self._entries.setdefault(each.key, each)
            for each in reversed(returned):
                self._entries.move_to_end(each.key, last=False)
            self._shrink()
            present = {key: each.entry.answer for key, each in self._entries.items()}
        return [each.entry.id for each in returned if present.get(each.key) == each.entry.answer]

    def _drop(self, is_dropped: Callable[[CacheEntry], bool]) -> int:
        with self._lock:
            return self._remove(is_dropped)

    def _remove(self, is_dropped: Callable[[CacheEntry], bool]) -> int:
        keys = [key for key, each in self._entries.items() if is_dropped(each.entry)]
        for key in keys:
            del self._entries[key]
        return len(keys)

    def _shrink(self) -> None:
        while len(self._entries) > self._keep:
            self._entries.popitem(last=False)

    def _indexed(self, entry: CacheEntry) -> _Indexed:
        query = entry.query
        return _Indexed(entry, _guard(query), _content(query), self._vector(query))

    def _likeness(self, known: _Indexed, question: _Indexed) -> tuple[float, float]:
        """Likeness, and the least that will do."""
        if known.entry.query == question.entry.query:
            return 1.0, 1.0
        if question.vector and known.vector and any(question.vector):
            dot = sum(a * b for a, b in zip(question.vector, known.vector, strict=True))
            return min(dot, 1.0), LIKE_VECTORS if self._like is None else self._like
        least = LIKE_WORDS if self._like is None else self._like
        both, either = (
            set(question.content) & set(known.content),
            {*question.content, *known.content},
        )
        # `dog bites man` and `man bites dog` have the same words
        order = [word for word in question.content if word in both]
        if order != [word for word in known.content if word in both]:
            return 0.0, least
        return len(both) / len(either) if either else 0.0, least

    def _vector(self, query: str) -> list[float]:
        if self._embedder is None:
            return []
        try:
            (vector,) = checked_vectors(self._embedder.vectors([query]), 1)
        except Exception as error:  # noqa: BLE001 -- code of the user's may raise anything
            self.degraded = f"the embedder failed ({reason_of(error)}): alike by words only"
            return []
        self.degraded = ""
        return vector


def _restored(record: StoredRecord) -> CacheEntry:
    entry = _decode(record.body)
    return msgspec.structs.replace(entry, used_ms=record.used_ms, uses=record.uses)


def _record(entry: CacheEntry) -> StoredRecord:
    return StoredRecord(
        id=entry.id,
        text=f"{entry.query}\n{entry.answer}",
        kind="answer",
        scope=entry.scope,
        time_ms=entry.time_ms,
        used_ms=entry.used_ms,
        uses=entry.uses,
        body=_encode(msgspec.structs.replace(entry, used_ms=None, uses=0)),
    )


def _guard(query: str) -> tuple[object, ...]:
    """The features that two questions with one answer must share."""
    spoken = words(query)
    numbers = [number.replace(",", "").strip(".") for number in _NUMBER.findall(query)]
    numbers += [_NUMBERS[word] for word in spoken if word in _NUMBERS]
    named = [name.strip('`"').casefold() for name in _NAMED.findall(query)]
    return (
        tuple(numbers),
        # a date's month is a name in one question and a lower-case word in another: rather no
        # answer than a wrong one
        tuple(name for name in named if name not in STOP),
        len(_NEGATION.findall(query)),
        tuple(sorted({word for word in spoken if word in _OPPOSITES} - {"in", "on", "to", "from"})),
        tuple(word for word in spoken if word in {"from", "to"}),
    )


def _content(query: str) -> tuple[str, ...]:
    content = " ".join(word for word in words(query) if word not in _FILLER)
    return tuple(dict.fromkeys(stems(content)))
