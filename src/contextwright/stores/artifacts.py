"""Artifacts: immutable bytes named by their sha256, and names for them, wherever they are kept."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Protocol

import msgspec

from contextwright.blocks.ref import Ref, parse_ref
from contextwright.errors import RefError, StoreError

_HEX = frozenset("0123456789abcdef")
SHA256 = "sha256/"


class StoredArtifact(msgspec.Struct, frozen=True):
    """A key as it lies there: when it was written, in milliseconds since 1970, and its bytes."""

    key: str
    written_ms: int
    size: int


class KeyValueStore(Protocol):
    """Where bytes lie under keys of two parts: `blobs/HEX`, `names/HEX`."""

    def read(self, key: str) -> bytes | None:
        """The bytes; None where there are none."""
        ...

    def write(self, key: str, data: bytes, *, replace: bool) -> None:
        """Write all or nothing; a `StoreError` where it could not be written."""
        ...

    def remove(self, key: str) -> None:
        """Remove; nothing where it is not there."""
        ...

    def list(self, folder: str) -> Iterator[StoredArtifact]:
        """The keys of `blobs` or `names`."""
        ...

    def where(self, key: str) -> str:
        """The key as an error names it."""
        ...


class ArtifactName(msgspec.Struct, frozen=True):
    """A name and what it stands for."""

    name: str
    sha256: str
    written_ms: int = 0


class Artifacts:
    """An `ArtifactStore` over a key-value store.

    No ref ever becomes a path: a blob's key is its digest, a name's key is the digest of the
    name.
    """

    def __init__(self, keys: KeyValueStore) -> None:
        self._keys = keys

    def put(self, data: bytes, *, name: str = "") -> str:
        """Store bytes; the same bytes are stored once. A name may be given again, for other
        bytes; the blobs stay.

        Raises:
            RefError: a name that no ref can say; nothing was stored.
        """
        _check_name(name)
        digest = sha256(data).hexdigest()
        self._keys.write(f"blobs/{digest}", data, replace=False)
        if not name:
            return str(Ref("artifact", SHA256 + digest))
        self.rename(name, digest)
        return str(Ref("artifact", name))

    def get(self, ref: str) -> bytes:
        """The bytes that a ref names, checked."""
        digest = self.digest(ref)
        key = f"blobs/{digest}"
        data = self._keys.read(key)
        if data is None:
            raise _absent(ref)
        if sha256(data).hexdigest() != digest:
            raise StoreError(
                "an artifact's bytes are not what was stored",
                where=f"{self._keys.where(key)}: sha256 is {sha256(data).hexdigest()[:16]}",
                fix="restore it from a backup; nothing was returned",
            )
        return data

    def read_text(self, path: str) -> str | None:
        """The text behind an `artifact://` path, or None: the shape that a compile takes."""
        try:
            return self.get(str(Ref("artifact", path))).decode("utf-8", "replace")
        except RefError:
            return None

    def digest(self, text: str) -> str:
        """The sha256 of what a ref names.

        Raises:
            RefError: no such artifact. StoreError: the entry of the name is damaged.
        """
        ref = parse_ref(text)
        if ref.scheme != "artifact":
            raise _absent(text)
        if ref.path.startswith(SHA256):
            digest = ref.path.removeprefix(SHA256)
            if len(digest) == 64 and _HEX.issuperset(digest):
                return digest
            raise _absent(text)
        entry = self._named(_key(ref.path))
        if entry is None or entry.name != ref.path:
            raise _absent(text)
        return entry.sha256

    def names(self) -> list[ArtifactName]:
        """Every name, by name.

        Raises:
            StoreError: an entry is damaged.
        """
        names = [
            msgspec.structs.replace(named, written_ms=stored.written_ms)
            for stored in self._keys.list("names")
            if (named := self._named(stored.key)) is not None
        ]
        return sorted(names, key=lambda named: named.name)

    def blobs(self) -> list[StoredArtifact]:
        """Every blob; its key is its sha256."""
        return [
            msgspec.structs.replace(stored, key=stored.key.removeprefix("blobs/"))
            for stored in self._keys.list("blobs")
        ]

    def blob(self, digest: str) -> bytes | None:
        """The bytes of a digest as they lie there, unchecked; None where there are none."""
        return self._keys.read(f"blobs/{digest}")

    def rename(self, name: str, digest: str) -> None:
        """Let a name stand for bytes that are kept.

        Raises:
            RefError: a name that no ref can say.
        """
        _check_name(name)
        entry = msgspec.json.encode({"name": name, "sha256": digest})
        self._keys.write(_key(name), entry, replace=True)

    def forget_name(self, name: str) -> None:
        """Remove a name; the bytes stay."""
        self._keys.remove(_key(name))

    def forget_blob(self, digest: str) -> None:
        """Remove bytes; names that stand for them then resolve no more."""
        self._keys.remove(f"blobs/{digest}")

    def sync(self) -> None:
        """Wait until the disk has what was removed; nothing to do where removing waits."""

    def sweep(self, older_s: float = 0) -> int:
        """Remove what killed writers left; how many. Nothing is left where writing is atomic.

        Args:
            older_s: seconds that it must be old: what is younger may still be written.
        """
        return 0

    def _named(self, key: str) -> ArtifactName | None:
        data = self._keys.read(key)
        if data is None:
            return None
        try:
            return msgspec.json.decode(data, type=ArtifactName)
        except msgspec.DecodeError as error:
            raise StoreError(
                "a name's entry is damaged",
                where=self._keys.where(key),
                fix="store the artifact again",
            ) from error


def _check_name(name: str) -> None:
    """Refuse a name whose ref would read as a digest, or would not be read again."""
    try:
        if name:
            parse_ref(str(Ref("artifact", name)))
    except (RefError, UnicodeEncodeError) as error:
        raise RefError(
            "a name that is too long or no text", where=repr(name[:80]), fix="give a shorter one"
        ) from error
    if name.startswith(SHA256):
        raise RefError("a name that reads as a digest", where=name, fix="give another, or none")


def _key(name: str) -> str:
    return f"names/{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _absent(ref: str) -> RefError:
    return RefError(
        "nothing is found behind this ref",
        where=ref[:200],
        fix="refs are those that a request or `ctx explain` shows",
    )
