"""Which reasoning goes back with its message: as the model of the request takes it
(rules.md#reasoning)."""

from operator import attrgetter

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass
from contextwright.render.message_layout import Layout
from contextwright.session.event import Thinking
from contextwright.spec.memo import Memo
from contextwright.tokens.model_rules import ReasoningProfile

REASONS: dict[ReasoningProfile, str] = {
    "strip-old": "the model reads the reasoning of the running turn only",
    "bound": "reasoning is bound to a prefix that is gone",
}
"""What the manifest says of reasoning that is left out, by the model's profile."""


_TURN = attrgetter("turn")


def with_bound_reasoning(
    layout: Layout, profile: ReasoningProfile, first: int, memo: Memo, *, of_body: bool = False
) -> Layout:
    """The layout without the reasoning that its model refuses or drops.

    Args:
        profile: what the model does with reasoning.
        first: place in the log of the first exchange behind the system instruction.
        memo: a block without its reasoning is one object for as long as requests have it.
        of_body: whether its caller made a request of it, which leaves as it came where nothing
            in it was touched: what the model does not read the provider leaves out itself.
    """
    blocks: Blocks = tuple(layout.conversation)
    if of_body and _is_unedited(layout, first):
        return layout
    if profile == "strip-old":
        turns = list(map(_TURN, blocks))
        cut = turns.index(max(turns)) if turns else 0
        blocks = (*memo.map("no reasoning", blocks[:cut], _without_thinking), *blocks[cut:])
    elif profile == "bound" and not _is_unedited(layout, first):
        blocks = memo.map("no reasoning", blocks, _without_thinking)
    else:
        return layout
    return msgspec.structs.replace(layout, conversation=blocks)


def _is_unedited(layout: Layout, first: int) -> bool:
    """Whether the conversation is the log's, as it was, and nothing is in front of it or behind it
    that is elsewhere in the next request.

    An edit anywhere leaves out all reasoning, not only what stands behind it: what was left out
    once must stay out, and a later request may hold more of the beginning again.
    """
    if layout.tail or layout.inserted:
        return False
    if any(section.cache is not CacheClass.STABLE for section in layout.system):
        return False
    return all(
        block.order == place and all(message.whole for message in block.messages)
        for place, block in enumerate(layout.conversation, first)
    )


def _without_thinking(block: Block) -> Block:
    if not any(isinstance(part, Thinking) for m in block.messages for part in m.parts):
        return block
    messages = tuple(
        msgspec.structs.replace(
            message,
            parts=tuple(part for part in message.parts if not isinstance(part, Thinking)),
            whole=False,
        )
        for message in block.messages
    )
    return msgspec.structs.replace(block, messages=messages)
