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


def change_allowed(
    key: Any, blocks: Blocks, inputs: Inputs, change: Callable[[Block], Block]
) -> Blocks:
    """`change` of the blocks that may be touched, from memory where it was made before.

    `key` holds all that `change` depends on beside the block.
    """
    table = inputs.memo.table((key, inputs.counter_id))
    out: list[Block] = []
    for block in blocks:
        if untouchable(block, inputs):
            out.append(block)
            continue
        changed = table.get(block)
        if changed is None:
            changed = table[block] = change(block)
        out.append(changed)
    return tuple(out)
