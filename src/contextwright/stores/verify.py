"""Checking all that a store holds, and healing it, or setting aside what is lost."""

import base64
import json
import os
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import CorruptData, StoreError
from contextwright.stores import answers, board, board_rows, memory_rows
from contextwright.stores.database import Database
from contextwright.stores.files import FileArtifacts, artifacts_in, write_durably
from contextwright.stores.heal_session import cut_session, heal_session
from contextwright.stores.local_path import local_path
from contextwright.stores.memory_store import SQLiteMemory
from contextwright.stores.row_hash import HashedTable, row_hash
from contextwright.stores.session_rows import StoredSession, session_ids
from contextwright.stores.sqlite import SQLiteSessions

Progress = Callable[[int, int], None]
"""Gets how many records were looked at, and how many there are."""
_OPENERS: dict[str, Callable[[Path], Any]] = {
    "sessions": SQLiteSessions,
    "memories": SQLiteMemory,
    "answers": answers.SQLiteAnswers,
    "steps": board.TaskBoard,
}
"""Tables, and the stores that they are of."""
_UNHASHED = frozenset({"calls"})
"""Tables whose rows have no hashes, of a proxy's ledger: SQLite's own check is all."""
_LOCAL = "give a file or a folder; what servers keep is checked whenever it is read"
_TABLES = (memory_rows.TABLE, answers.TABLE, board_rows.TABLE)


class Damage(msgspec.Struct, frozen=True):
    """Something that is not what was stored.

    Args:
        kind: `session`, `artifact`, `name`, `file`, or the table of the row.
        id: names it in its store.
        outcome: `healed`, `set aside`, or empty where nothing was done.
    """

    kind: str
    id: str
    what: str
    outcome: str = ""


class Verification(msgspec.Struct, frozen=True):
    """What was looked at, and what of it is damaged."""

    path: str
    checked: int
    damaged: tuple[Damage, ...]


