"""BM25 by SQLite's FTS5: which texts share a query's words, rare words counting most.

The texts are put in as words of our own making, so the index sees neither query syntax nor a
script that it can not split.
"""

import sqlite3
from collections.abc import Sequence

from contextwright.memo.ownership import cached_text
from contextwright.text.search_terms import content_words

SCORE_ONE = 1_000_000
MAX_TERMS = 64
"""Different words of a query that are looked for."""


def scores(query: str, texts: Sequence[str]) -> list[int]:
    """How well each text answers a query, in millionths of the best; 0 shares no word."""
    terms = list(dict.fromkeys(content_words(query)))[:MAX_TERMS]
    if not terms or not texts:
        return [0] * len(texts)
    raw_scores = _bm25(terms, texts)
    best = max(raw_scores.values(), default=0.0)
    if best <= 0:
        return [0] * len(texts)
    shares = (raw_scores.get(place, 0.0) / best for place in range(len(texts)))
    return [max(0, round(share * SCORE_ONE)) for share in shares]


def _bm25(terms: list[str], texts: Sequence[str]) -> dict[int, float]:
    """Place to score of the texts that share a word. FTS5's own weight of a word that stands in
    more than half of the texts is next to nothing: enough to tell such texts from the others."""
    index = sqlite3.connect(":memory:")
    try:
        index.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(words, content='', tokenize='unicode61')"
        )
        index.executemany(
            "INSERT INTO texts(rowid, words) VALUES (?, ?)",
            ((place, _words(text)) for place, text in enumerate(texts, 1)),
        )
        match = " OR ".join(f'"{term}"' for term in terms)
        rows = index.execute("SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ?", (match,))
        raw_scores = {place - 1: score for place, score in rows}
    finally:
        index.close()
    return raw_scores if len(texts) > FEW else _by_coverage(terms, texts, raw_scores)


@cached_text
def _words(text: str) -> str:
    return " ".join(content_words(text))


FEW = 8
"""Up to so many texts, how many of the query's words a text has says more than their rarity."""


def _by_coverage(
    terms: list[str], texts: Sequence[str], raw_scores: dict[int, float]
) -> dict[int, float]:
    best = max(raw_scores.values(), default=1.0) or 1.0
    return {
        place: len(set(content_words(texts[place])) & set(terms)) + score / best / 2
        for place, score in raw_scores.items()
    }
