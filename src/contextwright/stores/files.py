"""Artifacts in a directory: immutable blobs named by their sha256, written so that a crash
leaves either all of a blob or none."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from contextwright.blocks.ref import Ref, parse_ref
from contextwright.errors import RefError, StoreError

_HEX = frozenset("0123456789abcdef")
SHA256 = "sha256/"


class FileArtifacts:
    """An `ArtifactStore` in `root`, made with mode 0700 where it is missing.

    No ref ever becomes a path: a blob's file is its digest, a name's file is the digest of the
    name.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        try:
            for folder in ("blobs", "names"):
                (self.root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder can not be made: {error.strerror}",
                where=str(self.root),
                fix="name a folder that can be written",
            ) from error

    def put(self, data: bytes, *, name: str = "") -> str:
        """Store bytes; the same bytes are stored once. A name may be given again, for other
        bytes; the blobs stay."""
        digest = sha256(data).hexdigest()
        self._write(self._blob(digest), data)
        if not name:
            return str(Ref("artifact", SHA256 + digest))
        if name.startswith(SHA256):
            raise RefError("a name that reads as a digest", where=name, fix="give another, or none")
        entry = msgspec.json.encode({"name": name, "sha256": digest})
        self._write(self._name(name), entry, replace=True)
        return str(Ref("artifact", name))

    def get(self, ref: str) -> bytes:
        """The bytes that a ref names, checked."""
        digest = self._digest(ref)
        path = self._blob(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise _absent(ref) from error
        if sha256(data).hexdigest() != digest:
            raise StoreError(
                "an artifact's bytes are not what was stored",
                where=f"{path}: sha256 is {sha256(data).hexdigest()[:16]}",
                fix="restore the file from a backup; nothing was returned",
            )
        return data

    def read_text(self, path: str) -> str | None:
        """The text behind an `artifact://` path, or None: the shape that a compile takes."""
        try:
            return self.get(str(Ref("artifact", path))).decode("utf-8", "replace")
        except RefError:
            return None

    def sweep(self) -> int:
        """Remove the temporary files that a killed process left; how many."""
        left = list(self.root.glob("*/*.tmp"))
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)

    def _digest(self, text: str) -> str:
        ref = parse_ref(text)
        if ref.scheme != "artifact":
            raise _absent(text)
        if ref.path.startswith(SHA256):
            digest = ref.path.removeprefix(SHA256)
            if len(digest) == 64 and _HEX.issuperset(digest):
                return digest
            raise _absent(text)
        try:
            entry = msgspec.json.decode(self._name(ref.path).read_bytes())
            digest, name = entry["sha256"], entry["name"]
        except FileNotFoundError as error:
            raise _absent(text) from error
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise StoreError(
                "a name's entry is damaged", where=text, fix="store the artifact again"
            ) from error
        if name != ref.path:
            raise _absent(text)
        return digest

    def _blob(self, digest: str) -> Path:
        return self.root / "blobs" / digest

    def _name(self, name: str) -> Path:
        return self.root / "names" / sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

    def _write(self, path: Path, data: bytes, *, replace: bool = False) -> None:
        if path.exists() and not replace:
            return
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        try:
            write_durably(temporary, data)
            temporary.replace(path)
            sync_folder(path.parent)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StoreError(
                f"could not write {len(data)} bytes: {error.strerror}",
                where=str(path),
                fix="free space or allow writing there; nothing was stored",
            ) from error


def write_durably(path: Path, data: bytes) -> None:
    """Write a new file of mode 0600 and wait until the disk has it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the disk has a folder's entries; a rename is lost in a power cut otherwise."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _absent(ref: str) -> RefError:
    return RefError(
        "nothing is found behind this ref",
        where=ref[:200],
        fix="refs are those that a request or `ctx explain` shows",
    )
