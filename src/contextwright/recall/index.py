"""A searchable collection of items: words, and vectors where there is an embedder."""

import heapq
import importlib.util
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from contextwright.recall import expand as expanding
from contextwright.recall.fuse import ALPHA, by_rank, fused
from contextwright.recall.item import Hit, Item
from contextwright.recall.mmr import by_vectors, by_words
from contextwright.recall.postings import Postings, roots, terms_of
from contextwright.recall.synonyms import SHARE, synonyms
from contextwright.recall.vectors import FAILURES, Vectorizer, Vectors

ONE = 1_000_000
EARLIER = 0.3
"""Weight of the words of earlier questions. Passages within 2,000 tokens for the last question of
a conversation (MTRAG-UN): .856 without, .902 with .2, .928 with .3 of the newest three."""
EARLIER_ASKED = 3
VARIANT = 0.5
"""Weight of all variants of a query together, beside the query's 1."""
POOL = 50
"""Candidates at least that diversity and a reranker choose from."""
Rerank = Callable[[str, Sequence[str]], Sequence[float]]
"""A cross-encoder: scores of texts for a query, any scale, more is better."""


class Index:
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
        StoreError: the file is no such index.
    """

    def __init__(
        self,
        embedder: Vectorizer | None = None,
        *,
        fusion: Literal["convex", "rrf"] = "convex",
        alpha: float = ALPHA,
        mmr: float | None = None,
        expand: bool | expanding.Expander = False,
        rerank: Rerank | None = None,
        path: str | Path | None = None,
    ) -> None:
        self._fusion, self._alpha, self._mmr = fusion, alpha, mmr
        self._expand: expanding.Expander | None = None
        if expand:
            self._expand = expanding.variants if expand is True else expand
        self._rerank = rerank
        self._lock = threading.RLock()
        self._postings = Postings(path)
        self._vectors = Vectors()
        self._embedder = embedder
        self._degraded: dict[str, str] = {}
        if embedder is None:
            self._degraded["vectors"] = "no embedder: lexical only"
        elif importlib.util.find_spec("numpy") is None:
            self._embedder = None
            self._degraded["vectors"] = "numpy is not installed: lexical only"
        else:
            self._recall_vectors()

    @property
    def degraded(self) -> str:
        """Why it searches less well than it might; empty where it does not."""
        return "; ".join(self._degraded.values())

    def __len__(self) -> int:
        return len(self._postings.items)

    def add(self, items: Iterable[Item]) -> None:
        """Puts items in; one of an id that is there already takes its place."""
        with self._lock:
            rows = self._postings.put(items)
            self._vectors.drop(rows)
            self._embed(list(dict.fromkeys(rows)))

    def remove(self, ids: Iterable[str]) -> None:
        """Takes items out; an id that is not there is passed over."""
        with self._lock:
            self._vectors.drop(self._postings.drop(ids))

    def items(self) -> tuple[Item, ...]:
        """All items, in the order they were added."""
        with self._lock:
            return tuple(self._postings.items[row] for row in sorted(self._postings.items))

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._postings.db.close()

    def search(self, query: str, k: int = 10, *, kinds: Collection[str] = ()) -> list[Hit]:
        """The best items, best first; those that have nothing of the query are left out."""
        if k <= 0:
            return []
        with self._lock:
            items = self._postings.items
            found = self._found(query, (), feedback=False)
            if kinds:
                found = {row: found[row] for row in found if items[row].kind in kinds}
            choosing = self._mmr is not None or self._rerank is not None
            pool = self._best(found, max(POOL, 5 * k) if choosing else k)
            scores = {row: found[row] for row in pool}
            texts = [items[row].text for row in pool]
        if self._rerank is not None and pool:
            scores = self._reranked(query, pool, texts, scores)
            pool.sort(key=lambda row: (-scores[row], items[row].id))
        if self._mmr is not None:
            pool = self._diverse(pool, scores, k, self._mmr)
        best = max((scores[row] for row in pool[:k]), default=0) or 1
        return [Hit(items[row], scores[row] * ONE // best) for row in pool[:k]]

    def scores(
        self, query: str, *, earlier: Sequence[str] = (), feedback: bool = False
    ) -> dict[str, int]:
        """How well items answer a query, in millionths of the best; those of 0 are left out."""
        with self._lock:
            found = self._found(query, earlier, feedback=feedback)
            return {self._postings.items[row].id: score for row, score in found.items()}

    def _best(self, found: dict[int, int], k: int) -> list[int]:
        """The k best rows; only those as good as the last of them are put in order."""
        items = self._postings.items
        least = min(heapq.nlargest(k, found.values()), default=0)
        rows = [row for row, score in found.items() if score >= least]
        rows.sort(key=lambda row: (-found[row], items[row].id))
        return rows[:k]

    def _found(self, query: str, earlier: Sequence[str], *, feedback: bool) -> dict[int, int]:
        """Row to score in millionths, of those above 0."""
        weights = dict.fromkeys(terms_of(query), 1.0)
        for text in list(earlier)[-EARLIER_ASKED:]:
            for term in terms_of(text):
                weights.setdefault(term, EARLIER)
        for term in list(weights):
            for other in synonyms(term):
                weights.setdefault(other, SHARE * weights[term])
        others = list(self._expand(query)) if self._expand else []
        lexical = self._postings.match(weights)
        if feedback and lexical:
            lexical = self._postings.match(self._postings.feedback(weights, lexical))
        for text in others:
            share = VARIANT / len(others)
            for row, score in self._postings.match(dict.fromkeys(terms_of(text), 1.0)).items():
                lexical[row] = lexical.get(row, 0.0) + share * score
        words = _millionths(lexical)
        dense = self._dense([query, *others])
        if not dense:
            return words
        rows = sorted(dense.keys() | words.keys())
        pair = [words.get(row, 0) for row in rows], [dense.get(row, 0) for row in rows]
        both = by_rank(*pair) if self._fusion == "rrf" else fused(*pair, self._alpha)
        return {row: score for row, score in zip(rows, both, strict=True) if score > 0}

    def _dense(self, texts: list[str]) -> dict[int, int]:
        """Row to cosine in millionths: of the query, and of its variants together."""
        if not len(self._vectors):
            return {}
        asked = self._vectors_of(texts)
        if not asked or not any(asked[0]):
            return {}
        found = self._vectors.nearest(asked[0])
        for vector in asked[1:]:
            for row, score in self._vectors.nearest(vector).items():
                found[row] += round(VARIANT * score / len(asked[1:]))
        return found

    def _embed(self, rows: list[int]) -> None:
        if self._embedder is None or not rows:
            return
        vectors = self._vectors_of([self._postings.items[row].text for row in rows])
        found = dict(zip(rows, vectors, strict=False))
        self._vectors.put(found)
        model = str(getattr(self._embedder, "id", type(self._embedder).__name__))
        if self._postings.path is not None:
            self._postings.keep(model, found)

    def _recall_vectors(self) -> None:
        """Vectors of a file's items: those of this embedder as they were, the others made."""
        model = str(getattr(self._embedder, "id", type(self._embedder).__name__))
        self._vectors.put(self._postings.kept(model))
        rows = [row for row in sorted(self._postings.items) if not self._vectors.has([row])]
        self._embed(rows)

    def _vectors_of(self, texts: list[str]) -> list[list[float]]:
        """What the embedder gives; nothing, and `degraded` says why, where it fails."""
        if self._embedder is None:
            return []
        try:
            found = self._embedder.vectors(texts)
        except FAILURES as error:
            self._degraded["vectors"] = f"the embedder failed ({error}): lexical only"
            return []
        self._degraded.pop("vectors", None)
        return found

    def _reranked(
        self, query: str, pool: list[int], texts: list[str], scores: dict[int, int]
    ) -> dict[int, int]:
        assert self._rerank is not None
        try:
            given = [float(score) for score in self._rerank(query, texts)]
            if len(given) != len(pool):
                raise ValueError(f"{len(given)} scores for {len(pool)} texts")
        except FAILURES as error:
            self._degraded["rerank"] = f"the reranker failed ({error}): its order is left out"
            return scores
        self._degraded.pop("rerank", None)
        low, high = min(given), max(given)
        span = (high - low) or 1.0
        # 1, not 0, for the worst: it was found after all
        return {
            row: max(1, round((score - low) / span * ONE))
            for row, score in zip(pool, given, strict=True)
        }

    def _diverse(self, pool: list[int], scores: dict[int, int], k: int, trust: float) -> list[int]:
        best = max(scores.values(), default=0) or 1
        shares = [scores[row] / best for row in pool]
        with self._lock:
            if self._vectors.has(pool) and pool:
                matrix: Any = self._vectors.of(pool)
                return [pool[place] for place in by_vectors(shares, matrix, k, trust)]
            words = [roots(self._postings.items[row].text) for row in pool]
        return [pool[place] for place in by_words(shares, words, k, trust)]


def _millionths(found: dict[int, float]) -> dict[int, int]:
    best = max(found.values(), default=0.0)
    if best <= 0:
        return {}
    share = ONE / best
    # 1 at least: it has one of the words
    return {row: round(score * share) or 1 for row, score in found.items()}
