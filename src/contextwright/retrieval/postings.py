"""Which items have which words, kept up to date as items come and go.

In memory the words are in dictionaries. With a file they are in a SQLite FTS5 table too, and after
opening it a word is read when it is first asked for, so that opening splits no text again. An item
is put in, replaced or taken out in a fraction of a millisecond, and word counts and lengths are
always those of the items that are there, so order and history of the changes leave no trace in a
score.

Scored here, not by FTS5's own `bm25`: that takes the rarity of a word that half of the items have
for nothing, though a project's name is in most of what is said about it (evidence in 2,000 tokens
of BEAM: .710 with it, .737 with this), and reads a length from a table for every row it scores.
"""

import math
import sqlite3
from array import array
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from contextwright.errors import StoreError
from contextwright.memo.memory_budget import forget_remembered
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems

K1 = 1.2
B = 0.75
"""BM25: how soon more of a word stops counting, and how much length does (Robertson 1994)."""
MANY = 2_000
COMMON = 8
"""Among so many items, a word that an eighth of them have adds to what rarer words found and finds
nothing by itself: its rows would be most of the work and none of the best."""
MAX_TERMS = 256
"""Different words of a query that are looked for."""
FEEDBACK_ITEMS = 10
FEEDBACK_TERMS = 30
FEEDBACK = 0.2
"""Pseudo relevance feedback: the most telling words of the best items, the first of them with
this weight. LoCoMo, 4,000 tokens: .898 without, .915 with; .3 and 60 words do no better."""
FEEDBACK_POWER = 1.0
REMEMBERED = 50_000

