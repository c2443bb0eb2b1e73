"""Answers of models in rows of a database: paid for once, for all processes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from contextwright.errors import CorruptData
from contextwright.spec.task import Answer
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores.database import CountingStore, Database, RowDatabase, clock_ms
from contextwright.stores.row_hash import HashedTable, check_row
from contextwright.typed_decoding import decoder

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
SELECT number, key, series, body, written_ms, hash, used_ms, uses FROM answers ORDER BY number
"""
_ONE = "SELECT number, key, series, body, written_ms, hash FROM answers WHERE key = ?"
_LATEST = """
SELECT number, key, series, body, written_ms, hash FROM answers WHERE series = ?
ORDER BY number DESC LIMIT 1
"""
TABLE = HashedTable("answers", ("number", "key", "series", "body", "written_ms"))
_FORGET = "DELETE FROM answers WHERE key = ?"
_PUT = "INSERT INTO answers (key, series, body, written_ms) VALUES (?, ?, ?, ?)"
_RESTORE = """
INSERT INTO answers (number, key, series, body, written_ms, used_ms, uses)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_OLDEST = """
DELETE FROM answers WHERE number <= (SELECT number FROM answers ORDER BY number DESC
    LIMIT 1 OFFSET ?)
"""
_ROOM = 100
"""Part of the most by which there may be more answers before the oldest go."""
_USED = "UPDATE answers SET uses = uses + ?, used_ms = max(coalesce(used_ms, 0), ?) WHERE key = ?"
BUSY_SECONDS = 30.0
MOST = 100_000
"""Answers that are kept; the oldest go first."""
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = decoder(Answer).decode


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

    @property
    def record(self) -> StoredRecord:
        """The answer as retention takes it."""
        return StoredRecord(
            id=self.key,
            text=self.body.decode("utf-8", "replace"),
            kind="answer",
            time_ms=self.written_ms,
            used_ms=self.used_ms,
            uses=self.uses,
            body=_encode(msgspec.structs.replace(self, used_ms=None, uses=0)),
        )


_decode_row = decoder(AnswerRow).decode


class RowAnswers(CountingStore):
    """An `AnswerCache` in the rows of a database. An answer is written whole or not at all."""

    traits = StoreTraits(
        name="answers",
        unreached="answers that were made of the person's sessions and do not name the person",
    )

    def __init__(
        self, database: RowDatabase, used: str, most: int, clock: Callable[[], int]
    ) -> None:
        super().__init__(database, used, clock)
        self._most, self._until_full = most, 0

    def get(self, key: str) -> Answer | None:
        """The answer, if it is kept and is what was put there."""
        answer = self._one(_ONE, key)
        if answer is not None:
            self._count_use([key], self._clock())
        return answer

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if it is kept."""
        return self._one(_LATEST, series)

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; one under the same key is replaced."""
        row = (key, answer.series, _encode(answer), self._clock())
        with self._database.writing() as connection:
            connection.execute(_FORGET, (key,))
            connection.execute(_PUT, row)
            # to find the oldest, as many rows are looked at as are kept
            self._until_full -= 1
            if self._until_full <= 0:
                connection.execute(_OLDEST, (self._most,))
                self._until_full = self._most // _ROOM

    def entries(self) -> list[AnswerRow]:
        """Every answer that is what was put there, the oldest first."""
        return [entry for entry, damage in self._entries() if not damage]

    def damaged(self) -> list[StoredRecord]:
        """The answers that are not what was put there: they are asked again."""
        return [record for record in self.records() if record.damage]

    def forget(self, keys: Iterable[str]) -> int:
        """Remove answers; how many there were."""
        return self._each(_FORGET, keys)

    def records(self) -> list[StoredRecord]:
        """Every answer; of a damaged one, what can still be read."""
        return [
            msgspec.structs.replace(entry.record, damage=damage, protected_by="damaged")
            if damage
            else entry.record
            for entry, damage in self._entries()
        ]

    def remove_records(self, ids: Collection[str]) -> int:
        return self.forget(ids)

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
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
                connection.execute(_RESTORE, msgspec.structs.astuple(entry))
                row = connection.execute(_ONE, (entry.key,)).fetchone()
                if row is not None and row[3] == entry.body:
                    back.append(entry.key)
        return back

    def _entries(self) -> Iterator[tuple[AnswerRow, str]]:
        """Every row with what is wrong with it."""
        self._write_uses()
        for row in self._database.rows(_ENTRIES):
            *values, digest, used_ms, uses = row
            try:
                check_row(digest, values, f"answer {row[1]!r}", self.path)
                yield AnswerRow(*values, used_ms=used_ms, uses=uses), ""
            except CorruptData as error:
                number, key, series, body, _ = values
                body = body if isinstance(body, bytes) else str(body).encode("utf-8", "replace")
                key, series = (
                    str(each).encode("utf-8", "replace").decode() for each in (key, series)
                )
                yield AnswerRow(number, key, series, body), f"{error.what}: {error.where}"

    def _one(self, statement: str, value: str) -> Answer | None:
        try:
            for *values, digest in self._database.rows(statement, value):
                check_row(digest, values, f"answer {values[1]!r}", self.path)
                return _decode(values[3])
        except (CorruptData, msgspec.DecodeError):
            pass  # damaged, or of another version of this package: it is asked again
        return None


class SQLiteAnswers(RowAnswers):
    """An `AnswerCache` in one file. Usable from several threads and processes.

    Args:
        path: the file; made where it is missing.
        most: answers that are kept, about.
        clock: milliseconds since 1970, for when an answer was written and last used.

    Raises:
        StoreError: not a database.
    """

    def __init__(
        self, path: str | Path, *, most: int = MOST, clock: Callable[[], int] = clock_ms
    ) -> None:
        fix = "give a file of SQLiteAnswers"
        # not durable: what is lost is asked again
        database = Database(path, _SCHEMA, fix=fix, durable=False, busy=BUSY_SECONDS)
        database.add_columns("answers", _ADDED_COLUMNS)
        TABLE.open(database)
        super().__init__(database, _USED, most, clock)
