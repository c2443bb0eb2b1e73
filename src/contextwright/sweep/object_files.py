"""Files of sessions in an object store, and a result that goes to one, by URL (extra `s3`)."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from contextwright.errors import ContextwrightError, SessionError, StoreError
from contextwright.stores.object_artifacts import PAGE, PART_BYTES, opened_store

SORTED = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
"""Schemes of services that list keys in their order; others are sorted here, all at once."""


def is_object_url(source: object) -> bool:
    """Whether it is a URL of an object store, not a path and not a database."""
    scheme, separator, _ = str(source).partition("://")
    return bool(separator) and scheme not in ("postgresql", "postgres")


def object_files(url: str, suffixes: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Every object below a URL whose key ends like a file of sessions, or the one of the URL: its
    own URL, and a file of its bytes that is there until the next one is asked for.

    Raises:
        MissingExtra: obstore is not installed. SessionError: there is none. StoreError: the store
            can not be read.
    """
    keys = _keys(url, tuple(suffixes))
    empty = True
    for store, base, key in keys:
        empty = False
        with TemporaryDirectory() as folder:
            path = Path(folder) / PurePosixPath(key).name
            with _named(f"{base}/{key}"):
                _download(store, key, path)
            yield f"{base}/{key}", path
    if empty:
        raise SessionError(
            "there is no object of sessions below it",
            where=url,
            fix=f"keys end in {', '.join(suffixes)}",
        )


def upload(path: Path, url: str) -> None:
    """Put a file where a URL says; one that is long in parts.

    Raises:
        MissingExtra: obstore is not installed. StoreError: it can not be written.
    """
    base, _, name = url.rpartition("/")
    store = opened_store(base)
    import obstore

    with _named(url):
        obstore.put(store, name, path, chunk_size=PART_BYTES)


def _keys(url: str, suffixes: tuple[str, ...]) -> Iterator[tuple[Any, str, str]]:
    if url.endswith(suffixes):
        base, _, name = url.rpartition("/")
        yield opened_store(base), base, name
        return
    base, store = url.rstrip("/"), opened_store(url)
    import obstore

    pages: Any = iter(obstore.list(store, chunk_size=PAGE))
    keys = (meta["path"] for page in _pages(pages, url) for meta in page)
    if base.partition("://")[0] not in SORTED:
        keys = iter(sorted(keys))
    for key in keys:
        if key.endswith(suffixes):
            yield store, base, key


def _pages(pages: Iterator[Any], url: str) -> Iterator[Any]:
    while True:
        with _named(url):
            page = next(pages, None)
        if page is None:
            return
        yield page


def _download(store: Any, key: str, path: Path) -> None:
    import obstore

    with path.open("wb") as file:
        for chunk in obstore.get(store, key).stream(min_chunk_size=PART_BYTES):
            file.write(chunk)


@contextmanager
def _named(where: str) -> Generator[None]:
    try:
        yield
    except ContextwrightError:
        raise
    except Exception as error:
        telling = str(error).strip().partition("\n")[0]
        raise StoreError(
            f"the object store failed: {type(error).__name__}: {telling}"[:300],
            where=where,
            fix="look at the address, the credentials and the service",
        ) from error
