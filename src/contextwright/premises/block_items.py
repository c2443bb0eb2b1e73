"""From blocks to the items that presuppositions are held against: who stated what, and its ref."""

import re

from contextwright.blocks.block import Block
from contextwright.retrieval.context_rerank import CHAT
from contextwright.retrieval.item import Item
from contextwright.session.event import Text, ToolCall, ToolResult

_SAYS = re.compile(r"^(?:- )?(?:The (?=user:))?(?P<who>[A-Za-z][\w .'-]{0,30}?):\s+(?=\S)")
"""How a fact names who stated it: `The user: ...`, `Melanie: ...`."""


def items_of(block: Block) -> tuple[Item, ...]:
    """The texts of a block, each with who stated it: the author, the role, a tool's name."""
    ref = block.ref or block.id
    if not block.messages:
        return (_note(ref, block.text),) if block.text.strip() else ()
    items: list[Item] = []
    calls: dict[str, str] = {}
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, Text) and part.text.strip():
                items.append(Item(ref, part.text, "turn", message.author or message.role, "log"))
            elif isinstance(part, ToolCall):
                calls[part.id] = part.name
            elif isinstance(part, ToolResult) and part.text.strip():
                items.append(Item(ref, part.text, "tool", calls.get(part.call_id, part.name)))
    return tuple(items)


def _note(id: str, text: str) -> Item:
    """A note or a fact; one that begins with who stated it is that one's."""
    says = _SAYS.match(text)
    if says is None:
        return Item(id, text.removeprefix("- "), "note")
    who = says["who"]
    if who.casefold() not in CHAT and not who.istitle():
        return Item(id, text, "note")
    return Item(id, text[says.end() :], "turn", who if who.istitle() else who.casefold())
