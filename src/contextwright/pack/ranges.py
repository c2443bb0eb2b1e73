"""What no term of the spec selected: neighbouring exchanges as one range each."""

from collections.abc import Iterable

from contextwright.blocks.block import Blocks
from contextwright.pack.manifest import Range
from contextwright.pack.trace import Change
from contextwright.session.snapshot import Snapshot


def left_out(snapshot: Snapshot, blocks: Blocks, changes: Iterable[Change]) -> tuple[Range, ...]:
    """The gaps between the exchanges that are in the request or stand in its changes."""
    known = {block.order for block in blocks if block.order >= 0}
    position_of, index_of = snapshot.log.position_of, snapshot.log.exchange_index
    for change in changes:
        for id in change.lineage if change.action == "summarized" else (change.id,):
            position = position_of(id)
            if position is not None:
                known.add(index_of(position))
    ranges: list[Range] = []
    next_index = snapshot.preamble
    for index in [*sorted(known), snapshot.exchange_count]:
        if index > next_index:
            ranges.append(_range(snapshot, next_index, index))
        next_index = max(next_index, index + 1)
    return tuple(ranges)


def _range(snapshot: Snapshot, start: int, stop: int) -> Range:
    first = snapshot.exchanges(start, start + 1)[0]
    last = snapshot.exchanges(stop - 1, stop)[0]
    return Range(first.first.id, last.events[-1].id, stop - start)
