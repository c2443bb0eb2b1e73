"""Answers of models in one SQLite file: paid for once, for all processes."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import StoreError
from contextwright.spec.task import Answer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores.database import Database
from contextwright.stores.uses import Uses

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE, series TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS answers_series ON answers (series, number);
"""
_ADDED_COLUMNS = {
    "written_ms": "INTEGER",
    "used_ms": "INTEGER",
    "uses": "INTEGER NOT NULL DEFAULT 0",
}
"""Columns that came with forgetting; a file of an earlier version gets them."""
_ENTRIES = """
SELECT number, key, series, body, written_ms, used_ms, uses FROM answers ORDER BY number
"""
_USED = "UPDATE answers SET uses = uses + ?, used_ms = max(coalesce(used_ms, 0), ?) WHERE key = ?"
BUSY_SECONDS = 30.0
MOST = 100_000
"""Answers that are kept; the oldest go first."""
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(Answer).decode


class AnswerRow(msgspec.Struct, frozen=True):
    """An answer as the file has it.

    Args:
        number: its place: of a series, the greatest is the newest.
        written_ms, used_ms: milliseconds since 1970, where known.
    """

    number: int
    key: str
    series: str
    body: bytes
    written_ms: int | None = None
    used_ms: int | None = None
    uses: int = 0


_decode_row = msgspec.json.Decoder(AnswerRow).decode


class SQLiteAnswers:
    """An `AnswerCache` in one file. Usable from several threads and processes.

    An answer is written whole or not at all.

    Args:
        path: the file; made where it is missing.
        most: answers that are kept.
        clock: milliseconds since 1970, for when an answer was written and last used.

    Raises:
        StoreError: not a database.
    """

    traits = StoreTraits(
        name="answers",
        unreached="answers that were made of the person's sessions and do not name the person",
    )

    def __init__(
        self,
        path: str | Path,
        *,
        most: int = MOST,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.path, self._most, self._clock, self._uses = str(path), most, clock, Uses()
        self._database = Database(
            path,
            _SCHEMA,
            fix="give a file of SQLiteAnswers",
            durable=False,  # what is lost is asked again
            busy=BUSY_SECONDS,
        )
        self._database.add_columns("answers", _ADDED_COLUMNS)

    def close(self) -> None:
        """Close the file."""
        with suppress(StoreError):  # of a file that is gone, nothing is to be counted
            self._count_uses()
        self._database.close()

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept."""
        answer = self._one("SELECT body FROM answers WHERE key = ?", key)
        if answer is not None:
            self._uses.add([key], self._clock())
        return answer

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        return self._one(
            "SELECT body FROM answers WHERE series = ? ORDER BY number DESC LIMIT 1", series
        )

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; one under the same key is replaced."""
        with self._database.writing() as connection:
            cursor = connection.execute(
                "INSERT OR REPLACE INTO answers (key, series, body, written_ms) "
                "VALUES (?, ?, ?, ?)",
                (key, answer.series, _encode(answer), self._clock()),
            )
            connection.execute(
                "DELETE FROM answers WHERE number <= ?", ((cursor.lastrowid or 0) - self._most,)
            )

    def entries(self) -> list[AnswerRow]:
        """Every answer, the oldest first."""
        self._count_uses()
        with self._database.reading() as connection:
            return [AnswerRow(*row) for row in connection.execute(_ENTRIES)]

    def forget(self, keys: Iterable[str]) -> int:
        """Remove answers; how many there were."""
        wanted = [keys] if isinstance(keys, str) else keys
        with self._database.writing() as connection:
            return sum(
                connection.execute("DELETE FROM answers WHERE key = ?", (key,)).rowcount
                for key in wanted
            )

    def records(self) -> list[StoredRecord]:
        """Every answer, as retention takes it."""
        return [_record(entry) for entry in self.entries()]

    def remove_records(self, ids: Collection[str]) -> int:
        """Remove answers by their keys; how many there were."""
        return self.forget(ids)

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Remove the answers that match: they are asked again."""
        return self.forget([record.id for record in self.records() if matches(record)])

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put forgotten answers back in their places; the keys of those that are there now as
        they were. Where a newer answer has the key, that one stays."""
        back: list[str] = []
        with self._database.writing() as connection:
            for record in records:
                entry = msgspec.structs.replace(
                    _decode_row(record.body), used_ms=record.used_ms, uses=record.uses
                )
                values: tuple[Any, ...] = msgspec.structs.astuple(entry)
                connection.execute(
                    "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", values
                )
                row = connection.execute(
                    "SELECT body FROM answers WHERE key = ?", (entry.key,)
                ).fetchone()
                if row is not None and row[0] == entry.body:
                    back.append(entry.key)
        return back

    def scrub(self) -> None:
        """Write the file anew, so that nothing that was removed is left in it.

        Raises:
            StoreError: another process is reading.
        """
        self._database.scrub()

    def _count_uses(self) -> None:
        waiting = self._uses.take()
        if waiting:
            with self._database.writing() as connection:
                connection.executemany(_USED, waiting)

    def _one(self, statement: str, value: str) -> Answer | None:
        with self._database.reading() as connection:
            row = connection.execute(statement, (value,)).fetchone()
        try:
            return None if row is None else _decode(row[0])
        except msgspec.DecodeError:
            return None  # of another version of this package: it is asked again


def _record(entry: AnswerRow) -> StoredRecord:
    return StoredRecord(
        id=entry.key,
        text=entry.body.decode("utf-8", "replace"),
        kind="answer",
        time_ms=entry.written_ms,
        used_ms=entry.used_ms,
        uses=entry.uses,
        body=_encode(msgspec.structs.replace(entry, used_ms=None, uses=0)),
    )
