"""Which block is dropped first."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from contextwright.blocks.block import Block, Blocks
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import Order
from contextwright.tasks.layers import DropKey, drop_key_in

_TURN = attrgetter("turn")


def drop_key_of(order: Order, blocks: Blocks, inputs: Inputs, old: int = 0) -> DropKey:
    """The sort key of a terminal's order.

    Args:
        blocks: those among which something is to be dropped; salience is relative to them.
        old: how many of them, from the first on, are too old to be weighed: they go first.
    """
    if order == "salience":
        return _by_salience(blocks, inputs, old)
    if order == "layer":
        return drop_key_in(blocks, inputs)
    return _by_tier if order == "tier" else by_age


def by_age(block: Block) -> tuple[int, ...]:
    """Oldest turn first; in a turn the user's words last, so that a cut request still begins
    with a user; texts outside the conversation after all of it, least important first."""
    if block.order < 0:
        return (1, -block.rank, 0, 0)
    return (0, block.turn, int(block.by_user), block.order)


def in_drop_order(blocks: Blocks, key: DropKey) -> Iterable[Block]:
    """Blocks as they are dropped. By age no more turns are looked at than are asked for: a step
    drops some of the oldest of many."""
    return _turn_by_turn(blocks) if key is by_age else sorted(blocks, key=key)


def _turn_by_turn(blocks: Blocks) -> Iterator[Block]:
    conversation = [block for block in blocks if block.order >= 0]
    conversation.sort(key=_TURN)
    for _, turn in groupby(conversation, key=_TURN):
        yield from sorted(turn, key=by_age)
    yield from sorted([block for block in blocks if block.order < 0], key=by_age)


def _by_tier(block: Block) -> tuple[int, ...]:
    """Highest tier number first; in a tier the lowest score, then the oldest."""
    return (-block.rank, block.score, *by_age(block))


def _by_salience(blocks: Blocks, inputs: Inputs, old: int) -> DropKey:
    """Highest tier number first; in a tier what is too old, then the lowest score, or salience
    where it has none."""
    from contextwright.atoms.select.salient import SALIENT, with_their_turns

    weighed = blocks[old:]
    scores = [block.score for block in weighed]
    if min(scores, default=0) < 0:
        salience = SALIENT.scores(weighed, inputs, "drop order")
        scores = [own if own >= 0 else other for own, other in zip(scores, salience, strict=True)]
    keys = dict.fromkeys(blocks[:old], -1)
    keys.update(zip(weighed, with_their_turns(weighed, scores), strict=True))
    return lambda block: (-block.rank, keys[block], *by_age(block))
