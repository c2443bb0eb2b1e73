"""Which items have which words: one SQLite FTS5 table, kept open, in memory or in a file.

An item is put in, replaced or taken out in a fraction of a millisecond, and word counts and
lengths are always those of the items that are there, so order and history of the changes leave no
trace in a score. FTS5's BM25 has k1 = 1.2 and b = 0.75.
"""

import math
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from contextwright.errors import StoreError
from contextwright.recall.item import Item
from contextwright.recall.words import telling

MAX_TERMS = 64
"""Different words of a query that are looked for."""
ROOT = 6
"""Letters of a longer English word that are compared: `adoption` meets `adopting`. On questions
about long conversations (LoCoMo), evidence within 2,000 tokens .871 with 5 and .867 with 6, .860
with the whole stem; 6 tells more words apart."""
FEW = 8
"""Up to so many items, how many of the query's words one has says more than their rarity."""
FEEDBACK_ITEMS = 10
FEEDBACK_TERMS = 30
FEEDBACK = 0.2
"""Pseudo relevance feedback: the most telling words of the best items, the first of them with
this weight. LoCoMo, 4,000 tokens: .898 without, .915 with; .3 and 60 words do no better."""
STEPS = 4
"""Weights of words that are told apart: one FTS5 query each."""
REMEMBERED = 50_000

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS item (row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL,"
    " text TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, thread TEXT NOT NULL,"
    " time_ms INTEGER)",
    "CREATE TABLE IF NOT EXISTS vector (row INTEGER PRIMARY KEY, model TEXT NOT NULL,"
    " value BLOB NOT NULL)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(words, tokenize='unicode61')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, said, row)",
)


class Postings:
    """Items and their words.

    Args:
        path: a file that outlives the process; in memory without one.

    Raises:
        StoreError: the file is no such index, or can not be written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = path
        where = ":memory:" if path is None else str(path)
        try:
            self.db = sqlite3.connect(where, check_same_thread=False, isolation_level=None)
            if path is not None:
                self.db.execute("PRAGMA journal_mode=WAL")
                self.db.execute("PRAGMA synchronous=NORMAL")
            for statement in _SCHEMA:
                self.db.execute(statement)
            rows = self.db.execute(
                "SELECT row, id, text, kind, role, thread, time_ms FROM item ORDER BY row"
            ).fetchall()
        except sqlite3.Error as error:
            raise StoreError(
                f"no index of items: {error}",
                where=where,
                fix="give the path of a new file, or of one that an Index wrote",
            ) from error
        self.items: dict[int, Item] = {row: Item(*rest) for row, *rest in rows}
        self.rows = {item.id: row for row, item in self.items.items()}
        self._last = max(self.items, default=0)

    def put(self, items: Iterable[Item]) -> list[int]:
        """Rows of the items put in; one of a known id keeps its row, so its neighbours too."""
        changed: list[int] = []
        self.db.execute("BEGIN")
        try:
            for item in items:
                row = self.rows.get(item.id)
                if row is not None:
                    self._clear(row)
                else:
                    self._last += 1
                    row = self._last
                self.db.execute(
                    "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (row, item.id, item.text, item.kind, item.role, item.thread, item.time_ms),
                )
                self.db.execute(
                    "INSERT INTO said(rowid, words) VALUES (?, ?)",
                    (row, " ".join(roots(item.text))),
                )
                self.items[row] = item
                self.rows[item.id] = row
                changed.append(row)
        finally:
            self.db.execute("COMMIT")
        return changed

    def drop(self, ids: Iterable[str]) -> list[int]:
        """Rows of the items taken out."""
        gone: list[int] = []
        self.db.execute("BEGIN")
        try:
            for id in ids:
                row = self.rows.pop(id, None)
                if row is None:
                    continue
                self._clear(row)
                del self.items[row]
                gone.append(row)
        finally:
            self.db.execute("COMMIT")
        return gone

    def _clear(self, row: int) -> None:
        self.db.execute("DELETE FROM item WHERE row = ?", (row,))
        self.db.execute("DELETE FROM said WHERE rowid = ?", (row,))
        self.db.execute("DELETE FROM vector WHERE row = ?", (row,))

    def keep(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Writes vectors beside their items."""
        self.db.execute("BEGIN")
        try:
            self.db.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
                [(row, model, array("f", vector).tobytes()) for row, vector in vectors.items()],
            )
        finally:
            self.db.execute("COMMIT")

    def kept(self, model: str) -> dict[int, Sequence[float]]:
        """Row to the vector that this model made."""
        found = self.db.execute("SELECT row, value FROM vector WHERE model = ?", (model,))
        return {row: array("f", value) for row, value in found}

    def match(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Row to BM25 score of the items that have any of the words."""
        found: dict[int, float] = {}
        for weight in sorted(set(weights.values()), reverse=True):
            terms = [term for term, each in weights.items() if each == weight]
            wanted = " OR ".join(f'"{term}"' for term in terms)
            for row, score in self.db.execute(
                "SELECT rowid, -bm25(said) FROM said WHERE said MATCH ?", (wanted,)
            ):
                found[row] = found.get(row, 0.0) + weight * score
        if found and len(self.items) <= FEW:
            return self._by_coverage(weights, found)
        return found

    def _by_coverage(
        self, weights: Mapping[str, float], found: dict[int, float]
    ) -> dict[int, float]:
        best = max(found.values()) or 1.0
        counted: dict[int, float] = {}
        for row, score in found.items():
            has = set(roots(self.items[row].text))
            counted[row] = sum(w for term, w in weights.items() if term in has) + score / best / 2
        return counted

    def feedback(
        self, weights: Mapping[str, float], found: Mapping[int, float]
    ) -> dict[str, float]:
        """The query's words and, with less weight, the most telling ones of the best items."""
        best = sorted(found, key=lambda row: (-found[row], self.items[row].id))[:FEEDBACK_ITEMS]
        total = sum(found[row] for row in best) or 1.0
        worth: dict[str, float] = {}
        for row in best:
            terms = roots(self.items[row].text)
            share = found[row] / total / math.sqrt(len(terms) or 1)
            for term in terms:
                worth[term] = worth.get(term, 0.0) + share
        for term in worth:
            worth[term] *= self._rarity(term)
        ranked = sorted(worth, key=lambda term: (-worth[term], term))[:FEEDBACK_TERMS]
        most = worth[ranked[0]] if ranked else 0.0
        widened = dict(weights)
        for term in ranked:
            if term not in widened and most > 0:
                step = math.ceil(worth[term] / most * STEPS)
                if step:
                    widened[term] = FEEDBACK * step / STEPS
        return widened

    def _rarity(self, term: str) -> float:
        row = self.db.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,)).fetchone()
        return math.log(len(self.items) / row[0]) if row and row[0] else 0.0


def terms_of(query: str) -> list[str]:
    """The different words of a query that are looked for."""
    return list(dict.fromkeys(roots(query)))[:MAX_TERMS]


@lru_cache(maxsize=REMEMBERED)
def roots(text: str) -> tuple[str, ...]:
    """The telling words of a text, English ones without what follows their root."""
    return tuple(_root(word) for word in telling(text))


def _root(word: str) -> str:
    return word[:ROOT] if len(word) > ROOT and word.isascii() and word.isalpha() else word
