"""Recorded sessions out of files, folders and stores, as tables of a few each."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from contextwright.errors import ContextwrightError, SessionError
from contextwright.formats import is_one_session, write_session
from contextwright.stores.sqlite import SQLiteSessions
from contextwright.stores.store import SessionStore
from contextwright.sweep.arrow import pa, pq
from contextwright.sweep.object_files import is_object_url, object_files
from contextwright.sweep.sweep_table import CALLS, SESSIONS
from contextwright.text.byte_order_mark import in_utf8, is_in_utf16

LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_SUFFIXES = (*LINES, ".json", ".json.gz", ".parquet", ".db", ".sqlite")
_LOOKED_AT = 50
"""Lines of a file by which it is told whether they are one session's or a session each."""
_SQLITE = b"SQLite format 3\0"


class _Recorded(NamedTuple):
    source: str
    row: int
    id: str
    body: bytes


def session_tables(
    sources: Iterable[str | Path | SessionStore], *, size: int = 16
) -> Iterator[Any]:
    """Tables of `SESSIONS`, of `size` sessions each, in the order of the sources; of a folder by
    the names of its files. Few are held at a time.

    Args:
        sources: files (a session each, or JSON Lines with one a line, gzip too), folders of them,
            Parquet with a column `body`, files of `SQLiteSessions`, URLs of an object store
            (`s3://bucket/prefix`, extra `s3`) with such files, `postgresql://` URLs, or session
            stores.

    Raises:
        SessionError: there is no such file, or it holds no sessions.
    """
    recorded = (one for source in sources for one in _recorded(source))
    while part := list(islice(recorded, size)):
        columns = {name: [getattr(one, name) for one in part] for name in _Recorded._fields}
        yield pa.Table.from_pydict(columns, schema=SESSIONS)


def _recorded(source: str | Path | SessionStore) -> Iterator[_Recorded]:
    if isinstance(source, SessionStore):
        yield from _of_store(source, str(getattr(source, "path", "store")))
    elif str(source).startswith(("postgresql://", "postgres://")):
        from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

        database = PostgresDatabase(str(source))
        try:
            yield from _of_store(PostgresSessions(database), database.path)
        finally:
            database.close()
    elif is_object_url(source):
        for url, path in object_files(str(source), _SUFFIXES):
            for one in _undamaged(path, url):
                yield one._replace(source=url if one.source == str(path) else one.source)
    else:
        for path in _files(Path(source)):
            yield from _undamaged(path, str(path))


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        named = sorted(each for each in path.rglob("*") if each.name.endswith(_SUFFIXES))
        files = [each for each in named if not _is_result(each)]
        if files:
            return files
        what, fix = "there is no file of sessions in it", f"files end in {', '.join(_SUFFIXES)}"
        raise SessionError(what, where=str(path), fix=fix)
    if not path.is_file():
        fix = "give files, folders, or the URL of an object store or a PostgreSQL database"
        raise SessionError("no such file", where=str(path), fix=fix)
    return [path]


def _is_result(path: Path) -> bool:
    """Whether a file in a folder of sessions is what a sweep made of them: calls, no sessions."""
    if path.suffix != ".parquet":
        return False
    try:
        return pq.read_schema(path).names == CALLS.names
    except (OSError, pa.ArrowException):  # named when it is read
        return False


def _undamaged(path: Path, name: str) -> Iterator[_Recorded]:
    """The sessions of a file. One that ends in the middle, or is not what its name says, ends the
    sweep: how many sessions it had can not be known, and none is left out in silence."""
    sessions = _of_file(path)
    while True:
        try:
            one = next(sessions, None)
        except ContextwrightError:
            raise
        except (OSError, EOFError, zlib.error, ValueError, TypeError, pa.ArrowException) as error:
            telling = str(error).strip().partition("\n")[0][:200]
            raise SessionError(
                f"the file can not be read: {telling or type(error).__name__}",
                where=name,
                fix="restore it, or leave it out; what is done stays, run the same command again",
            ) from error
        if one is None:
            return
        yield one


def _of_file(path: Path) -> Iterator[_Recorded]:
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        store = SQLiteSessions(path)
        try:
            yield from _of_store(store, str(path))
        finally:
            store.close()
    elif path.suffix == ".parquet":
        yield from _of_parquet(path)
    elif path.name.endswith(LINES) and not _is_one(path):
        with _opened(path) as lines:
            for row, line in enumerate(lines):
                if line.strip():
                    yield _Recorded(str(path), row, "", line)
    else:
        yield _Recorded(str(path), 0, _stem(path), path.read_bytes())


def _of_store(store: SessionStore, name: str) -> Iterator[_Recorded]:
    for row, id in enumerate(store.ids()):
        yield _Recorded(name, row, id, write_session(store.load(id)))


def _of_parquet(path: Path) -> Iterator[_Recorded]:
    file: Any = pq.ParquetFile(path)
    if "body" not in file.schema_arrow.names:
        raise SessionError(
            "the table has no column 'body'",
            where=str(path),
            fix=f"columns are {', '.join(SESSIONS.names)}; all but body may be left out",
        )
    row = 0
    for batch in file.iter_batches(batch_size=64):
        for each in batch.to_pylist():
            body = each["body"]
            yield _Recorded(
                str(each.get("source") or path),
                row if each.get("row") is None else int(each["row"]),
                str(each.get("id") or ""),
                _bytes_of(body),
            )
            row += 1


def _bytes_of(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    if body is None:  # a row with the error that this is no session
        return b""
    raise TypeError(f"the column 'body' holds {type(body).__name__}, not bytes or text")


def _is_one(path: Path) -> bool:
    with _opened(path) as lines:
        first = list(islice(lines, _LOOKED_AT))
    while len(first) > 1:
        try:
            return is_one_session(b"".join(first))
        except SessionError:  # one of the lines is damaged: what the others say goes
            first = first[: len(first) // 2]
    return False


def _opened(path: Path) -> IO[bytes]:
    with _unpacked(path) as file:
        if is_in_utf16(file.read(2)):
            file.seek(0)
            return BytesIO(in_utf8(file.read()))
    return _unpacked(path)


def _unpacked(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # pyright: ignore[reportReturnType]


def _stem(path: Path) -> str:
    """A file's name without what says what it is."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name
