"""Items, their rows and their words, kept up to date as items come and go.

An item is put in, replaced or taken out in a fraction of a millisecond, and word counts and lengths
are always those of the items that are there, so order and history of the changes leave no trace in
a score.

Scored by `bm25`, not by SQLite's FTS5: that takes the rarity of a word that half of the items have
for nothing, though a project's name is in most of what is said about it (evidence in 2,000 tokens
of BEAM: .710 with it, .737 with this), and reads a length from a table for every row it scores.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from contextwright.memo.memory_budget import forget_remembered
from contextwright.retrieval.bm25 import BM25
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import Splitter

if TYPE_CHECKING:
    from contextwright.retrieval.item_file import ItemFile


class ItemTable:
    """Items and their words.

    Args:
        path: a file that outlives the process; in memory without one.

    Raises:
        StoreError: the file is no such index, or can not be written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._file = None if path is None else _file(path)
        self.words = BM25(None if self._file is None else self._file.rows_with)
        self._splitter = Splitter()
        self.items: dict[int, Item] = {}
        for row, (length, item) in ({} if self._file is None else self._file.items).items():
            self.words.place(row, length)
            self.items[row] = item
        self.rows = {item.id: row for row, item in self.items.items()}
        self._last = max(self.items, default=0)

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
        rows: dict[int, int] = {}
        with self._transaction():
            for was, item in placed.items():
                if item.id in self.rows:
                    continue
                row = was if was not in self.items else self._last + 1
                self._last = max(self._last, row)
                self._put(row, item)
                rows[was] = row
        return rows

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

    def scrub(self) -> None:
        """Leaves nothing of what was dropped: not in the file, not in its log, not in the words
        that were remembered.

        Raises:
            StoreError: another process is reading the file.
        """
        forget_remembered()
        self._splitter.forget()
        if self._file is not None:
            self.words.forget_words()
            self._file.scrub()

    def put_vectors(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Writes vectors beside their items, where there is a file."""
        if self._file is not None and vectors:
            self._file.put_vectors(model, vectors)

    def vectors(self, model: str) -> dict[int, Sequence[float]]:
        """Row to the vector that this model made and the file has."""
        return {} if self._file is None else self._file.vectors(model)

    def close(self) -> None:
        """Lets go of the file."""
        if self._file is not None:
            self._file.close()

    def _transaction(self) -> AbstractContextManager[None]:
        return nullcontext() if self._file is None else self._file.transaction()

    def _put(self, row: int, item: Item) -> None:
        terms, stops = self._splitter.split(item.text)
        all_terms = [*terms, *stops]
        if self._file is not None:
            self._file.put(row, item, all_terms, len(terms))
        self.words.add(row, all_terms, len(terms))
        self.items[row] = item
        self.rows[item.id] = row

    def _clear(self, row: int) -> None:
        terms, stops = self._splitter.split(self.items[row].text)
        self.words.remove(row, [*terms, *stops])
        if self._file is not None:
            self._file.drop(row)


def _file(path: str | Path) -> "ItemFile":
    from contextwright.retrieval.item_file import ItemFile  # SQLite: not every Python has it

    return ItemFile(path)
