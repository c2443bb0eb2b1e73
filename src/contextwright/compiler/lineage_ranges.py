"""The ids that a block stands for, in few: a note on ten thousand events names their ends."""

from collections.abc import Iterable, Iterator

import msgspec

from contextwright.blocks.ref import parse_ref, range_ref
from contextwright.session.log import Log
from contextwright.spec.growing import ITEM, Beginning
from contextwright.spec.log_part import FEW, LONG
from contextwright.spec.memo import Memo

CHUNK = 1024
"""Ids that are compared with those of the log at once, at most."""
_PREFIX = "event://"


class _Run(msgspec.Struct):
    """Ids that are neighbours in the log.

    Args:
        start: the first one's place in the lineage. position: its place in the log; None for an
            id that is none of the log's, which is a run of its own.
        count: how many.
    """

    start: int
    position: int | None
    count: int


class LineageRuns:
    """The runs of a lineage that grows at its end, as a note's does from step to step."""

    def __init__(self) -> None:
        self._beginning = Beginning()
        self._runs: list[_Run] = []
        self._ranges: tuple[str, ...] = ()

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        return ITEM * len(self._beginning.items)

    def ranges(self, ids: tuple[str, ...], log: Log) -> tuple[str, ...]:
        """The ids, neighbours in the log as refs."""
        if ids is not self._beginning.items:
            self._follow(ids, log)
            self._ranges = tuple(id for run in self._runs for id in _ids_of(run, ids))
        return self._ranges

    def _follow(self, ids: tuple[str, ...], log: Log) -> None:
        shared = self._beginning.shared(ids)
        while self._runs and self._runs[-1].start >= shared:
            self._runs.pop()
        if self._runs:
            last = self._runs[-1]
            last.count = min(last.count, shared - last.start)
            _lengthen(last, ids, log)
        while (start := self._runs[-1].start + self._runs[-1].count if self._runs else 0) < len(
            ids
        ):
            run = _Run(start, log.position_of(ids[start]), 1)
            _lengthen(run, ids, log)
            self._runs.append(run)


def _lengthen(run: _Run, ids: tuple[str, ...], log: Log) -> None:
    """Take in all that follows in the lineage as in the log."""
    if run.position is None:
        return
    chunk = 4
    while True:
        stop, position = run.start + run.count, run.position + run.count
        wanted = list(ids[stop : stop + chunk])
        logged = log.ids(position, position + len(wanted))
        if not wanted or wanted != logged:
            break
        run.count += len(wanted)
        chunk = min(4 * chunk, CHUNK)
    for one, other in zip(wanted, logged, strict=False):
        if one != other:
            break
        run.count += 1


def _ids_of(run: _Run, ids: tuple[str, ...]) -> tuple[str, ...]:
    members = ids[run.start : run.start + run.count] if run.count < FEW else ()
    return members or (range_ref(ids[run.start], ids[run.start + run.count - 1]),)


def in_ranges(ids: tuple[str, ...], log: Log, memo: Memo) -> tuple[str, ...]:
    """The ids; of a long lineage, neighbours in the log as refs `event://FIRST#..LAST`. One that
    goes on as the last one that began so costs what is new."""
    if len(ids) <= LONG:
        return ids
    with memo.growing(("lineage runs", ids[0]), LineageRuns) as runs:
        return runs.ranges(ids, log)


def written_out(lineage: Iterable[str], log: Log) -> Iterator[str]:
    """The ids of a lineage that has ranges."""
    for id in lineage:
        ends = ends_of(id)
        first, last = (log.position_of(end) for end in ends or (id, id))
        if ends is None or first is None or last is None:
            yield id
        else:
            yield from (event.id for event in log[first : last + 1])


def ends_of(id: str) -> tuple[str, str] | None:
    """The first and the last id of a range; None for what is none."""
    if not id.startswith(_PREFIX):
        return None
    ref = parse_ref(id)
    return (ref.path, ref.part.removeprefix("..")) if ref.part.startswith("..") else None