def verify(
    path: str | Path,
    *,
    repair: bool = False,
    copy: str | Path | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Read all that a store holds and check it.

    Args:
        path: a file of `SQLiteSessions`, `SQLiteMemory`, `SQLiteAnswers` or `TaskBoard`, or of
            several, a proxy's ledger, or a folder of `FileArtifacts`.
        repair: heal what its hashes or a copy have twice; set the rest aside, in PATH.damaged of
            a file and in `damaged` of a folder, so that it is in nobody's way.
        copy: a backup of it, for what is lost here.
        progress: called as it goes on.

    Raises:
        StoreError: no such store, or the address of a server.
    """
    path = local_path(path, fix=_LOCAL)
    other = local_path(copy, fix=_LOCAL) if copy is not None else None
    for each in filter(None, (path, other)):
        if not each.exists():
            raise StoreError(
                "there is no such store",
                where=str(each),
                fix="give the file of a store, or the folder of artifacts",
            )
    check = _folder if path.is_dir() else _file
    damaged: list[Damage] = []
    checked = 0
    for total, damage in check(path, other, repair):
        checked += 1
        if damage is not None:
            damaged.append(damage)
        if progress is not None:
            progress(checked, max(total, checked))
    return Verification(str(path), checked, tuple(damaged))


_Checked = Iterator[tuple[int, Damage | None]]
"""How many records there are, and what is wrong with the next of them."""


def damaged_in(path: Path) -> tuple[Damage, ...]:
    """What is damaged in a database, of ours or not, that stays as it lies there: of another
    version's tables SQLite's own check is all."""
    tables, damage = _pages(path)
    if damage or not tables:
        return damage or (Damage("file", str(path), "it holds nothing"),)
    with _opened(path) as database, suppress(StoreError):
        return tuple(each for _, each in _records(database, None, tables, False) if each)
    return ()


def _pages(path: Path) -> tuple[set[str], tuple[Damage, ...]]:
    """The tables of a file, and what SQLite itself finds."""
    try:
        with _opened(path) as database:
            lines = [line for (line,) in database.rows("PRAGMA integrity_check") if line != "ok"]
            tables = {row[0] for row in database.rows("SELECT name FROM sqlite_master")}
    except CorruptData as error:
        return set(), (Damage("file", str(path), error.what),)
    return tables, tuple(Damage("file", str(path), line) for line in lines)


def _file(path: Path, copy: Path | None, repair: bool) -> _Checked:
    tables, damage = _pages(path)
    for each in damage or (None,):
        yield 1, each
    if damage and not tables:
        return
    stores = [name for name in _OPENERS if name in tables]
    if not stores and not _UNHASHED & tables:
        raise StoreError(
            "this file holds no store of ours",
            where=str(path),
            fix="give a file of SQLiteSessions, SQLiteMemory, SQLiteAnswers or TaskBoard",
        )
    for name in stores:
        _OPENERS[name](path).close()  # brings a file of an earlier version up to date
    with _opened(path) as database, _opened(copy) if copy else nullcontext() as other:
        yield from _records(database, other, tables, repair)


def _records(
    database: Database, copy: Database | None, tables: Collection[str], repair: bool
) -> _Checked:
    if "sessions" in tables:
        yield from _sessions(database, copy, repair)
    for table in _TABLES:
        if table.name in tables:
            yield from _rows(database, copy, table, repair)
    if "steps" in tables:
        yield from _needs(database, repair)


@contextmanager
def _opened(path: Path) -> Generator[Database]:
    database = Database(path, "", fix="give the file of a store", as_it_is=True)
    try:
        yield database
    finally:
        database.close()


def _sessions(database: Database, copy: Database | None, repair: bool) -> _Checked:
    with database.reading() as connection:
        ids = session_ids(connection)
    for id in ids:
        with database.snapshot() as connection:
            stored = StoredSession.find(connection, id, database.path)
            damage = "the index does not know its id" if stored is None else stored.problem()
        healable = damage and repair and stored is not None
        outcome = _heal(database, copy, id) if healable else ""
        yield len(ids), Damage("session", id, damage, outcome) if damage else None


def _heal(database: Database, copy: Database | None, id: str) -> str:
    with (
        database.writing() as connection,
        copy.snapshot() if copy is not None else nullcontext() as other,
    ):
        stored = StoredSession.find(connection, id, database.path)
        twin = StoredSession.find(other, id, "the copy") if other is not None else None
        if stored is None:
            return ""
        if heal_session(stored, twin):
            return "healed"
        _set_aside(database.path, cut_session(stored))
        return "set aside"


def _rows(database: Database, copy: Database | None, table: HashedTable, repair: bool) -> _Checked:
    rows = database.rows(table.select)
    for *values, digest in rows:
        if digest is not None and row_hash(*values) == digest:
            yield len(rows), None
            continue
        number = values[0]
        twin = copy.rows(table.select_one, number) if copy is not None else []
        same = bool(twin) and row_hash(*twin[0][:-1]) == twin[0][-1] == digest
        outcome = ("healed" if same else "set aside") if repair else ""
        if repair:
            lost = [] if same else [{"table": table.name, "row": [*values, digest]}]
            _set_aside(database.path, lost)
            with database.writing() as connection:
                connection.execute(table.delete, (number,))
                if same:
                    connection.execute(table.put, twin[0])
        yield len(rows), Damage(table.name, f"row {number}", "not what was written", outcome)


def _set_aside(path: str, lost: list[dict[str, Any]]) -> None:
    """Keep what is taken out of a file in another one beside it, a line each."""
    if not lost:
        return
    descriptor = os.open(f"{path}.damaged", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="ascii") as file:
        file.writelines(json.dumps(each, default=_base64) + "\n" for each in lost)
        file.flush()
        os.fsync(file.fileno())


def _base64(value: bytes) -> dict[str, str]:
    return {"base64": base64.b64encode(value).decode()}


def _folder(path: Path, copy: Path | None, repair: bool) -> _Checked:
    artifacts, other = artifacts_in(path), artifacts_in(copy) if copy is not None else None
    blobs = [f"blobs/{blob.key}" for blob in artifacts.blobs()]
    names = artifacts.names()
    entries = [record.id for record in artifacts.damaged()]
    missing = {named.sha256 for named in names if not (path / "blobs" / named.sha256).exists()}
    keys = [*blobs, *entries, *(f"blobs/{digest}" for digest in sorted(missing))]
    for key in keys:
        if artifacts.is_whole(key):
            yield len(keys), None
            continue
        kind, what = ("name", "the entry is damaged") if key in entries else ("artifact", "")
        what = what or ("missing" if key.removeprefix("blobs/") in missing else "damaged")
        outcome = _heal_file(path, key, other) if repair else ""
        yield len(keys), Damage(kind, key, what, outcome)


def _heal_file(root: Path, key: str, copy: FileArtifacts | None) -> str:
    """Put a whole file in the place of a damaged one, or take that one out of the way."""
    file = root / key
    if copy is not None and copy.is_whole(key):
        temporary = file.with_name(f"{file.name}.{os.urandom(4).hex()}.tmp")
        write_durably(temporary, (copy.root / key).read_bytes())
        temporary.replace(file)
        return "healed"
    if not file.exists():
        return ""
    (root / "damaged").mkdir(mode=0o700, exist_ok=True)
    file.replace(root / "damaged" / key.replace("/", "-"))
    return "set aside"


def _needs(database: Database, repair: bool) -> _Checked:
    """The steps that others need: under the hash of a step, and in a table to be found by."""
    with database.reading() as connection:
        lost = board_rows.lost_needs(connection)
    if lost and repair:
        with database.writing() as connection:
            board_rows.heal_needs(connection, lost)
    for task, step in lost:
        what, outcome = "the steps before it are not those that were written", "healed" * repair
        yield len(lost), Damage("steps", f"task {task!r}, step {step!r}", what, outcome)
