"""The exchanges that a note stands for in parts that can be read: each at most a quarter of what a
request may have. Whatever the note leaves out, one of its refs leads to it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from contextwright.blocks.block import Block
from contextwright.blocks.line_ids import line_ids
from contextwright.spec.inputs import Inputs

SHARE = 4
"""A page is this part of the space, as what is read back is of a budget."""
MOST = 40
"""Pages that a note names. Of longer conversations the oldest stand in one range, which is read
page by page, or searched."""
Pages = tuple[int, ...]
"""Places of the exchanges with which pages begin."""


def pages_until(
    blocks: Sequence[Block], upto: int, pages: Pages, before: int, space: int, inputs: Inputs
) -> Pages:
    """The pages of the exchanges before `upto`.

    Args:
        pages: those of the exchanges before `before`, which stay as they are.
    """
    if upto <= before:
        return tuple(place for place in pages if place < upto)
    # the page that is not full yet may take more
    start = pages[-1] if pages else 0
    starts, left = [*pages[:-1], start], space // SHARE
    for at in range(start, upto):
        tokens = inputs.cost(blocks[at])
        if at > start and tokens > left:
            starts.append(at)
            left = space // SHARE
        left -= tokens
    return tuple(starts[:1] + starts[-MOST + 1 :] if len(starts) > MOST else starts)


def pages_line(
    blocks: Sequence[Block], upto: int, pages: Pages, shown: AbstractSet[int] = frozenset()
) -> str:
    """The line of a note that names them, but for those of which it tells every exchange.

    Args:
        shown: places of exchanges that have a line, or stand in the request.
    """
    if len(pages) < 2:
        return ""
    stops = (*pages[1:], upto)
    ranges = [
        line_ids(blocks[start], blocks[stop - 1])
        for start, stop in zip(pages, stops, strict=True)
        if any(at not in shown for at in range(start, stop))
    ]
    return f"[Left out here, all of it: {' '.join(ranges)}]" if ranges else ""
