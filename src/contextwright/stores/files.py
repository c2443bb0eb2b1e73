"""Artifacts in a directory, written so that a crash leaves either all of one or none."""

import errno
import os
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from contextwright.errors import ReadOnlyStore, StoreError, StoreFull
from contextwright.stores.artifacts import Artifacts, StoredArtifact
from contextwright.stores.local_path import local_path


class FileArtifacts(Artifacts):
    """An `ArtifactStore` in `root`, made with mode 0700 where it is missing.

    Raises:
        StoreError: the address of a server, for which there is `ObjectArtifacts`.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = local_path(root)
        super().__init__(_Folder(self.root))

    def sync(self) -> None:
        """Wait until the disk has what was removed: it would be back after a power cut else."""
        for folder in ("blobs", "names"):
            sync_folder(self.root / folder)

    def sweep(self, older_s: float = 0) -> int:
        """Remove the temporary files that a killed process left; how many.

        Args:
            older_s: seconds that a file must be old: a younger one may still be written.
        """
        left = [path for path in self.root.glob("*/*.tmp") if age_s(path) >= older_s]
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


def artifacts_in(root: Path) -> FileArtifacts:
    """The artifacts of a folder that has some; `FileArtifacts` makes a folder that is missing.

    Raises:
        StoreError: it is none of artifacts. Databases in it are named.
    """
    if all((root / folder).is_dir() for folder in ("blobs", "names")):
        return FileArtifacts(root)
    files = sorted(root.glob("*.sqlite")) + sorted(root.glob("*.db"))
    named = f"; its databases are {', '.join(map(str, files[:4]))}" if files else ""
    raise StoreError(
        "this folder holds no artifacts" if root.is_dir() else "there is no folder of artifacts",
        where=str(root),
        fix=f"give the folder of a FileArtifacts: it has blobs and names in it{named}",
    )


_ERRORS: Mapping[int, type[StoreError]] = {
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
    errno.EFBIG: StoreFull,
    errno.EROFS: ReadOnlyStore,
    errno.EACCES: ReadOnlyStore,
    errno.EPERM: ReadOnlyStore,
}


@contextmanager
def _refused(what: str, path: Path, fix: str) -> Generator[None]:
    """Name the path in an error of the file system."""
    try:
        yield
    except OSError as error:
        kind = _ERRORS.get(error.errno or 0, StoreError)
        raise kind(f"{what}: {error.strerror}", where=str(path), fix=fix) from error


class _Folder:
    """`KeyValueStore` as files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        with _refused("the folder can not be made", root, "name a folder that can be written"):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in ("blobs", "names"):
                (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self, key: str) -> bytes | None:
        path = self._root / key
        with _refused("could not read", path, "allow reading there"), suppress(FileNotFoundError):
            return path.read_bytes()
        return None

    def read_each(self, keys: Iterable[str]) -> Iterator[bytes | None]:
        """One after the other: a disk gains nothing by more."""
        return map(self.read, keys)

    def write(self, key: str, data: bytes, *, replace: bool) -> None:
        path = self._root / key
        if not replace and _holds(path, data) and _touched(path):
            return
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        fix = "free space or allow writing there; nothing was stored"
        with _refused(f"could not write {len(data)} bytes", path, fix):
            try:
                write_durably(temporary, data)
                temporary.replace(path)
                sync_folder(path.parent)
            except OSError:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
                raise

    def has(self, key: str) -> bool:
        return (self._root / key).is_file()

    def remove(self, key: str) -> None:
        path = self._root / key
        with _refused("could not remove it", path, "allow writing in this folder"):
            path.unlink(missing_ok=True)

    def list(self, folder: str) -> Iterator[StoredArtifact]:
        for path in sorted((self._root / folder).iterdir()):
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            if path.suffix != ".tmp":
                yield StoredArtifact(
                    f"{folder}/{path.name}", status.st_mtime_ns // 1_000_000, status.st_size
                )

    def where(self, key: str) -> str:
        return str(self._root / key)


def age_s(path: Path) -> float:
    """Seconds since a file was written; 0 where it is gone."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except FileNotFoundError:
        return 0.0


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file is there and has these bytes: a power cut or a broken disk may have left
    others. To compare costs less than the hash that named the file."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _touched(path: Path) -> bool:
    """True if it is there; then it counts as written now, so that no collection takes it."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError:  # another's file, or one that can not be written
        return True
    return True


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
