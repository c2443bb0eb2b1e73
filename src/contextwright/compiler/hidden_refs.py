"""A block as it is told where nobody could read its refs: it says that it was shortened, and shows
no address that leads nowhere (rules.md#refs). What it is costs no more than with them."""

from collections.abc import Callable
from functools import cache
from urllib.parse import unquote

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import section_without_ref
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.read_back_tools import original_ref
from contextwright.blocks.ref import event_ref
from contextwright.session.event import AnyPart, Text, ToolCall, ToolResult
from contextwright.text.ref_notes import without_refs


def block_without_refs(block: Block) -> Block:
    """The block without the refs that shortening put into it. Evidence keeps its addresses: they
    are what an answer cites."""
    if not block.messages:
        return _text_without_refs(block)
    if block.fidelity is Fidelity.RAW:
        return block
    calls = [part for m in block.messages for part in m.parts if isinstance(part, ToolCall)]
    refs = {call.id: original_ref(call) for call in calls}
    messages = tuple(_message(message, block, refs) for message in block.messages)
    same = all(new is old for new, old in zip(messages, block.messages, strict=True))
    return block if same else msgspec.structs.replace(block, messages=messages)


def _text_without_refs(block: Block) -> Block:
    """A text without the ref of what it stands for; a summary also without those that it quotes of
    what was shortened before it was summarized."""
    if block.source == "evidence":
        return block
    text = block.text
    if block.is_summary:
        text = without_refs(text, lambda _: True)
    if not block.ref and text == block.text:
        return block
    return msgspec.structs.replace(block, ref="", text=text)


def _message(message: Message, block: Block, refs: dict[str, str]) -> Message:
    if message.whole and message.event_id:
        return message
    # a note stands for all of a session: its ids are looked up once it has a ref
    ids = cache(lambda: frozenset((message.event_id or block.id, block.id, *block.lineage)))

    def is_own(ref: str) -> bool:
        whole = ref.partition("#")[0]
        id = unquote(whole.removeprefix("event://"))
        return id in ids() and event_ref(id) == whole

    parts = tuple(_part(part, is_own, refs, made=not message.event_id) for part in message.parts)
    same = all(new is old for new, old in zip(parts, message.parts, strict=True))
    return message if same else msgspec.structs.replace(message, parts=parts)


def _part(
    part: AnyPart, is_own: Callable[[str], bool], refs: dict[str, str], *, made: bool
) -> AnyPart:
    if isinstance(part, Text):
        text = without_refs(section_without_ref(part.text) if made else part.text, is_own)
        return part if text == part.text else Text(text=text)
    if isinstance(part, ToolCall):
        arguments = without_refs(part.arguments, is_own)
        same = arguments == part.arguments
        return part if same else msgspec.structs.replace(part, arguments=arguments)
    if isinstance(part, ToolResult):
        read = refs.get(part.call_id, "")
        texts = [
            without_refs(one.text, lambda ref: ref == read or is_own(ref))
            for one in part.content
            if isinstance(one, Text)
        ]
        left = iter(texts)
        content = tuple(
            Text(text=next(left)) if isinstance(one, Text) else one for one in part.content
        )
        return part if content == part.content else msgspec.structs.replace(part, content=content)
    return part
