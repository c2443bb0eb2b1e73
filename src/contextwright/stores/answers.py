"""Answers of models in one SQLite file: paid for once, for all processes."""

from pathlib import Path

import msgspec

from contextwright.spec.task import Answer
from contextwright.stores.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE, series TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS answers_series ON answers (series, number);
"""
BUSY_SECONDS = 30.0
MOST = 100_000
"""Answers that are kept; the oldest go first."""
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(Answer).decode


class SQLiteAnswers:
    """An `AnswerCache` in one file. Usable from several threads and processes.

    An answer is written whole or not at all.

    Args:
        path: the file; made where it is missing.
        most: answers that are kept.

    Raises:
        StoreError: not a database.
    """

    def __init__(self, path: str | Path, *, most: int = MOST) -> None:
        self.path, self._most = str(path), most
        self._database = Database(
            path,
            _SCHEMA,
            fix="give a file of SQLiteAnswers",
            durable=False,  # what is lost is asked again
            busy=BUSY_SECONDS,
        )

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept."""
        return self._one("SELECT body FROM answers WHERE key = ?", key)

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        return self._one(
            "SELECT body FROM answers WHERE series = ? ORDER BY number DESC LIMIT 1", series
        )

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; one under the same key is replaced."""
        with self._database.writing() as connection:
            cursor = connection.execute(
                "INSERT OR REPLACE INTO answers (key, series, body) VALUES (?, ?, ?)",
                (key, answer.series, _encode(answer)),
            )
            connection.execute(
                "DELETE FROM answers WHERE number <= ?", ((cursor.lastrowid or 0) - self._most,)
            )

    def _one(self, statement: str, value: str) -> Answer | None:
        with self._database.reading() as connection:
            row = connection.execute(statement, (value,)).fetchone()
        try:
            return None if row is None else _decode(row[0])
        except msgspec.DecodeError:
            return None  # of another version of this package: it is asked again
