"""A request in its places, not yet in a provider's words."""

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.layering import CacheClass
from contextwright.render.insertion import Insertion
from contextwright.session.event import Tool


class Section(msgspec.Struct, frozen=True):
    """A text that stands by itself, escaped and marked already.

    Args:
        ids: the blocks that it shows.
        opening, closing: the markers within `text`; empty where it has none.
    """

    text: str
    cache: CacheClass
    ids: tuple[str, ...] = ()
    opening: str = ""
    closing: str = ""


class Layout(msgspec.Struct, frozen=True):
    """A request in order: tools, system, conversation, tail.

    Args:
        tools: what may be called, in a fixed order.
        called: the names of the tools that the session called, in the order of their first calls;
            for a provider that takes no call without tools, where none are given.
        system: the system instruction and the STABLE and SESSION context, in that order.
        conversation: blocks of messages, oldest first.
        tail: DYNAMIC context: behind everything that a cache may hold, at the end of the
            request; with the user's message where that is last, in front of its parts.
        inserted: texts in the conversation that come from no block of it.
        instruction: the blocks of the system instruction, which the first of `system` show.
    """

    tools: tuple[Tool, ...] = ()
    called: tuple[str, ...] = ()
    system: tuple[Section, ...] = ()
    conversation: tuple[Block, ...] = ()
    tail: tuple[Section, ...] = ()
    inserted: tuple[Insertion, ...] = ()
    instruction: tuple[Block, ...] = ()
