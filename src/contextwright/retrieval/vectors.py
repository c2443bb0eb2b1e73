"""Vectors of items, side by side in one numpy matrix that grows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

FIRST_ROWS = 256
"""Rows of a new matrix; doubled whenever it is full."""

MAX_REASON = 200
"""Characters of an error's text."""


class Vectorizer(Protocol):
    """The port to a model that turns texts into vectors without an event loop, such as
    `StaticEmbedder`."""

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length 1 for every text; zeros for one that nothing is known of."""
        ...


def checked_vectors(value: Any, count: int, width: int = 0) -> list[list[float]]:
    """What an embedder gave, where it is as many vectors of one length as there were texts.

    Args:
        count: the texts.
        width: numbers that each vector must have; 0 where none is known yet.

    Raises:
        ValueError: it is something else.
    """
    vectors = [list(map(float, vector)) for vector in value]
    widths = {len(vector) for vector in vectors} | ({width} if width else set[int]())
    if len(vectors) != count:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    if len(widths) > 1:
        raise ValueError(f"vectors of {min(widths)} and of {max(widths)} numbers")
    if not all(math.isfinite(number) for vector in vectors for number in vector):
        raise ValueError("a vector with a number that is none")
    return vectors


def reason_of(error: Exception) -> str:
    """What code of the user's raised, for a note: its kind where its text says little."""
    return f"{type(error).__name__}: {error}"[:MAX_REASON]


class Vectors:
    """A matrix whose lines have names, the rows of the items. Brute force: at 10,000 items of 256
    numbers a query takes 0.12 ms and misses nothing, so no approximate index is needed."""

    def __init__(self) -> None:
        self._matrix: Any = None
        self._place: dict[int, int] = {}
        self.rows: list[int] = []

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """Numbers of a vector; 0 while there is none."""
        return 0 if self._matrix is None else int(self._matrix.shape[1])

    def put(self, entries: Mapping[int, Sequence[float]]) -> None:
        """Sets the vectors of rows."""
        if not entries:  # who searches by words alone needs no numpy
            return
        import numpy as np

        for row, vector in entries.items():
            line = np.asarray(vector, dtype="float32")
            if self._matrix is None:
                self._matrix = np.zeros((FIRST_ROWS, len(line)), dtype="float32")
            place = self._place.get(row)
            if place is None:
                place = len(self.rows)
                self.rows.append(row)
                self._place[row] = place
                if place == len(self._matrix):
                    self._matrix = np.vstack([self._matrix, np.zeros_like(self._matrix)])
            self._matrix[place] = line

    def drop(self, rows: Sequence[int]) -> None:
        """Forgets rows: the last line takes the place of one that goes."""
        for row in rows:
            place = self._place.pop(row, None)
            if place is None:
                continue
            last = self.rows.pop()
            if last != row:
                self._matrix[place] = self._matrix[len(self.rows)]
                self.rows[place] = last
                self._place[last] = place

    def nearest(self, query: Sequence[float]) -> Any:
        """Cosines in millionths, in the order of `rows`; to five places: where a line stands must
        not show."""
        import numpy as np

        dots = self._matrix[: len(self.rows)] @ np.asarray(query, dtype="float32")
        return (np.rint(dots * 1e5) * 10).astype("int64")

    def scores_by_row(self, words: Mapping[int, int], cosines: Any) -> tuple[list[int], Any, Any]:
        """Rows, and their scores by words and by vectors: 0 for one without the one or other."""
        import numpy as np

        bare = [row for row in words if row not in self._place]
        rows = [*self.rows, *bare]
        lexical = np.zeros(len(rows), dtype="int64")
        places = [self._place[row] for row in words if row in self._place]
        if places:
            lexical[places] = [words[row] for row in words if row in self._place]
        if bare:
            lexical[len(self.rows) :] = [words[row] for row in bare]
            cosines = np.concatenate([cosines, np.zeros(len(bare), dtype="int64")])
        return rows, lexical, cosines

    def of(self, rows: Sequence[int]) -> Any:
        """The lines of rows, as a matrix."""
        return self._matrix[[self._place[row] for row in rows]]

    def has(self, rows: Sequence[int]) -> bool:
        """Whether all of them have a vector."""
        return all(row in self._place for row in rows)