_ITEM = """CREATE TABLE IF NOT EXISTS item (row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL,
text TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, thread TEXT NOT NULL, time_ms INTEGER,
length INTEGER NOT NULL)
"""
_VECTOR = """CREATE TABLE IF NOT EXISTS vector (row INTEGER PRIMARY KEY, model TEXT NOT NULL,
value BLOB NOT NULL)"""
# every one of our words is one of this tokenizer's, whatever its script
_WORDS_TABLE = "CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(words, tokenize='ascii')"
_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.places USING fts5vocab(main, said, instance)"


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
                self.db.execute("PRAGMA secure_delete=ON")
            # what a statement replaces would be in a temporary file otherwise
            self.db.execute("PRAGMA temp_store=MEMORY")
            for statement in (_ITEM, _VECTOR, _WORDS_TABLE, _WORDS):
                self.db.execute(statement)
            rows = self.db.execute(
                "SELECT row, length, id, text, kind, role, thread, time_ms FROM item ORDER BY row"
            ).fetchall()
        except sqlite3.Error as error:
            raise StoreError(
                f"no index of items: {error}",
                where=where,
                fix="give the path of a new file, or of one that an Index wrote",
            ) from error
        self.items: dict[int, Item] = {row: Item(*rest) for row, _, *rest in rows}
        self.rows = {item.id: row for row, item in self.items.items()}
        self._last = max(self.items, default=0)
        self._sizes: dict[int, int] = {row: length for row, length, *_ in rows}
        self._total = sum(self._sizes.values())
        self._known: dict[str, dict[int, int]] = {}
        self._complete = not rows

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """What was written before an error stays, as what was counted in memory does."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def put(self, items: Iterable[Item]) -> list[int]:
        """Rows of the items put in; one of a known id keeps its row, so its neighbours too."""
        changed: list[int] = []
        wanted = list(items)
        with self._transaction():
            for item in wanted:
                row = self.rows.get(item.id)
                if row is not None:
                    self._clear(row)
                else:
                    self._last += 1
                    row = self._last
                self._put(row, item)
                changed.append(row)
        return changed

    def put_back(self, placed: Mapping[int, Item]) -> dict[int, int]:
        """Rows that items had to rows that they have now; those whose id is there are left."""
        scores: dict[int, int] = {}
        with self._transaction():
            for was, item in placed.items():
                if item.id in self.rows:
                    continue
                row = was if was not in self.items else self._last + 1
                self._last = max(self._last, row)
                self._put(row, item)
                scores[was] = row
        return scores

    def scrub(self) -> None:
        """Leaves nothing of what was dropped: not in the file, not in its log, not in the words
        that were remembered.

        Raises:
            StoreError: another process is reading the file.
        """
        forget_remembered()
        self._known = {}
        self._complete = not self.items
        if self.path is None:
            self._recount()
            return
        try:
            # a word's last item leaves the word in a segment until the segments are made one
            self.db.execute("INSERT INTO said(said) VALUES ('optimize')")
            self.db.execute("VACUUM")
            busy = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(
                f"SQLite says: {error}", where=str(self.path), fix="let other processes end"
            ) from error
        if busy:
            raise StoreError(
                "another process is reading: what was removed is still in the file's log",
                where=str(self.path),
                fix="let the other process end its reading, then do it again",
            )

    def _recount(self) -> None:
        """The words of the items, counted anew: in memory there is no table to ask."""
        self._sizes, self._total, self._complete = {}, 0, True
        for row, item in self.items.items():
            self._count(row, stems(item.text))

    def _put(self, row: int, item: Item) -> None:
        terms = stems(item.text)
        self._write(row, item, terms)
        self._count(row, terms)
        self.items[row] = item
        self.rows[item.id] = row

    def drop(self, ids: Iterable[str]) -> list[int]:
        """Rows of the items taken out."""
        dropped: list[int] = []
        wanted = list(ids)
        with self._transaction():
            for id in wanted:
                row = self.rows.pop(id, None)
                if row is None:
                    continue
                self._clear(row)
                del self.items[row]
                dropped.append(row)
        return dropped

    def _write(self, row: int, item: Item, terms: Sequence[str]) -> None:
        if self.path is None:
            return
        self.db.execute(
            "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row, *msgspec.structs.astuple(item), len(terms)),
        )
        self.db.execute("INSERT INTO said(rowid, words) VALUES (?, ?)", (row, " ".join(terms)))

    def _count(self, row: int, terms: Sequence[str]) -> None:
        self._sizes[row] = len(terms)
        self._total += len(terms)
        for term in terms:
            known = self._known.get(term)
            if known is None and self._complete:
                known = self._known[term] = {}
            if known is not None:
                known[row] = known.get(row, 0) + 1

    def _clear(self, row: int) -> None:
        terms = stems(self.items[row].text)
        self._total -= self._sizes.pop(row)
        for term in terms:
            known = self._known.get(term)
            if known is not None and known.pop(row, None) and not known and self._complete:
                del self._known[term]
        if self.path is not None:
            self.db.execute("DELETE FROM item WHERE row = ?", (row,))
            self.db.execute("DELETE FROM said WHERE rowid = ?", (row,))
            self.db.execute("DELETE FROM vector WHERE row = ?", (row,))

    def keep(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Writes vectors beside their items."""
        with self._transaction():
            self.db.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
                [(row, model, array("f", vector).tobytes()) for row, vector in vectors.items()],
            )

    def stored_vectors(self, model: str) -> dict[int, Sequence[float]]:
        """Row to the vector that this model made."""
        scores = self.db.execute("SELECT row, value FROM vector WHERE model = ?", (model,))
        return {row: array("f", value) for row, value in scores}

    def match(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Row to BM25 score of the items that have any of the words."""
        scores: dict[int, float] = {}
        there = len(self.items)
        mean = self._total / there if there else 0.0
        sizes = self._sizes
        postings = [(self._rows_of(term), weight) for term, weight in weights.items() if weight]
        for rows, weight in sorted(postings, key=lambda each: len(each[0])):
            if not rows:
                continue
            share = weight * (K1 + 1) * math.log(1 + (there - len(rows) + 0.5) / (len(rows) + 0.5))
            base, slope = K1 * (1 - B), K1 * B / mean
            common = scores and there >= MANY and len(rows) * COMMON > there
            for row in scores if common else rows:
                times = rows.get(row)
                if times:
                    score = share * times / (times + base + slope * sizes[row])
                    scores[row] = scores.get(row, 0.0) + score
        return scores

    def _rows_of(self, term: str) -> dict[int, int]:
        """Row to how often it has a word: asked of the table once, then kept up to date."""
        rows = self._known.get(term)
        if rows is None and self._complete:
            return {}
        if rows is None:
            rows = dict(
                self.db.execute(
                    "SELECT doc, count(*) FROM temp.places WHERE term = ? GROUP BY doc", (term,)
                ).fetchall()
            )
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[term] = rows
        return rows

    def feedback(
        self, weights: Mapping[str, float], scores: Mapping[int, float]
    ) -> dict[str, float]:
        """The query's words and, with less weight, the most telling ones of the best items."""
        best = sorted(scores, key=lambda row: (-scores[row], self.items[row].id))[:FEEDBACK_ITEMS]
        total = sum(scores[row] for row in best) or 1.0
        term_scores: dict[str, float] = {}
        for row in best:
            terms = stems(self.items[row].text)
            share = scores[row] / total / (len(terms) or 1) ** FEEDBACK_POWER
            for term in terms:
                term_scores[term] = term_scores.get(term, 0.0) + share
        for term in term_scores:
            term_scores[term] *= self._rarity(term)
        ranked = sorted(term_scores, key=lambda term: (-term_scores[term], term))[:FEEDBACK_TERMS]
        most = term_scores[ranked[0]] if ranked else 0.0
        widened = dict(weights)
        for term in ranked:
            if term not in widened and most > 0:
                widened[term] = FEEDBACK * term_scores[term] / most
        return widened

    def _rarity(self, term: str) -> float:
        return math.log(len(self.items) / (len(self._rows_of(term)) or 1))


def terms_of(query: str) -> list[str]:
    """The different words of a query that are looked for."""
    return list(dict.fromkeys(stems(query)))[:MAX_TERMS]
