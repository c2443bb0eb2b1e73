"""What another agent said and did, as the agent that a request is for is told of it: in the user's
place, between markers that name who it was (rules.md#trust). As its own words it would be what it
believes to have said itself."""

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import markers_of, section
from contextwright.render.insertion import Insertion
from contextwright.render.text import PROVIDER, transcript
from contextwright.session.event import File, Image, Text, ToolResult
from contextwright.text.speakers import is_another


def is_of_another(block: Block, agent: str) -> bool:
    """Whether an agent other than this one began an exchange; none is where no agent is named."""
    return bool(agent) and block.role == "assistant" and is_another(block.author, agent)


def as_told(block: Block, agent: str, *, refs: bool) -> Block:
    """The block as it is sent to an agent: its own as it is, another's as a transcript.

    Args:
        refs: whether it says where pictures and files are found.
    """
    if not is_of_another(block, agent):
        return block
    lines = "\n".join(transcript(block, PROVIDER.renderer.draft(), shows=refs))
    opening, closing = _markers(block)
    text = Text(text=f"{opening}\n{lines}\n{closing}")
    parts = [part for message in block.messages for part in message.parts]
    parts += [part for one in parts if isinstance(one, ToolResult) for part in one.content]
    media = [part for part in parts if isinstance(part, (Image, File))]
    message = Message("user", (text, *media), author=block.author, whole=False)
    return msgspec.structs.replace(block, messages=(message,))


def telling(block: Block) -> Insertion:
    """The markers around a block that is told."""
    return Insertion("section", block.id, *_markers(block), ids=(block.id,))


def _markers(block: Block) -> tuple[str, str]:
    return markers_of(section("", source=f"agent:{block.author}", tier=block.tier))
