"""A SQLite file of items, their words and their vectors.

The words are in an FTS5 table: after the file is opened, those of a query are read from it, and no
text is split again.
"""

import sqlite3
from array import array
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from contextwright.errors import StoreError
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems, stop_stems

LAYOUT = 1
"""What the words of a file are: since 1 the stop words as well."""

_ITEM = """CREATE TABLE IF NOT EXISTS item (row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL,
text TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, thread TEXT NOT NULL, time_ms INTEGER,
length INTEGER NOT NULL)
"""
_VECTOR = """CREATE TABLE IF NOT EXISTS vector (row INTEGER PRIMARY KEY, model TEXT NOT NULL,
value BLOB NOT NULL)"""
# every one of our words is one of this tokenizer's, whatever its script
_WORDS_TABLE = "CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(words, tokenize='ascii')"
_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.places USING fts5vocab(main, said, instance)"
_PUT_WORDS = "INSERT INTO said(rowid, words) VALUES (?, ?)"


class ItemFile:
    """Items by row.

    Raises:
        StoreError: the file is no such index, or can not be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        try:
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA secure_delete=ON")
            # what a statement replaces would be in a temporary file otherwise
            self._db.execute("PRAGMA temp_store=MEMORY")
            for statement in (_ITEM, _VECTOR, _WORDS_TABLE, _WORDS):
                self._db.execute(statement)
            rows = self._db.execute(
                "SELECT row, length, id, text, kind, role, thread, time_ms FROM item ORDER BY row"
            ).fetchall()
            self.items: dict[int, tuple[int, Item]] = {
                row: (length, Item(*rest)) for row, length, *rest in rows
            }
            self._bring_up_to_date()
        except sqlite3.Error as error:
            raise StoreError(
                f"no index of items: {error}",
                where=self.path,
                fix="give the path of a new file, or of one that an Index wrote",
            ) from error

    @contextmanager
    def transaction(self) -> Generator[None]:
        """What was written before an error stays, as what was counted in memory does."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")

    def put(self, row: int, item: Item, terms: Iterable[str], length: int) -> None:
        """Writes an item and its words."""
        self._db.execute(
            "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row, *msgspec.structs.astuple(item), length),
        )
        self._db.execute(_PUT_WORDS, (row, " ".join(terms)))

    def drop(self, row: int) -> None:
        """Removes an item, its words and its vector."""
        self._db.execute("DELETE FROM item WHERE row = ?", (row,))
        self._db.execute("DELETE FROM said WHERE rowid = ?", (row,))
        self._db.execute("DELETE FROM vector WHERE row = ?", (row,))

    def rows_with(self, term: str) -> list[tuple[int, int]]:
        """The rows that have a word, in order, and how often."""
        return self._db.execute(
            "SELECT doc, count(*) FROM temp.places WHERE term = ? GROUP BY doc ORDER BY doc",
            (term,),
        ).fetchall()

    def put_vectors(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Writes vectors beside their items."""
        with self.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
                [(row, model, array("f", vector).tobytes()) for row, vector in vectors.items()],
            )

    def vectors(self, model: str) -> dict[int, Sequence[float]]:
        """Row to the vector that this model made."""
        rows = self._db.execute("SELECT row, value FROM vector WHERE model = ?", (model,))
        return {row: array("f", value) for row, value in rows}

    def scrub(self) -> None:
        """Leaves nothing of what was dropped: not in the file, not in its log.

        Raises:
            StoreError: another process is reading the file.
        """
        try:
            # a word's last item leaves the word in a segment until the segments are made one
            self._db.execute("INSERT INTO said(said) VALUES ('optimize')")
            self._db.execute("VACUUM")
            busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(
                f"SQLite says: {error}", where=self.path, fix="let other processes end"
            ) from error
        if busy:
            raise StoreError(
                "another process is reading: what was removed is still in the file's log",
                where=self.path,
                fix="let the other process end its reading, then do it again",
            )

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()

    def _bring_up_to_date(self) -> None:
        """Splits the texts anew where the file has the words of an older layout."""
        if self._db.execute("PRAGMA user_version").fetchone()[0] >= LAYOUT:
            return
        with self.transaction():
            if self.items:
                self._db.execute("DELETE FROM said")
            for row, (_, item) in self.items.items():
                terms = [*stems(item.text), *stop_stems(item.text)]
                self._db.execute(_PUT_WORDS, (row, " ".join(terms)))
            self._db.execute(f"PRAGMA user_version = {LAYOUT}")
