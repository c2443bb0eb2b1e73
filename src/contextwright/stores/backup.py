"""Backups of stores that are in use: databases first, then the artifacts that they refer to."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from contextwright.errors import StoreError
from contextwright.stores.database import Database
from contextwright.stores.files import (
    FileArtifacts,
    age_s,
    artifacts_in,
    sync_folder,
    write_durably,
)
from contextwright.stores.local_path import local_path
from contextwright.stores.verify import damaged_in

_SERVERS = "back up a server by its own tools, such as pg_dump, and versions of a bucket"
_FOLDERS = "write into a folder here, and copy that one to where it is to be"

PAGES = 1000
"""Pages that are copied at a time; writers go on in between."""
ABANDONED_S = 3600
"""Seconds without a change after which an unfinished copy is nobody's any more."""
_UNFINISHED = r"\.[0-9a-f]{8}\.tmp(?:-journal|-wal|-shm)?"
"""How the name of one ends, and of what SQLite writes beside it."""


class BackedUp(msgspec.Struct, frozen=True):
    """A store and its backup.

    Args:
        size: bytes that were written: of artifacts, those that were not there yet.
        damaged: what is damaged in the store: of artifacts, what the backup has of them stays; of
            a database, the whole backup that was there, else its copy is written all the same.
    """

    store: str
    backup: str
    size: int
    damaged: tuple[str, ...] = ()


def backup(
    stores: Iterable[str | Path],
    folder: str | Path,
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[BackedUp]:
    """Write a backup of each store into a folder, under its own name. Databases are copied as they
    are at one moment, whoever writes meanwhile; then artifacts, so that what the databases refer
    to is there. A backup that is there already is replaced when the new one is whole, and nothing
    in it is damaged; artifacts are only added.

    Args:
        stores: files of SQLite, folders of artifacts.
        folder: made for its owner only where it is missing.
        progress: called with a store, how much is done and how much there is.

    Raises:
        StoreError: no such store, two of one name, or it can not be read or written.
    """
    sources = [local_path(each, fix=_SERVERS) for each in stores]
    target = local_path(folder, fix=_FOLDERS)
    names = [each.name for each in sources]
    for source in sources:
        if not source.exists() or names.count(source.name) > 1:
            raise StoreError(
                "there is no such store" if not source.exists() else "two stores of one name",
                where=str(source),
                fix="STORES are database files and folders of artifacts that are there; back up "
                "those of one name one by one, each into a folder of its own",
            )
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder of the backup can not be made: {error.strerror}",
            where=str(target),
            fix="FOLDER comes last, and is a folder that is there or can be made",
        ) from error
    _remove_abandoned(target, names)
    report = progress or _unseen
    ordered = sorted(sources, key=lambda source: source.is_dir())
    return [
        _artifacts(source, target / source.name, report)
        if source.is_dir()
        else _database(source, target / source.name, report)
        for source in ordered
    ]


def _remove_abandoned(folder: Path, names: list[str]) -> None:
    """Remove what killed backups of the same stores left unfinished in a folder: whole copies, and
    what is erased in a store would stay in them."""
    ours = re.compile(rf"(?:{'|'.join(map(re.escape, names))}){_UNFINISHED}")
    for path in folder.iterdir():
        if path.name in names and path.is_dir():
            FileArtifacts(path).sweep(ABANDONED_S)
        elif ours.fullmatch(path.name) and age_s(path) >= ABANDONED_S:
            path.unlink(missing_ok=True)


def _unseen(_store: str, _done: int, _all: int) -> None:
    """Progress that nobody looks at."""


def _database(source: Path, target: Path, report: Callable[[str, int, int], None]) -> BackedUp:
    temporary = target.with_name(f"{target.name}.{os.urandom(4).hex()}.tmp")
    database = Database(source, "", fix="give a file of SQLite that can be read", as_it_is=True)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(temporary)) as copy, database.reading() as connection:

            def step(_status: int, left: int, pages: int) -> None:
                report(str(source), pages - left, pages)

            connection.backup(copy, pages=PAGES, progress=step)
            copy.execute("PRAGMA journal_mode=DELETE")
        with temporary.open("rb+") as file:  # Windows syncs no file that is open for reading
            os.fsync(file.fileno())
        damaged = tuple(f"{each.kind} {each.id}: {each.what}" for each in damaged_in(temporary))
        if damaged and target.exists() and not damaged_in(target):
            return BackedUp(str(source), str(target), 0, damaged)
        temporary.replace(target)
        sync_folder(target.parent)
    finally:
        database.close()
        temporary.unlink(missing_ok=True)
    return BackedUp(str(source), str(target), target.stat().st_size, damaged)


def _artifacts(source: Path, target: Path, report: Callable[[str, int, int], None]) -> BackedUp:
    store, copy = artifacts_in(source), FileArtifacts(target)
    keys = [
        f"{folder}/{path.name}" for folder in ("blobs", "names") for path in _files(source / folder)
    ]
    size, damaged = 0, list[str]()
    for done, key in enumerate(keys, 1):
        if not store.is_whole(key):
            damaged.append(key)
        elif key.startswith("names/") or not copy.is_whole(key):
            size += _copy(source / key, target / key)
        report(str(source), done, len(keys))
    for folder in ("blobs", "names"):
        sync_folder(target / folder)
    return BackedUp(str(source), str(target), size, tuple(damaged))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix != ".tmp")


def _copy(source: Path, target: Path) -> int:
    """Copy a file, with the time at which it was written; how many bytes."""
    data, status = source.read_bytes(), source.stat()
    temporary = target.with_name(f"{target.name}.{os.urandom(4).hex()}.tmp")
    write_durably(temporary, data)
    temporary.replace(target)
    # behind it: what is not finished has the time at which it is written
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    return len(data)
