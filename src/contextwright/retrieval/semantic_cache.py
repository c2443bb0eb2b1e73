"""Answers to questions that were asked before in other words.

A likeness alone gives wrong answers: `flights on 3 May` is nearly `flights on 4 May`. So an answer
comes back only where the guards hold too: the same numbers, names and identifiers in the same
order, the same negations and opposites, the same corpus, the same scope, not too old.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256

import msgspec

from contextwright.retrieval.stems import stems
from contextwright.retrieval.vectors import FAILURES, Vectorizer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.text.search_terms import STOP, words

LIKE_VECTORS = 0.95
"""Cosine from which two questions are alike: static vectors of eight words differ in one by less
than a tenth."""
LIKE_WORDS = 0.9
"""Share of all content words that both have: with fewer than ten, every one."""
KEPT = 1_000
"""Answers that are kept, those used last."""

_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
_NAMED = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|(?:[\w.-]*/)+[\w.-]+|\w+(?:[._-]\w+)+|\w*[a-z]\w*[A-Z]\w*|\w*\d\w*"
    r"|(?<!^)\b[A-Z]\w+"
)
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
    """An answer that was kept.

    Args:
        query: the question it was given to.
        answer: what was answered.
        likeness: of that question to the one asked now, in millionths.
        age_ms: milliseconds since it was put in.
    """

    query: str
    answer: str
    likeness: int
    age_ms: int


class CacheEntry(msgspec.Struct, frozen=True):
    """An answer as it is kept.

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
_decode = msgspec.json.Decoder(CacheEntry).decode


class _Entry(msgspec.Struct):
    query: str
    answer: str
    scope: str
    version: str
    time_ms: int
    guard: tuple[object, ...]
    content: tuple[str, ...]
    vector: list[float]
    used_ms: int | None = None
    uses: int = 0


