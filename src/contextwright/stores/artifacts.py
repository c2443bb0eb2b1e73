"""Artifacts: immutable bytes named by their sha256, and names for them, wherever they are kept."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Protocol

import msgspec

from contextwright.argument_types import expect_types
from contextwright.blocks.ref import Ref, parse_ref
from contextwright.errors import CorruptData, RefError
from contextwright.stored_record import StoredRecord
from contextwright.typed_decoding import decoder

_HEX = frozenset("0123456789abcdef")
_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
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

    def read_each(self, keys: Iterable[str]) -> Iterator[bytes | None]:
        """The bytes of each of many, in their order, as `read` gives them."""
        ...

    def write(self, key: str, data: bytes, *, replace: bool) -> None:
        """Write all or nothing; a `StoreError` where it could not be written. Without `replace`
        what is there stays, unless it is not these bytes."""
        ...

    def has(self, key: str) -> bool:
        """Whether something is there."""
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


class _NameEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What lies under a name's key; `check` is the sha256 of the others, where an earlier version
    did not leave it out."""

    name: str
    sha256: str
    check: str = ""

    @property
    def is_whole(self) -> bool:
        known = len(self.sha256) == 64 and _HEX.issuperset(self.sha256)
        return known and self.check in ("", _check(self.name, self.sha256))


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
        """Store bytes; the same bytes are stored once, and once more where they were damaged. A
        name may be given again, for other bytes; the blobs stay.

        Raises:
            RefError: a name that no ref can say; nothing was stored.
        """
        if not isinstance(data, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RefError(
                f"expected bytes, got {type(data).__name__}",
                where="put(data, name=...)",
                fix="put(text.encode(), name=...)",
            )
        expect_types("put(data, name=...)", RefError, name=(name, str))
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
            raise CorruptData(
                "an artifact's bytes are not what was stored",
                where=f"{self._keys.where(key)}: sha256 is {sha256(data).hexdigest()[:16]}",
                fix="put the same bytes again, or restore the file from a backup",
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
            RefError: no such artifact. CorruptData: the entry of the name is damaged.
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

    def readable(self, name: str) -> str:
        """The text behind a name as far as it can be read, damaged or not; empty where there is
        none."""
        try:
            data = self.blob(self.digest(str(Ref("artifact", name))))
        except (RefError, CorruptData):
            return ""
        return (data or b"").decode("utf-8", "replace")

    def names(self) -> list[ArtifactName]:
        """Every name whose entry is not damaged, by name."""
        names = [entry for entry in self._entries() if isinstance(entry, ArtifactName)]
        return sorted(names, key=lambda named: named.name)

    def damaged(self) -> list[StoredRecord]:
        """The entries of names that are damaged, by their keys, with the bytes that they may stand
        for. The bytes themselves are checked when they are read."""
        return [entry for entry in self._entries() if isinstance(entry, StoredRecord)]

    def is_whole(self, key: str) -> bool:
        """Whether a blob, or the entry of a name, is there and is what was stored."""
        if key.startswith("blobs/"):
            data = self._keys.read(key)
            return data is not None and f"blobs/{sha256(data).hexdigest()}" == key
        try:
            return self._named(key) is not None
        except CorruptData:
            return False

    def _entries(self) -> Iterator[ArtifactName | StoredRecord]:
        listed = list(self._keys.list("names"))
        bodies = self._keys.read_each(stored.key for stored in listed)
        for stored, data in zip(listed, bodies, strict=True):
            try:
                named = self._entry(stored.key, data)
                if named is not None:
                    yield msgspec.structs.replace(named, written_ms=stored.written_ms)
            except CorruptData as error:
                text = (data or b"").decode("utf-8", "replace")
                digests = [
                    each for each in _DIGEST.findall(text) if self._keys.has(f"blobs/{each}")
                ]
                yield StoredRecord(
                    id=stored.key,
                    text=text,
                    kind="damaged name",
                    time_ms=stored.written_ms,
                    refs=tuple(SHA256 + digest for digest in digests),
                    protected_by="damaged",
                    damage=f"{error.what}: {error.where}",
                )

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
        entry = _NameEntry(name, digest, _check(name, digest))
        self._keys.write(_key(name), msgspec.json.encode(entry), replace=True)

    def forget_name(self, name: str) -> None:
        """Remove a name; the bytes stay."""
        self._keys.remove(_key(name))

    def forget_damaged(self, key: str) -> None:
        """Remove a name's damaged entry, by its key."""
        self._keys.remove(key)

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
        return self._entry(key, self._keys.read(key))

    def _entry(self, key: str, data: bytes | None) -> ArtifactName | None:
        """What a name's bytes say."""
        if data is None:
            return None
        try:
            entry = decoder(_NameEntry).decode(data)
        except (msgspec.DecodeError, UnicodeError):
            entry = None
        if entry is None or not entry.is_whole or _key(entry.name) != key:
            raise CorruptData(
                "a name's entry is damaged",
                where=self._keys.where(key),
                fix="store the artifact again",
            )
        return ArtifactName(entry.name, entry.sha256)


def _check(name: str, digest: str) -> str:
    return sha256(f"{name}\n{digest}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
