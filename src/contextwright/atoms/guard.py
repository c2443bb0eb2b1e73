"""What no compressing word may touch, whatever it was asked (design §5.2 to §5.4)."""

from collections.abc import Callable
from typing import Any

from contextwright.blocks.block import Block, Blocks
from contextwright.spec.inputs import Inputs


def untouchable(block: Block, inputs: Inputs) -> bool:
    """Whether a block stays as it is: pinned, said by the user or the system, of the running
    turn, or an execution that failed and was never made good."""
    if block.order < 0:
        return block.pinned
    return (
        block.turn >= inputs.snapshot.turn
        or block.role in {"user", "system"}
        or block.pinned
        or (block.failed and inputs.unresolved(block))
    )


def held(block: Block, inputs: Inputs) -> bool:
    """Whether no selection leaves a block out: pinned, tier 1, or an execution that failed and
    was never made good."""
    return block.pinned or block.tier == 1 or inputs.unresolved(block)


def change_allowed(
    key: Any, blocks: Blocks, inputs: Inputs, change: Callable[[Block], Block]
) -> Blocks:
    """`change` of the blocks that may be touched, from memory where it was made before.

    `key` holds all that `change` depends on beside the block.
    """
    table = inputs.memo.table((key, inputs.counter_id))
    running = inputs.snapshot.turn
    found = list(map(table.get, blocks))
    if not all(found):
        for place, block in enumerate(blocks):
            if found[place] is None:
                found[place] = _changed(table, block, inputs, change)
    # what was remembered for a finished turn must not reach a snapshot in which it still runs
    return tuple(
        block if block.turn >= running else changed
        for block, changed in zip(blocks, found, strict=True)
    )  # pyright: ignore[reportReturnType]


def _changed(
    table: dict[Block, Block], block: Block, inputs: Inputs, change: Callable[[Block], Block]
) -> Block:
    """What becomes of a block; remembered unless later events may change it."""
    if untouchable(block, inputs):
        if not block.failed and block.turn < inputs.snapshot.turn:
            table[block] = block
        return block
    changed = change(block)
    if not block.failed:
        table[block] = changed
    return changed
