"""Artifacts in object storage, by URL: S3, Google Cloud Storage, Azure, HTTP (extra `s3`)."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from contextwright.errors import MissingExtra, StoreError
from contextwright.stores.artifacts import Artifacts, StoredArtifact

FRESH_S = 600
"""Seconds in which bytes that are put again are not sent again."""


class ObjectArtifacts(Artifacts):
    """An `ArtifactStore` behind a URL such as `s3://bucket/agents` or `gs://bucket`.

    An object is written whole or not at all, as these services do.

    Args:
        url: bucket and prefix; `memory:///` for tests.
        options: what `obstore.store.from_url` takes: keys, region, endpoint; by default they
            are read from the environment as that service's tools do.

    Raises:
        MissingExtra: obstore is not installed. StoreError: the URL names no store.
    """

    def __init__(self, url: str, **options: Any) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise MissingExtra("obstore", "s3") from error
        try:
            store: Any = from_url(url, **options)
        except Exception as error:
            raise StoreError(
                f"no object store: {error}", where=url, fix="such as s3://bucket/prefix"
            ) from error
        super().__init__(_Objects(url, store, obstore))


class _Objects:
    """`KeyValueStore` as objects."""

    def __init__(self, url: str, store: Any, obstore: Any) -> None:
        self._url, self._store, self._obstore = url.rstrip("/"), store, obstore

    def read(self, key: str) -> bytes | None:
        with self._named("read", key), suppress(FileNotFoundError):
            return bytes(self._obstore.get(self._store, key).bytes())
        return None

    def write(self, key: str, data: bytes, *, replace: bool) -> None:
        with self._named("write", key):
            if replace or not self._is_fresh(key, len(data)):
                self._obstore.put(self._store, key, data)

    def remove(self, key: str) -> None:
        with self._named("remove", key), suppress(FileNotFoundError):
            self._obstore.delete(self._store, key)

    def list(self, folder: str) -> Iterator[StoredArtifact]:
        with self._named("list", folder):
            for page in self._obstore.list(self._store, f"{folder}/"):
                for meta in page:
                    written = round(meta["last_modified"].timestamp() * 1000)
                    key = f"{folder}/{meta['path'].rpartition('/')[2]}"
                    yield StoredArtifact(key, written, meta["size"])

    def where(self, key: str) -> str:
        return f"{self._url}/{key}"

    def has(self, key: str) -> bool:
        with self._named("look at", key), suppress(FileNotFoundError):
            self._obstore.head(self._store, key)
            return True
        return False

    def _is_fresh(self, key: str, size: int) -> bool:
        """True if so many bytes are there and were written lately: what is written again starts
        anew, so that no collection takes it."""
        try:
            meta = self._obstore.head(self._store, key)
        except FileNotFoundError:
            return False
        fresh = time.time() - meta["last_modified"].timestamp() < FRESH_S
        return fresh and meta["size"] == size

    @contextmanager
    def _named(self, what: str, key: str) -> Generator[None]:
        try:
            yield
        except Exception as error:
            raise StoreError(
                f"could not {what}: {type(error).__name__}: {error}"[:300],
                where=self.where(key),
                fix="look at the address, the credentials and the service",
            ) from error
