"""The parts of a sweep's result: each is there whole or not at all, and named by what it is of."""

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from contextwright import __version__
from contextwright.errors import StoreError
from contextwright.sweep.arrow import pa, pq
from contextwright.sweep.sweep_job import SweepJob
from contextwright.sweep.sweep_table import CALLS
from contextwright.whole_file import whole_file

GROUP = 16_384
"""Calls of a group of rows of the result, at least."""
_DIGEST = 12
_encode = msgspec.json.Encoder(order="sorted").encode


class SweepParts:
    """The folder beside a result, in which its parts are until all of them are there.

    Args:
        result: the Parquet file.
        job: what is done; parts of another job are not taken.
    """

    def __init__(self, result: Path, job: SweepJob) -> None:
        self.result, self.folder = result, result.with_name(f"{result.name}.parts")
        # of the parts' names only what can not be made again is held: twelve bytes each
        self._digests = bytearray()
        self._job = sha256(_encode((__version__, job))).digest()
        _check_place(result)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    @contextmanager
    def begun(self) -> Generator[None]:
        """While parts are made: where that fails before there is one, nothing of it stays."""
        try:
            yield
        except BaseException:
            with suppress(OSError):  # there are parts: the next run goes on from them
                self.folder.rmdir()
            raise

    def next_path(self, table: Any) -> Path:
        """Where the part of the sessions that come next is, or will be."""
        named = sha256(self._job)
        for name in table.column_names:
            for value in table.column(name).to_pylist():
                data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
                named.update(len(data).to_bytes(8, "big") + data)
        self._digests += named.digest()[:_DIGEST]
        return self._path(len(self._digests) // _DIGEST - 1)

    def merge(self) -> None:
        """Put the result in its place, the parts one behind the other, and remove them.

        Raises:
            StoreError: it can not be written; the parts stay.
        """
        try:
            with whole_file(self.result) as path, pq.ParquetWriter(path, CALLS) as writer:
                for group in self._groups():
                    writer.write_table(group)
            shutil.rmtree(self.folder)
        except OSError as error:
            raise _unwritable(self.result, error) from error

    def _path(self, number: int) -> Path:
        digest = self._digests[number * _DIGEST : (number + 1) * _DIGEST]
        return self.folder / f"{number:08d}-{digest.hex()}.parquet"

    def _groups(self) -> Iterator[Any]:
        """The calls of all parts, some thousand at a time: a group a part would make a footer
        that grows as the parts do, and every reader has to hold it."""
        held: list[Any] = []
        for number in range(len(self._digests) // _DIGEST):
            held.append(pq.read_table(self._path(number)))
            if sum(table.num_rows for table in held) >= GROUP:
                yield pa.concat_tables(held)
                held = []
        if held:
            yield pa.concat_tables(held)


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


def _check_place(result: Path) -> None:
    """The result takes the place of what has its name: a device, say, would be gone."""
    try:
        other = result.exists() and not result.is_file()
    except OSError as error:
        raise _unwritable(result, error) from error
    if other:
        raise StoreError(
            "there is something that is no file",
            where=str(result),
            fix="give the name of a file, such as results.parquet",
        )


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"the file can not be written: {error.strerror or error}",
        where=str(path),
        fix="give a path in a folder that can be written, on a disk with room; then run it again",
    )
