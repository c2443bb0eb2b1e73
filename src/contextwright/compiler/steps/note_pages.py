"""The exchanges that a note stands for in parts that can be read: each at most a quarter of what a
request may have. Whatever the note leaves out, one of its refs leads to it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from contextwright.blocks.block import Block
from contextwright.blocks.line_ids import line_id, line_ids
from contextwright.render.exchange_text import exchange_lines
from contextwright.spec.inputs import Inputs
from contextwright.text.line_parts import line_parts

SHARE = 4
"""A page is this part of the space, as what is read back is of a budget."""
MOST = 40
"""Pages that a note names. Of longer conversations the oldest stand in one range, which is read
page by page, or searched."""
PARTS = 8
"""Parts in which an exchange is named that alone is larger than a page."""
FOOT = 96
"""Tokens of a page that its last line takes, which says what was read."""
Pages = tuple[int, ...]
"""Places of the exchanges with which pages begin."""


def page_of(space: int) -> int:
    """Tokens that are read at once, of the space that exchanges and note have together."""
    return space // SHARE


def id_in_parts(block: Block, page: int, inputs: Inputs) -> str:
    """The id of an exchange, and of one that alone is larger than a page the lines with which its
    parts begin and end.

    Args:
        page: tokens that are read at once.
    """
    if page <= 2 * FOOT or block.order < 0 or inputs.cost(block) <= page:
        return line_id(block)
    table = inputs.memo.table(("in parts", page, inputs.counter_id))
    return table.remembered(block, lambda block: _in_parts(block, page - FOOT, inputs))


def _in_parts(block: Block, tokens: int, inputs: Inputs) -> str:
    name, place = line_id(block), block.order
    (exchange,) = inputs.snapshot.exchanges(place, place + 1)
    if exchange.ids[:1] != block.lineage[:1]:
        return name
    starts = line_parts(exchange_lines(exchange), tokens, inputs.count, PARTS)
    if len(starts) < 2:
        return name
    ranges = [f"{start}-{stop - 1}" for start, stop in pairwise(starts)]
    return f"{name} [lines {' '.join(ranges)} {starts[-1]}-]"


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
    starts, left = [*pages[:-1], start], page_of(space)
    for at in range(start, upto):
        tokens = inputs.cost(blocks[at])
        if at > start and tokens > left:
            starts.append(at)
            left = page_of(space)
        left -= tokens
    return tuple(starts[:1] + starts[-MOST + 1 :] if len(starts) > MOST else starts)


def pages_line(
    blocks: Sequence[Block],
    upto: int,
    pages: Pages,
    space: int,
    inputs: Inputs,
    shown: AbstractSet[int] = frozenset(),
) -> str:
    """The line of a note that names them, but for those of which it tells every exchange.

    Args:
        shown: places of exchanges that have a line, or stand in the request.
    """
    if len(pages) < 2:
        return ""
    stops = (*pages[1:], upto)
    page = page_of(space)
    ranges = [
        line_ids(blocks[start], blocks[stop - 1])
        if stop - start > 1
        else id_in_parts(blocks[start], page, inputs)
        for start, stop in zip(pages, stops, strict=True)
        if any(at not in shown for at in range(start, stop))
    ]
    return f"[Left out here, all of it: {' '.join(ranges)}]" if ranges else ""
