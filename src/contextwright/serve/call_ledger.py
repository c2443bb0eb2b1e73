"""What calls took and saved, by caller, conversation and model: in memory, in an SQLite file, or in
PostgreSQL, where several proxies add to the same sums."""

import secrets
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from contextwright.stores.database import Database
from contextwright.stores.session_row import Connection

_FIELDS = (
    "calls", "rewritten", "faults", "tokens", "whole_tokens", "cached", "cost", "whole_cost",
    "billed_input", "billed_cached", "billed_write", "billed_output",
)  # fmt: skip
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS calls (caller TEXT NOT NULL, conversation TEXT NOT NULL,
    model TEXT NOT NULL, {", ".join(f"{name} INTEGER NOT NULL DEFAULT 0" for name in _FIELDS)},
    PRIMARY KEY (caller, conversation, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
# the names in these are this module's own
_KEYS = "caller, conversation, model"
_NEW = f"INSERT INTO calls ({_KEYS}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"  # noqa: S608
_ADD = f"""UPDATE calls SET {", ".join(f"{name} = {name} + ?" for name in _FIELDS)}
WHERE caller = ? AND conversation = ? AND model = ?"""  # noqa: S608
_SUMS = ", ".join(f"CAST(coalesce(sum({name}), 0) AS BIGINT)" for name in _FIELDS)
_BY = {
    "": f"SELECT '', {_SUMS} FROM calls WHERE TRUE",  # noqa: S608
    "tenant": f"SELECT caller, {_SUMS} FROM calls WHERE TRUE GROUP BY caller",  # noqa: S608
    "model": f"SELECT model, {_SUMS} FROM calls WHERE TRUE GROUP BY model",  # noqa: S608
    "conversation": f"""SELECT conversation, {_SUMS} FROM calls WHERE TRUE
        GROUP BY caller, conversation ORDER BY sum(whole_tokens) DESC LIMIT 1000""",  # noqa: S608
}
_LONGEST = 500
"""Characters of a name that is kept: a caller writes the model's, and an index holds it."""


class LedgerRows(Protocol):
    """What a ledger needs of a database: transactions of statements with `?` for values."""

    def writing(self) -> AbstractContextManager[Connection]: ...

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...


class CallSums(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over calls; money in microdollars, 0 where no price is known.

    Args:
        calls: calls of models, those beside conversations included.
        rewritten: of these, sent otherwise than they came.
        faults: of these, sent as they came because something failed here.
        tokens, cached, cost: of the requests as they were sent, and what of them a cache read.
        whole_tokens, whole_cost: as they came.
        billed_input, billed_cached, billed_write, billed_output: by the provider's own words.
    """

    calls: int = 0
    rewritten: int = 0
    faults: int = 0
    tokens: int = 0
    whole_tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_cost: int = 0
    billed_input: int = 0
    billed_cached: int = 0
    billed_write: int = 0
    billed_output: int = 0

    @property
    def saved_tokens(self) -> int:
        """Tokens that were not sent."""
        return self.whole_tokens - self.tokens

    @property
    def saved_cost(self) -> int:
        """Microdollars less than as they came; below 0 where it was dearer."""
        return self.whole_cost - self.cost


class CallLedger:
    """The ledger of a proxy. It may be used from several threads.

    Args:
        database: of its rows.
    """

    def __init__(self, database: LedgerRows) -> None:
        self._database = database

    def salt(self) -> bytes:
        """A secret of this ledger's, by which tenants stay the same over restarts."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO settings (name, value) VALUES ('salt', ?) ON CONFLICT DO NOTHING",
                (secrets.token_bytes(32),),
            )
            row: Any = connection.execute("SELECT value FROM settings WHERE name = 'salt'")
            return bytes(row.fetchone()[0])

    def add(self, tenant: str, conversation: str, model: str, sums: CallSums) -> None:
        """Count a call."""
        key = [name[:_LONGEST].replace("\0", " ") for name in (tenant, conversation, model)]
        with self._database.writing() as connection:
            connection.execute(_NEW, key)
            connection.execute(_ADD, [*(int(getattr(sums, name)) for name in _FIELDS), *key])

    def sums(self, tenant: str | None = None) -> CallSums:
        """Over all calls, or over a tenant's."""
        return self.by("", tenant)[0][1]

    def by(self, column: str, tenant: str | None = None) -> list[tuple[str, CallSums]]:
        """By `tenant`, `model` or `conversation`.

        Args:
            tenant: whose calls; all by default.
        """
        of_all = tenant is None
        statement = _BY[column] if of_all else _BY[column].replace("WHERE TRUE", "WHERE caller = ?")
        rows = self._database.rows(statement, *(() if of_all else (tenant,)))
        return [
            (name, CallSums(**dict(zip(_FIELDS, values, strict=True)))) for name, *values in rows
        ]

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


def file_ledger(path: Path | None = None, **waiting: Any) -> CallLedger:
    """A ledger in an SQLite file, by default in memory.

    Args:
        waiting: `busy` and `rest_s` of the `Database`.

    Raises:
        StoreError: it can not be opened.
    """
    fix = "give a folder of your own that can be written (--data)"
    # a machine that loses its power may lose the newest counts, and no call waits for a disk
    return CallLedger(Database(path or ":memory:", _SCHEMA, fix=fix, durable=False, **waiting))
