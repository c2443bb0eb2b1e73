"""A searchable collection of items: words, and vectors where there is an embedder."""

import heapq
import importlib.util
import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import SpecError, is_number
from contextwright.process_bound import ProcessBound
from contextwright.retrieval import query_expansion as expanding
from contextwright.retrieval.feedback import widened
from contextwright.retrieval.fuse import by_rank, fused_arrays
from contextwright.retrieval.item import Hit, Item
from contextwright.retrieval.item_table import ItemTable
from contextwright.retrieval.mmr import by_vectors, by_words
from contextwright.retrieval.query_weights import (
    MAX_TERMS,
    query_terms,
    question_weights,
    with_synonyms,
)
from contextwright.retrieval.stems import stems, stop_stems
from contextwright.retrieval.vectors import Vectorizer, Vectors, checked_vectors, reason_of
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.typed_decoding import decoder

T = TypeVar("T")
ONE = 1_000_000
EMBEDDER = "the embedder"
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = decoder(tuple[int, Item]).decode
VARIANT = 0.5
"""Weight of all variants of a query together, beside the query's 1."""
WORDS = 0.75
"""Weight of the words beside a static embedder's vectors. Evidence within 16,000 tokens of BEAM and
4,000 of LoCoMo: .928 and .881 with .4, .930 and .916 with .75, .919 and .922 with words alone."""
POOL = 50
"""Candidates at least that diversity and a reranker choose from."""
Rerank = Callable[[str, Sequence[str]], Sequence[float]]
"""A cross-encoder: scores of texts for a query, any scale, more is better."""
_OPTIONS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "alpha": (lambda value: is_number(value) and 0 <= value <= 1, "a weight from 0 to 1"),
    "mmr": (
        lambda value: value is None or (is_number(value) and 0 <= value <= 1),
        "a weight from 0 to 1, or None",
    ),
    "expand": (lambda value: isinstance(value, bool) or callable(value), "True or a callable"),
    "rerank": (lambda value: value is None or callable(value), "(query, texts) -> scores"),
    "fusion": (lambda value: value in ("convex", "rrf"), "'convex' or 'rrf'"),
    "embedder": (
        lambda value: value is None or callable(getattr(value, "vectors", None)),
        "an object with vectors(texts), or None",
    ),
}
"""What an option may be, and in words."""


