"""Parts of a sweep in processes: one that ends takes no other part with it."""

import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from contextwright.errors import StoreError
from contextwright.sweep.sweep_job import SweepJob
from contextwright.sweep.sweep_parts import write_part
from contextwright.sweep.sweep_table import compile_table

AHEAD = 3
"""Parts a worker that are on their way: what is not compiled yet is not read yet either."""
TOGETHER = 2
"""Times that a part is made beside others before it is made by itself."""
TRIES = 5
"""Processes that a part by itself may end before it is given up."""


class SweepPart(NamedTuple):
    """A part to be made: sessions, and where their calls go."""

    path: Path
    table: Any


def make_part(job: SweepJob, part: SweepPart) -> Path:
    """Make a part; where it is."""
    write_part(part.path, compile_table(part.table, job))
    return part.path


def made_parts(parts: Iterable[SweepPart], job: SweepJob, workers: int) -> Iterator[Path]:
    """Make parts, in their order; with one worker, in this process.

    Raises:
        StoreError: a part can not be written, or ended every process that was to make it.
    """
    if workers == 1:
        return (make_part(job, part) for part in parts)
    return _in_processes(parts, job, workers)


def _in_processes(parts: Iterable[SweepPart], job: SweepJob, workers: int) -> Generator[Path]:
    pool = _Pool(workers, job)
    running: deque[tuple[SweepPart, Future[Path]]] = deque()
    try:
        for part in parts:
            running.append((part, pool.begin(part)))
            if len(running) > AHEAD * workers:
                yield pool.end(*running.popleft())
        while running:
            yield pool.end(*running.popleft())
    finally:
        pool.stop()


class _Pool:
    """Processes; made anew when one of them ends."""

    def __init__(self, workers: int, job: SweepJob) -> None:
        self._workers, self._job = workers, job
        self._pool: ProcessPoolExecutor | None = None

    def begin(self, part: SweepPart) -> "Future[Path]":
        """Send a part to a worker."""
        if self._pool is None:
            self._pool = _processes(self._workers)
        try:
            return self._pool.submit(make_part, self._job, part)
        except BrokenProcessPool:
            self.stop()
            return self.begin(part)

    def end(self, part: SweepPart, future: "Future[Path]") -> Path:
        """Wait for a part. When a process ends, all that the others do is lost, and nobody knows
        whose part ended it: each is made again, with the others and then by itself."""
        for _ in range(TOGETHER):
            try:
                return future.result()
            except BrokenProcessPool:
                if part.path.exists():
                    return part.path
                future = self.begin(part)
        return self._alone(part)

    def stop(self) -> None:
        """End the processes, once they have done what they do now."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _alone(self, part: SweepPart) -> Path:
        for _ in range(TRIES):
            with _processes(1) as pool:
                try:
                    return pool.submit(make_part, self._job, part).result()
                except BrokenProcessPool:
                    pass
        raise StoreError(
            f"{TRIES} processes ended that were to compile these sessions",
            where=", ".join(sorted(set(part.table.column("source").to_pylist())))[:300],
            fix="give the machine more memory, or leave these sessions out; then run it again",
        )


def _processes(count: int) -> ProcessPoolExecutor:
    # a forked process would hold locks of threads that it does not have; Ctrl-C, which a terminal
    # sends to all of them, ends one without a word, and this process says it
    return ProcessPoolExecutor(
        count,
        get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_DFL),
    )


def usual_workers() -> int:
    """One a processor that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
