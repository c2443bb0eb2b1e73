"""Which of some texts share a query's words, rare words counting most."""

from collections.abc import Sequence

from contextwright.retrieval.bm25 import BM25
from contextwright.retrieval.query_weights import query_terms, with_synonyms
from contextwright.retrieval.stems import stems

SCORE_ONE = 1_000_000
FEW = 8
"""Up to so many texts, how many of the query's words a text has says more than their rarity."""


def scores(query: str, texts: Sequence[str]) -> list[int]:
    """How well each text answers a query, in millionths of the best; 0 shares no word."""
    weights = with_synonyms(dict.fromkeys(query_terms(query), 1.0))
    rows = BM25()
    for place, text in enumerate(texts):
        terms = stems(text)
        # of other words no score depends
        rows.add(place, filter(weights.__contains__, terms), len(terms))
    raw_scores = rows.scores(weights)
    if len(texts) <= FEW:
        raw_scores = _by_coverage(set(query_terms(query)), texts, raw_scores)
    best = max(raw_scores.values(), default=0.0) or 1.0
    shares = (raw_scores.get(place, 0.0) / best for place in range(len(texts)))
    return [max(0, round(share * SCORE_ONE)) for share in shares]


def _by_coverage(
    terms: set[str], texts: Sequence[str], raw_scores: dict[int, float]
) -> dict[int, float]:
    best = max(raw_scores.values(), default=1.0) or 1.0
    return {
        place: len(terms.intersection(stems(texts[place]))) + score / best / 2
        for place, score in raw_scores.items()
    }