class Index(ProcessBound):
    """Items that are found by their words, and by their vectors where there is an embedder.

    Safe to share between threads. Equal scores go by id, so what is found depends on the items
    alone and not on the order they came in.

    Args:
        embedder: has `vectors(texts)`, such as `StaticEmbedder`; None looks at words alone.
        fusion: `convex` weighs the two scores, each stretched to 0 to 1; `rrf` their ranks.
        alpha: weight of the words in `convex`, 0 to 1.
        mmr: None for the best alone; else the weight of a score against newness, 0 to 1.
        expand: True looks for the parts and names of a query too; or a callable that gives texts
            to look for (rewritten questions, made-up answers).
        rerank: scores the best candidates again.
        path: a SQLite file that keeps items and vectors; in memory without one.

    Raises:
        StoreError: the file is no such index. SpecError: an option that is none.
    """

    in_a_worker = "open it where it is used, by the same path; one in memory is filled there"
    traits = StoreTraits(
        name="index",
        unreached="vectors and copies that other processes made of items",
        durable=False,
    )

    def __init__(
        self,
        embedder: Vectorizer | None = None,
        *,
        fusion: Literal["convex", "rrf"] = "convex",
        alpha: float = WORDS,
        mmr: float | None = None,
        expand: bool | expanding.Expander = False,
        rerank: Rerank | None = None,
        path: str | Path | None = None,
    ) -> None:
        options = {"alpha": alpha, "mmr": mmr, "expand": expand, "rerank": rerank}
        _refuse_options({**options, "fusion": fusion, "embedder": embedder})
        self._fusion, self._alpha, self._mmr = fusion, alpha, mmr
        self._expand: expanding.Expander | None = None
        if expand:
            self._expand = expanding.variants if expand is True else expand
        self._rerank = rerank
        self._lock = threading.RLock()
        self.path = "" if path is None else str(path)
        self._table = ItemTable(path)
        self._vectors = Vectors()
        self._embedder = embedder
        self._model = str(getattr(embedder, "id", type(embedder).__name__))
        self._degraded: dict[str, str] = {}
        if embedder is None:
            self._degraded[EMBEDDER] = "no embedder: lexical only"
        elif importlib.util.find_spec("numpy") is None:
            self._embedder = None
            self._degraded[EMBEDDER] = "numpy is not installed: lexical only"
        else:
            self._recall_vectors()

    @property
    def degraded(self) -> str:
        """Why it searches less well than it was asked to; empty where it does not."""
        reasons = list(self._degraded.values())
        bare = len(self._table.items) - len(self._vectors)
        if bare and not self._degraded.get(EMBEDDER):
            reasons.append(f"{bare} items have no vector: they are found by their words only")
        return "; ".join(reasons)

    def __len__(self) -> int:
        return len(self._table.items)

    def add(self, items: Iterable[Item]) -> None:
        """Puts items in; one of an id that is there already takes its place.

        Raises:
            SpecError: something that is no item; none was put in.
        """
        items = list(items)
        for item in items:
            expect_types("index.add(items)", SpecError, item=(item, Item))
        wanted = list({item.id: item for item in items}.values())
        # outside the lock: an embedder may take its time
        vectors = self._vectors_of([item.text for item in wanted])
        with self._lock:
            rows = self._table.put(wanted)
            self._vectors.drop(rows)
            self._keep(dict(zip(rows, vectors, strict=False)))

    def remove(self, ids: str | Iterable[str]) -> None:
        """Takes items out, one or several; an id that is not there is passed over.

        Raises:
            SpecError: the ids are none.
        """
        expect_types("index.remove(ids)", SpecError, ids=(ids, Iterable))
        with self._lock:
            self._vectors.drop(self._table.drop([ids] if isinstance(ids, str) else ids))

    def items(self) -> tuple[Item, ...]:
        """All items, in the order they were added."""
        with self._lock:
            return tuple(self._table.items[row] for row in sorted(self._table.items))

    def records(self) -> list[StoredRecord]:
        """All items, as retention takes them, with their rows: no row is ever given twice while
        the index is open."""
        with self._lock:
            rows = sorted(self._table.items.items())
        return [_record(row, item) for row, item in rows]

    def remove_records(self, ids: Collection[str]) -> int:
        """Takes items out; how many there were."""
        before = len(self)
        self.remove(ids)
        return before - len(self)

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Takes the items out that match."""
        return self.remove_records([record.id for record in self.records() if matches(record)])

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Puts removed items back in their rows, beside their neighbours; the ids of those
        that are there now as they were. Where an id was added again, that item stays."""
        placed = dict(_decode(record.body) for record in records)
        vectors = self._vectors_of([item.text for item in placed.values()])
        made = dict(zip(placed, vectors, strict=False))
        with self._lock:
            rows = self._table.put_back(placed)
            self._keep({now: made[was] for was, now in rows.items() if was in made})
            items = {item.id: item for item in self._table.items.values()}
            return [item.id for item in placed.values() if items.get(item.id) == item]

    def scrub(self) -> None:
        """Writes the file anew, so that nothing of what was removed is left in it, and forgets
        the words of texts that were split.

        Raises:
            StoreError: another process is reading the file.
        """
        with self._lock:
            self._table.scrub()

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._table.close()

    def search(self, query: str, k: int = 10, *, kinds: Collection[str] = ()) -> list[Hit]:
        """The best items, best first; those that have nothing of the query are left out.

        Raises:
            SpecError: an argument of another type.
        """
        expect_types("index.search(query, k)", SpecError, query=(query, str), k=(k, int))
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        if k <= 0:
            return []
        others = self._others(query)
        query_vectors = self._vectors_of([query, *others]) if len(self._vectors) else []
        choosing = self._mmr is not None or self._rerank is not None
        size = max(POOL, 5 * k) if choosing else k
        with self._lock:
            items = self._table.items
            every = bool(kinds) or bool(query_vectors)
            words = with_synonyms(dict.fromkeys(query_terms(query), 1.0))
            weights, stops = _varied(words, others), stop_stems(query)[:MAX_TERMS]
            lexical = self._table.words.best(weights, len(items) if every else size, stops)
            scores_by_row = self._fused(_millionths(lexical), query_vectors)
            if kinds:
                scores_by_row = {
                    row: score for row, score in scores_by_row.items() if items[row].kind in kinds
                }
            pool = self._best(scores_by_row, size)
            held = {row: items[row] for row in pool}
            scores = {row: scores_by_row[row] for row in pool}
        if self._rerank is not None and pool:
            scores = self._reranked(query, held, scores)
            pool.sort(key=lambda row: (-scores[row], held[row].id))
        if self._mmr is not None:
            pool = self._diverse(held, pool, scores, k, self._mmr)
        best = max((scores[row] for row in pool[:k]), default=0) or 1
        return [Hit(held[row], scores[row] * ONE // best) for row in pool[:k]]

    def scores(
        self, query: str, *, earlier: Sequence[str] = (), feedback: bool = False
    ) -> dict[str, int]:
        """How well items' words answer a query, in millionths of the best; those of 0 are left
        out. Vectors have no part in it: `likeness` is what they say."""
        others = self._others(query)
        with self._lock:
            weights = with_synonyms(question_weights(query, earlier))
            lexical = self._table.words.scores(weights)
            if feedback and lexical:
                rarity = self._table.words.rarity
                weights = widened(weights, lexical, self._table.items, rarity)
            if others or feedback:
                lexical = self._table.words.scores(_varied(weights, others))
            scores = _millionths(lexical)
            return {self._table.items[row].id: score for row, score in scores.items()}

    def likeness(self, query: str) -> dict[str, int]:
        """How near items' vectors are to a query's: cosines in millionths. Empty without an
        embedder, and for a query that it knows nothing of."""
        vectors = self._vectors_of([query, *self._others(query)]) if len(self._vectors) else []
        if not vectors or not any(vectors[0]):
            return {}
        with self._lock:
            cosines = self._cosines(vectors).tolist()
            rows = self._vectors.rows
            return {
                self._table.items[row].id: cosine for row, cosine in zip(rows, cosines, strict=True)
            }

    def _best(self, scores_by_row: dict[int, int], k: int) -> list[int]:
        """The k best rows; only those as good as the last of them are put in order."""
        items = self._table.items
        least = min(heapq.nlargest(k, scores_by_row.values()), default=0)
        rows = [row for row, score in scores_by_row.items() if score >= least]
        rows.sort(key=lambda row: (-scores_by_row[row], items[row].id))
        return rows[:k]

    def _others(self, query: str) -> list[str]:
        expand = self._expand
        if expand is None:
            return []
        return (
            self._attempt("expansion", "the query alone", lambda: list(map(str, expand(query))))
            or []
        )

    def _fused(self, words: dict[int, int], query_vectors: list[list[float]]) -> dict[int, int]:
        """Row to score in millionths, of those above 0, by words and by vectors."""
        if not query_vectors or not any(query_vectors[0]):
            return words
        rows, lexical, dense = self._vectors.scores_by_row(words, self._cosines(query_vectors))
        if self._fusion == "rrf":
            both = by_rank(lexical, dense)
        else:
            both = fused_arrays(lexical, dense, self._alpha)
            both[(lexical > 0) & (both <= 0)] = 1  # the worst by both: it has one of the words
        return {row: score for row, score in zip(rows, both.tolist(), strict=True) if score > 0}

    def _cosines(self, query_vectors: list[list[float]]) -> Any:
        """The nearness of all vectors to a query's, and with less weight to its variants'."""
        cosines = self._vectors.nearest(query_vectors[0])
        for vector in query_vectors[1:]:
            cosines = cosines + self._vectors.nearest(vector) * VARIANT / len(query_vectors[1:])
        return cosines.astype("int64")

    def _keep(self, scores_by_row: dict[int, list[float]]) -> None:
        self._vectors.put(scores_by_row)
        self._table.put_vectors(self._model, scores_by_row)

    def _recall_vectors(self) -> None:
        """Vectors of a file's items: those of this embedder as they were, the others made."""
        self._vectors.put(self._table.vectors(self._model))
        items = self._table.items
        rows = [row for row in sorted(items) if not self._vectors.has([row])]
        vectors = self._vectors_of([items[row].text for row in rows])
        self._keep(dict(zip(rows, vectors, strict=False)))

    def _vectors_of(self, texts: list[str]) -> list[list[float]]:
        """What the embedder gives; nothing, and `degraded` says why, where it fails."""
        embedder = self._embedder
        if embedder is None or not texts:
            return []

        def made() -> list[list[float]]:
            return checked_vectors(embedder.vectors(texts), len(texts), self._vectors.width)

        return self._attempt(EMBEDDER, "lexical only", made) or []

    def _attempt(self, who: str, instead: str, work: Callable[[], T]) -> T | None:
        """What code of the user's gives; None, and `degraded` says why, where it fails."""
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 -- code of the user's may raise anything
            self._degraded[who] = f"{who} failed ({reason_of(error)}): {instead}"
            return None
        self._degraded.pop(who, None)
        return result

    def _reranked(
        self, query: str, held: dict[int, Item], scores: dict[int, int]
    ) -> dict[int, int]:
        def rerank() -> list[float]:
            assert self._rerank is not None
            texts = [item.text for item in held.values()]
            relevances = [float(score) for score in self._rerank(query, texts)]
            if len(relevances) != len(texts):
                raise ValueError(f"{len(relevances)} scores for {len(texts)} texts")
            if not all(map(math.isfinite, relevances)):
                raise ValueError("a score that is no number")
            return relevances

        reranked = self._attempt("the reranker", "its order is left out", rerank)
        if reranked is None:
            return scores
        low, high = min(reranked), max(reranked)
        span = (high - low) or 1.0
        # 1, not 0, for the worst: it was found after all
        return {
            row: max(1, round((score - low) / span * ONE))
            for row, score in zip(held, reranked, strict=True)
        }

    def _diverse(
        self,
        held: dict[int, Item],
        pool: list[int],
        scores: dict[int, int],
        k: int,
        trust: float,
    ) -> list[int]:
        best = max(scores.values(), default=0) or 1
        shares = [scores[row] / best for row in pool]
        with self._lock:
            matrix: Any = self._vectors.of(pool) if self._vectors.has(pool) and pool else None
        if matrix is not None:
            return [pool[place] for place in by_vectors(shares, matrix, k, trust)]
        words = [stems(held[row].text) for row in pool]
        return [pool[place] for place in by_words(shares, words, k, trust)]


def _refuse_options(options: Mapping[str, Any]) -> None:
    """Refuse what an index would take in silence, or stumble over at its first search."""
    for name, value in options.items():
        is_fit, words = _OPTIONS[name]
        if not is_fit(value):
            raise SpecError(
                f"{name} is {value!r}"[:200], where=f"Index({name}=...)", fix=f"give {words}"
            )


def _varied(weights: Mapping[str, float], others: Sequence[str]) -> dict[str, float]:
    """Words with those of a query's variants."""
    varied = dict(weights)
    for text in others:
        for term in query_terms(text):
            varied[term] = varied.get(term, 0.0) + VARIANT / len(others)
    return varied


def _millionths(scores_by_row: dict[int, float]) -> dict[int, int]:
    best = max(scores_by_row.values(), default=0.0)
    if best <= 0:
        return {}
    share = ONE / best
    # 1 at least: it has one of the words
    return {row: round(score * share) or 1 for row, score in scores_by_row.items()}


def _record(row: int, item: Item) -> StoredRecord:
    return StoredRecord(
        id=item.id,
        text=item.text,
        kind=item.kind,
        scope=item.role,
        part_of=item.thread,
        time_ms=item.time_ms,
        body=_encode((row, item)),
    )
