"""What a block costs in a request."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.layering import Layer
from contextwright.compiler.hidden_refs import without_refs
from contextwright.compiler.layout import EMPTY_MESSAGE, is_foreign, section_of
from contextwright.compiler.other_agents import as_told
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.spec.memo import Memo
from contextwright.tasks.payload import cost_of_item


class Presentation(NamedTuple):
    """How blocks are shown: to which agent, `framed` as items of a payload, with their refs."""

    agent: str
    framed: bool
    refs: bool


def cost_of(
    memo: Memo, renderer: Renderer, target: Target, shown: Presentation
) -> Callable[[Block], int]:
    """Tokens of a block as it will be sent."""
    as_messages = target.takes_messages

    def cost(block: Block) -> int:
        if not shown.refs:
            block = without_refs(block)
        if block.messages:
            if as_messages and shown.agent:
                block = as_told(block, shown.agent)
            return renderer.cost(block, target)
        if shown.framed and block.layer is not Layer.SYSTEM:
            return cost_of_item(block, target)
        section = renderer.section_cost(section_of(block, target.sign), target)
        if not is_foreign(block) or not as_messages:
            return section
        # one message holds all that is foreign; each counts it, as if it stood alone
        return section + renderer.cost(EMPTY_MESSAGE, target)

    key = ("cost", *cost_key(target, shown))
    counted = memo.computed((*key, "unscored"), cost)

    def unscored(block: Block) -> int:
        # a score that goes with age is no reason to count again
        return (
            counted(msgspec.structs.replace(block, score=-1)) if block.score >= 0 else cost(block)
        )

    return memo.computed(key, unscored)


def cost_key(target: Target, shown: Presentation) -> tuple[str | bool, ...]:
    """All that the tokens of a block depend on."""
    known = target.sources.key if target.sources is not None else ""
    return target.format, target.model, target.counter.id, target.sign, known, *shown