class SemanticCache:
    """Answers by question. Takes the time as an argument and asks no clock.

    Args:
        embedder: has `vectors(texts)`; without one, or where it fails, questions are alike by
            their words.
        like: likeness from which an answer is given, 0 to 1; None for the measured defaults.
        max_age_ms: milliseconds after which an answer is forgotten; None for never.
        keep: answers kept.
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
        keep: int = KEPT,
    ) -> None:
        self._embedder, self._like, self._max_age, self._keep = embedder, like, max_age_ms, keep
        self._entries: OrderedDict[tuple[str, str], _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self.degraded = "" if embedder is not None else "no embedder: alike by words only"

    def __len__(self) -> int:
        return len(self._entries)

    def put(
        self, query: str, answer: str, *, now_ms: int, scope: str = "", version: str = ""
    ) -> None:
        """Keeps an answer.

        Args:
            query: the question.
            answer: what was answered.
            now_ms: the time, in milliseconds since 1970.
            scope: whose it is (a user, a tenant): given back in the same scope only.
            version: what state of the corpus it is from: given back for the same only.
        """
        entry = self._entry(CacheEntry(query, answer, scope, version, now_ms))
        with self._lock:
            self._entries[scope, query] = entry
            self._entries.move_to_end((scope, query))
            while len(self._entries) > self._keep:
                self._entries.popitem(last=False)

    def get(self, query: str, *, now_ms: int, scope: str = "", version: str = "") -> Cached | None:
        """The answer to the likest question for which every guard holds; None without one."""
        guard, content, vector = _guard(query), _content(query), self._vector(query)
        with self._lock:
            self._forget(now_ms)
            best: tuple[float, str] | None = None
            for entry in self._entries.values():
                if (entry.scope, entry.version, entry.guard) != (scope, version, guard):
                    continue
                if entry.time_ms > now_ms:
                    continue
                likeness, least = self._likeness(entry, query, content, vector)
                if likeness >= least and (best is None or (-likeness, entry.query) < best):
                    best = (-likeness, entry.query)
            if best is None:
                return None
            entry = self._entries[scope, best[1]]
            self._entries.move_to_end((scope, best[1]))
            entry.used_ms, entry.uses = now_ms, entry.uses + 1
            return Cached(
                entry.query, entry.answer, round(-best[0] * 1_000_000), now_ms - entry.time_ms
            )

    def forget(self, *, scope: str | None = None, version: str | None = None) -> int:
        """Drops the answers of a scope, of a version, of both; all without either. How many."""
        with self._lock:
            gone = [
                key
                for key, entry in self._entries.items()
                if scope in (None, entry.scope) and version in (None, entry.version)
            ]
            for key in gone:
                del self._entries[key]
            return len(gone)

    def entries(self) -> list[CacheEntry]:
        """Every answer, the one that was used last at the end."""
        with self._lock:
            return [
                CacheEntry(
                    each.query,
                    each.answer,
                    each.scope,
                    each.version,
                    each.time_ms,
                    each.used_ms,
                    each.uses,
                )
                for each in self._entries.values()
            ]

    def drop(self, ids: Iterable[str]) -> int:
        """Drops answers by the ids of their entries; how many there were."""
        gone = {ids} if isinstance(ids, str) else set(ids)
        found = [entry for entry in self.entries() if entry.id in gone]
        with self._lock:
            return sum(
                self._entries.pop((each.scope, each.query), None) is not None for each in found
            )

    def records(self) -> list[StoredRecord]:
        """Every answer, as retention takes it; ids are digests, for the audit log has them."""
        return [_record(each) for each in self.entries()]

    def remove_records(self, ids: Collection[str]) -> int:
        """Drops answers by the ids of their entries; how many there were."""
        return self.drop(ids)

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Drops the answers that match."""
        return self.drop([record.id for record in self.records() if matches(record)])

    def scrub(self) -> None:
        """Nothing to do: it has no file."""

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Puts dropped answers back, before those that came since; the ids of those that are
        there now as they were."""
        entries = [
            msgspec.structs.replace(_decode(record.body), used_ms=record.used_ms, uses=record.uses)
            for record in records
        ]
        given = [(each, self._entry(each)) for each in entries]
        with self._lock:
            older = [(each.scope, each.query) for each, _ in given]
            for key, (_, entry) in zip(older, given, strict=True):
                self._entries.setdefault(key, entry)
            for key in reversed(older):
                self._entries.move_to_end(key, last=False)
            while len(self._entries) > self._keep:
                self._entries.popitem(last=False)
            kept = {key: entry.answer for key, entry in self._entries.items()}
        return [each.id for each, _ in given if kept.get((each.scope, each.query)) == each.answer]

    def _entry(self, one: CacheEntry) -> _Entry:
        return _Entry(
            one.query,
            one.answer,
            one.scope,
            one.version,
            one.time_ms,
            _guard(one.query),
            _content(one.query),
            self._vector(one.query),
            one.used_ms,
            one.uses,
        )

    def _forget(self, now_ms: int) -> None:
        if self._max_age is None:
            return
        for key in [
            key for key, entry in self._entries.items() if now_ms - entry.time_ms > self._max_age
        ]:
            del self._entries[key]

    def _likeness(
        self, entry: _Entry, query: str, content: tuple[str, ...], vector: list[float]
    ) -> tuple[float, float]:
        """(likeness, the least that will do)."""
        if entry.query == query:
            return 1.0, 1.0
        if vector and entry.vector and any(vector):
            dot = sum(one * other for one, other in zip(vector, entry.vector, strict=True))
            return min(dot, 1.0), LIKE_VECTORS if self._like is None else self._like
        least = LIKE_WORDS if self._like is None else self._like
        both, any_ = set(content) & set(entry.content), set(content) | set(entry.content)
        # `dog bites man` and `man bites dog` have the same words
        order = [word for word in content if word in both]
        if order != [word for word in entry.content if word in both]:
            return 0.0, least
        return len(both) / len(any_) if any_ else 0.0, least

    def _vector(self, query: str) -> list[float]:
        if self._embedder is None:
            return []
        try:
            found: Sequence[list[float]] = self._embedder.vectors([query])
        except FAILURES as error:
            self.degraded = f"the embedder failed ({error}): alike by words only"
            return []
        self.degraded = ""
        return list(found[0])


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
    """What must be the same in two questions that have one answer."""
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
    kept = " ".join(word for word in words(query) if word not in _FILLER)
    return tuple(dict.fromkeys(stems(kept)))
