"""The task's first message where it is longer than a request can spare (rules.md#what-stays)."""

from itertools import compress, count
from operator import attrgetter

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.event import Text
from contextwright.session.harness_text import STANDING, harness_texts
from contextwright.spec.inputs import Inputs
from contextwright.text.items import shorten_items

_ORDER = attrgetter("order")
FRAMING_SHARE = 4
"""The task's first message is whole up to a quarter of the budget: more would leave the work
itself too little, and a task that says so much says it in items that can be named."""


def with_short_task(blocks: Blocks, limit: int, inputs: Inputs) -> Blocks:
    """The blocks with the first user message shortened item by item to a quarter of `limit`
    tokens, where it has more. What the user asked last is never shortened.

    Args:
        limit: tokens of the whole request.
    """
    room, protection = limit // FRAMING_SHARE, inputs.protection
    if protection.task in {-1, protection.question} or protection.task >= protection.edge:
        return blocks
    shorter = list(blocks)
    for place in compress(count(), map(protection.task.__eq__, map(_ORDER, blocks))):
        if not blocks[place].pinned:
            shorter[place] = _shortened(blocks[place], room, inputs)
    return tuple(shorter)


def _pieces(text: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it stands as it is: rules of the project, and what a
    harness says of all that was before."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for one in harness_texts(text):
        if one.kind in STANDING:
            pieces += [(text[at : one.start], False), (text[one.start : one.stop], True)]
            at = one.stop
    return [piece for piece in (*pieces, (text[at:], False)) if piece[0]]


def _shortened(block: Block, tokens: int, inputs: Inputs) -> Block:
    texts = [part for m in block.messages for part in m.parts if isinstance(part, Text)]
    pieces = [piece for part in texts for piece, stands in _pieces(part.text) if not stands]
    if sum(map(inputs.count, pieces)) <= tokens:
        return block
    each = max(1, tokens // len(pieces))

    def shorten(text: str) -> str:
        return "".join(
            piece if stands else shorten_items(piece, each, inputs.count)
            for piece, stands in _pieces(text)
        )

    messages = tuple(
        msgspec.structs.replace(
            message,
            parts=tuple(
                Text(text=shorten(part.text)) if isinstance(part, Text) else part
                for part in message.parts
            ),
            whole=False,
        )
        for message in block.messages
    )
    why = f"task framing over a quarter of the budget: item by item to {tokens:,} tokens"
    return block.lower(Fidelity.TRUNCATED, messages=messages, why=why)
