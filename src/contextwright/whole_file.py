"""Files that are written whole, or stay as they were: a disk that is full and a process that is
ended leave no half of one."""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from contextwright.errors import SessionError

_OPEN = {("/", "dev"), ("/", "proc")}
"""Folders whose names are of what a process has open: it goes on with that, whatever is renamed."""


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """A file beside another one, which takes its place at the end; it goes where there is an
    error."""
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole, with the rights of the one that it replaces.

    What is no file, such as a pipe, is written as it is, and so is what others have open by
    `/dev/stdout`, and a file in a folder that takes no other one.

    Raises:
        OSError: it can not be written; a file that was there is as it was.
    """
    place = path.resolve()  # where a link leads: it stays one
    if path.exists():
        is_open = path.absolute().parts[:2] in _OPEN
        if is_open or not path.is_file() or not os.access(place.parent, os.W_OK | os.X_OK):
            path.write_bytes(data)
            return
        path.open("ab").close()  # a file that may not be written is not replaced either
    with whole_file(place) as temporary:
        temporary.write_bytes(data)
        if place.exists():
            temporary.chmod(place.stat().st_mode)


def refuse_input(out: Path, sources: Iterable[object]) -> None:
    """Refuse to write over a file that is read.

    Args:
        sources: what is read; of these the paths are looked at.

    Raises:
        SessionError: it is one of them.
    """
    if out.is_file() and any(_is_same(out, source) for source in sources):
        raise SessionError(
            "it is read, and would be written over",
            where=str(out),
            fix="give the output another name",
        )


def _is_same(out: Path, source: object) -> bool:
    try:
        return isinstance(source, str | Path) and out.samefile(source)
    except (OSError, ValueError):  # no file, such as an address
        return False
