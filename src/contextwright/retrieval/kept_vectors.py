"""Vectors kept in a file by what they are of: a text is read by a model once."""

import sqlite3
from array import array
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from contextwright.errors import StoreError
from contextwright.retrieval.vectors import Vectorizer, checked_vectors

AT_ONCE = 500
"""Keys that one statement looks for."""
_TABLE = "CREATE TABLE IF NOT EXISTS kept_vector (key BLOB PRIMARY KEY, value BLOB NOT NULL)"


class KeptVectors:
    """An embedder whose vectors outlive the process.

    The file has a hash of the model's name and the text beside each vector, and no text. A vector
    tells something of its text all the same: `forget` takes those of erased texts out.

    Args:
        embedder: makes the vectors that the file does not have.
        path: the file; made where it is missing.

    Raises:
        StoreError: it is no SQLite file, or can not be written.
    """

    def __init__(self, embedder: Vectorizer, path: str | Path) -> None:
        self._embedder, self._path = embedder, str(path)
        self.id = str(getattr(embedder, "id", type(embedder).__name__))
        try:
            self._db = sqlite3.connect(self._path, check_same_thread=False)
            self._db.execute("PRAGMA secure_delete=ON")
            self._db.execute(_TABLE)
        except sqlite3.Error as error:
            raise StoreError(
                f"no file of vectors: {error}",
                where=self._path,
                fix="give the path of a new file, or of one that KeptVectors wrote",
            ) from error

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text."""
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """The same, without an event loop."""
        keys = [self._key(text) for text in texts]
        known = self._known(list(dict.fromkeys(keys)))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            made = self._embedder.vectors(list(new.values()))
            # as the file will give them back, so that a text has one vector
            rows = [array("f", vector) for vector in checked_vectors(made, len(new))]
            with self._db:
                self._db.executemany(
                    "INSERT OR REPLACE INTO kept_vector VALUES (?, ?)",
                    [(key, row.tobytes()) for key, row in zip(new, rows, strict=True)],
                )
            known.update((key, row.tolist()) for key, row in zip(new, rows, strict=True))
        return [known[key] for key in keys]

    def forget(self, texts: Sequence[str]) -> None:
        """Takes the vectors of texts out of the file."""
        with self._db:
            self._db.executemany(
                "DELETE FROM kept_vector WHERE key = ?", [(self._key(text),) for text in texts]
            )

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.id}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, list[float]]:
        known: dict[bytes, list[float]] = {}
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM kept_vector WHERE key IN ({marks})"  # noqa: S608
            for key, value in self._db.execute(query, part):
                known[key] = array("f", value).tolist()
        return known
