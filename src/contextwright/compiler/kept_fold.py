"""A decision that goes on where its limit is a fold: the fold is asked whether a step is due."""

from collections.abc import Iterable

from contextwright.blocks.block import Blocks
from contextwright.compiler.horizon import starts_of
from contextwright.compiler.plan import Plan
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import FoldHistory


def begins_alike(
    start: int, freed: Iterable[int], planned: Plan, inputs: Inputs, limit: int
) -> bool:
    """Whether a compile would begin where the one before did, and be given the same of what lies
    in front.

    Args:
        start: where that began. freed: exchanges of before that have to stay no longer.
        limit: tokens of the whole request.
    """
    if any(at < start for at in freed):
        return False
    _, first = next(starts_of(planned.view, planned.terminal, limit, inputs))
    return first == start


def left_by_fold(
    blocks: Blocks, planned: Plan, limit: int, fixed: int, inputs: Inputs
) -> Blocks | None:
    """What the fold of a spec leaves of blocks; None where it knows too little of what lies before
    them.

    Args:
        limit: tokens of the whole request. fixed: those of it that are no block.
    """
    from contextwright.compiler.steps.stepped import stepped

    stages = planned.terminal.stages if planned.terminal is not None else ()
    for stage in stages:
        if isinstance(stage, FoldHistory):
            space = stage.due_at(limit) - fixed
            blocks = stepped(blocks, stage, space, limit, inputs, with_merges=False).blocks
    knows = bool(inputs.folded) or inputs.start <= inputs.snapshot.preamble
    return blocks if knows else None
