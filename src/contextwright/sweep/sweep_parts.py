"""The parts of a sweep's result: each is there whole or not at all, and named by what it is of."""

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from contextwright import __version__
from contextwright.errors import StoreError
from contextwright.sweep.arrow import pq
from contextwright.sweep.sweep_job import SweepJob
from contextwright.sweep.sweep_table import CALLS

_encode = msgspec.json.Encoder(order="sorted").encode


class SweepParts:
    """The folder beside a result, in which its parts are until all of them are there.

    Args:
        result: the Parquet file.
        job: what is done; parts of another job are not taken.
    """

    def __init__(self, result: Path, job: SweepJob) -> None:
        self.result, self.folder = result, result.with_name(f"{result.name}.parts")
        self._job = sha256(_encode((__version__, job))).digest()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def path(self, number: int, table: Any) -> Path:
        """Where the part of some sessions is, or will be."""
        named = sha256(self._job)
        for name in table.column_names:
            for value in table.column(name).to_pylist():
                data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
                named.update(len(data).to_bytes(8, "big") + data)
        return self.folder / f"{number:08d}-{named.hexdigest()[:24]}.parquet"

    def merge(self, parts: Sequence[Path]) -> None:
        """Put the result in its place, the parts one behind the other, and remove them.

        Raises:
            StoreError: it can not be written; the parts stay.
        """
        try:
            with whole_file(self.result) as path, pq.ParquetWriter(path, CALLS) as writer:
                for part in parts:
                    writer.write_table(pq.read_table(part))
            shutil.rmtree(self.folder)
        except OSError as error:
            raise _unwritable(self.result, error) from error


def write_part(path: Path, table: Any) -> None:
    """Write a part, whole or not at all.

    Raises:
        StoreError: it can not be written.
    """
    try:
        with whole_file(path) as temporary:
            pq.write_table(table, temporary)
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """A file beside another one, which takes its place at the end; it goes where there is an
    error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"the file can not be written: {error.strerror or error}",
        where=str(path),
        fix="give a path in a folder that can be written, on a disk with room; then run it again",
    )
