"""The steps of a limit by layers: a conversation that is over its share goes down to half of it at
once, and stays until it is over it again (rules.md#steps-down)."""

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import Layer
from contextwright.compiler.budget_state import BudgetState, Hold, hold
from contextwright.compiler.drop_order import by_age
from contextwright.compiler.step_places import LimitRule, LimitStep, inputs_then, step_of
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import Terminal
from contextwright.tasks.left_turns import LeftTurns, room_for_turns

GRAIN = 20
"""A conversation has its share in whole twentieths of the limit: signals that move the shares a
little from turn to turn move no step."""


def at_layer_step(
    state: BudgetState, blocks: Blocks, terminal: Terminal, turns: LeftTurns
) -> Blocks:
    """The blocks without what the newest step of the conversation's share let go of; all of them
    where none was taken, or the conversation has no more than its share.

    Args:
        turns: what is told of the turns that leave.
    """
    share = state.caps(blocks)[Layer.CONVERSATION.label]
    taken = sum(state.inputs.cost(block) for block in blocks if block.layer is Layer.CONVERSATION)
    grain = max(1, state.limit // GRAIN)
    if taken <= share or share < grain:
        return blocks
    share -= share % grain
    standing = step_of(LimitRule(share, terminal.layer_low, terminal), 0, state.inputs)
    if standing is None:
        return blocks
    step, _ = standing
    then = inputs_then(step.place, state.inputs)
    drops = _let_go(blocks, step, turns.tokens, then)
    if not drops:
        return blocks
    leaving = set(drops)
    state.tracer.limit_steps = step.number
    rest = tuple(block for block in blocks if block not in leaving)
    return turns.with_summary(rest, drops, then)


def _let_go(blocks: Blocks, step: LimitStep, left: int, then: Inputs) -> list[Block]:
    """What a step lets go of, the oldest first, so that what is before it has room in its goal
    with what is told of the rest.

    Args:
        left: tokens of what left before all of this.
    """
    old = [block for block in blocks if 0 <= block.order < step.place]
    over = sum(map(then.cost, old)) - step.goal
    drops: list[Block] = []
    for block in sorted((block for block in old if _may_go(block, then)), key=by_age):
        if over + room_for_turns(left) <= 0:
            break
        drops.append(block)
        over -= then.cost(block)
        left += then.cost(block)
    return drops


def _may_go(block: Block, then: Inputs) -> bool:
    return block.layer is Layer.CONVERSATION and hold(block, then) is Hold.NONE
