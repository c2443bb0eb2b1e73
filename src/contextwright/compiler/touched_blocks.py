"""Which blocks a step touched, and what became of each."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import compress, count
from operator import is_not

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.refused_steps import says_the_same

Touched = list[tuple[Block, Block | None]]
"""Blocks before a step, each with what it is behind it; None where it is gone."""
_Key = tuple[str, str]  # a block's id and source


def touched_blocks(before: Blocks, after: Blocks) -> Touched:
    """The blocks that did not come out of a step as the very same objects.

    Terms of a union may bring a block several times: where as many come out, each is what stands in
    its place; else a block is touched if none that comes out says the same, and is the last.
    """
    start = _shared_front(before, after)
    left = after[start:]
    same = set(map(id, left))
    touched = [block for block in before[start:] if id(block) not in same]
    by_key = {(block.id, block.source): block for block in left}
    if touched and len(by_key) < len(left):
        return _of_several(touched, before[start:], left)
    return [(block, by_key.get((block.id, block.source))) for block in touched]


def _shared_front(before: Blocks, after: Blocks) -> int:
    """How many blocks in front are the very same objects."""
    shortest = min(len(before), len(after))
    return next(compress(count(), map(is_not, before, after)), shortest)


def _of_several(touched: list[Block], before: Blocks, after: Blocks) -> Touched:
    were, came, pairs = _by_key(before), _by_key(after), Touched()
    for block in touched:
        key = block.id, block.source
        if len(were[key]) == len(came[key]):
            place = next(place for place, one in enumerate(were[key]) if one is block)
            pairs.append((block, came[key][place]))
        elif not any(says_the_same(one, block) for one in came[key]):
            pairs.append((block, came[key][-1] if came[key] else None))
    return pairs


def _by_key(blocks: Iterable[Block]) -> dict[_Key, list[Block]]:
    several = defaultdict[_Key, list[Block]](list)
    for block in blocks:
        several[block.id, block.source].append(block)
    return several
