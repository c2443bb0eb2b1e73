"""What no term of the spec selected: neighbouring exchanges as one range each."""

from collections.abc import Iterable, Iterator, Set

from contextwright.blocks.block import Blocks
from contextwright.compiler.manifest import Range
from contextwright.compiler.trace import Change
from contextwright.session.snapshot import Snapshot


def left_out(
    snapshot: Snapshot, blocks: Blocks, changes: Iterable[Change], summarized: Set[int]
) -> tuple[Range, ...]:
    """The gaps between the exchanges that are in the request, in a summary of it, or stand in
    its changes."""
    known = {block.order for block in blocks if block.order >= 0}
    known |= summarized
    for change in changes:
        position = snapshot.log.position_of(change.id)
        if position is not None:
            known.add(snapshot.log.exchange_index(position))
    every = range(snapshot.preamble, snapshot.exchange_count)
    if len(known) == len(every):
        return ()
    if len(known) > len(every) // 2:
        return tuple(_range(snapshot, start, stop) for start, stop in _runs(set(every) - known))
    ranges: list[Range] = []
    next_index = snapshot.preamble
    for index in [*sorted(known), snapshot.exchange_count]:
        if index > next_index:
            ranges.append(_range(snapshot, next_index, index))
        next_index = max(next_index, index + 1)
    return tuple(ranges)


def _runs(indices: set[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring numbers as (first, behind the last)."""
    start = last = None
    for index in sorted(indices):
        if last is None or index > last + 1:
            if start is not None and last is not None:
                yield start, last + 1
            start = index
        last = index
    if start is not None and last is not None:
        yield start, last + 1


def _range(snapshot: Snapshot, start: int, stop: int) -> Range:
    first = snapshot.exchanges(start, start + 1)[0]
    last = snapshot.exchanges(stop - 1, stop)[0]
    return Range(first.first.id, last.events[-1].id, stop - start)
