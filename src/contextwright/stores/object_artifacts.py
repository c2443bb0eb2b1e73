"""Artifacts in object storage, by URL: S3, Google Cloud Storage, Azure, HTTP (extra `s3`)."""

import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from contextwright.errors import StoreError
from contextwright.optional_imports import optional_imports
from contextwright.stores.artifacts import Artifacts, StoredArtifact

FRESH_S = 600
"""Seconds in which bytes that are put again are not sent again."""

PART_BYTES = 8 * 1024 * 1024
"""Bytes of a part of a long upload; what is no longer is sent at once. S3 wants 5 MiB at least."""
PAGE = 1000
"""Keys of a page of a listing: as many as S3 gives at once."""
AT_ONCE = 32
"""Objects that are read at the same time: the names of a store are one small object each."""


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
        super().__init__(_Objects(url, opened_store(url, **options)))


def opened_store(url: str, **options: Any) -> Any:
    """An object store by its URL, as obstore has it.

    Args:
        options: as `ObjectArtifacts` takes them.

    Raises:
        MissingExtra: obstore is not installed. StoreError: the URL names no store.
    """
    with optional_imports("s3", "obstore", "obstore"):
        import obstore.store
    try:
        return obstore.store.from_url(url, **options)
    except Exception as error:
        telling = str(error).strip().partition("\n")[0]  # its lines of debugging follow
        raise StoreError(
            f"no object store: {telling}", where=url, fix="such as s3://bucket/prefix"
        ) from error


def lifecycle_rules(prefix: str = "", *, forgotten_days: int = 1) -> dict[str, Any]:
    """The rules of a bucket that go with our retention, as S3 takes them
    (`aws s3api put-bucket-lifecycle-configuration`).

    What is in use has no end by age: `collect` and `Lethe` know what a session still names, a
    bucket does not. A bucket ends what they can not see: parts of uploads that were cut off, and,
    where it keeps versions, the earlier versions of what was forgotten.

    Args:
        prefix: of the keys, as in the store's URL.
        forgotten_days: days that what was forgotten stays as an earlier version.
    """
    begins = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    shared = {"Filter": {"Prefix": begins}, "Status": "Enabled"}
    uploads = {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}
    forgotten = {
        "NoncurrentVersionExpiration": {"NoncurrentDays": forgotten_days},
        "Expiration": {"ExpiredObjectDeleteMarker": True},
    }
    return {
        "Rules": [
            {"ID": "contextwright-uploads", **shared, **uploads},
            {"ID": "contextwright-forgotten", **shared, **forgotten},
        ]
    }


class _Objects:
    """`KeyValueStore` as objects."""

    def __init__(self, url: str, store: Any) -> None:
        import obstore

        self._url, self._store, self._obstore = url.rstrip("/"), store, obstore

    def read(self, key: str) -> bytes | None:
        with self._named("read", key), suppress(FileNotFoundError):
            return bytes(self._obstore.get(self._store, key).bytes())
        return None

    def read_each(self, keys: Iterable[str]) -> Iterator[bytes | None]:
        """Many at once: each waits for the network, not for this machine."""
        left = iter(keys)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while page := list(islice(left, PAGE)):
                yield from pool.map(self.read, page)

    def write(self, key: str, data: bytes, *, replace: bool) -> None:
        with self._named("write", key):
            if replace or not self._is_fresh(key, len(data)):
                # in parts of their own where it is long: one that is cut off is sent again, not all
                self._obstore.put(self._store, key, data, chunk_size=PART_BYTES)

    def remove(self, key: str) -> None:
        with self._named("remove", key), suppress(FileNotFoundError):
            self._obstore.delete(self._store, key)

    def list(self, folder: str) -> Iterator[StoredArtifact]:
        with self._named("list", folder):
            for page in self._obstore.list(self._store, f"{folder}/", chunk_size=PAGE):
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
