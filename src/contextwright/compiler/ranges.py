"""What no term of the spec selected: neighbouring exchanges as one range each."""

from collections.abc import Iterable, Set
from itertools import pairwise

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
    start, stop = snapshot.preamble, snapshot.exchange_count
    known.difference_update(range(start))
    if len(known) == stop - start:
        return ()
    edges = [start - 1, *sorted(known), stop]
    return tuple(
        _range(snapshot, last + 1, first) for last, first in pairwise(edges) if first > last + 1
    )


def _range(snapshot: Snapshot, start: int, stop: int) -> Range:
    first = snapshot.exchanges(start, start + 1)[0]
    last = snapshot.exchanges(stop - 1, stop)[0]
    return Range(first.first.id, last.events[-1].id, stop - start)
