"""A block as it is told where nobody could read its refs: it says that it was shortened, and shows
no address that leads nowhere (rules.md#refs). What it is costs no more than with them."""

import re
from collections.abc import Callable

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.read_back_tools import original_ref
from contextwright.blocks.ref import event_ref
from contextwright.session.event import AnyPart, Text, ToolCall, ToolResult
from contextwright.text.output_notes import OUTPUT_NOTE

UNREADABLE = "out of reach"
"""What stands for a ref; as short as one."""
_MARK = re.compile(
    rf"{OUTPUT_NOTE.pattern}"
    r"|\[(?P<count>\d+ tokens), shortened here; in full: (?P<argument>\S+)\]"
    r"|\[full message: (?P<message>\S+)\]"
    # at the end of a line that tells of a call or a picture
    r"|(?:, in full:|,)? (?P<line>event://[^\s\]]+)(?=\]?(?:\n|\Z))"
)
_SECTION = re.compile(r'\A(<context_block source="[^"<>\n]*"(?: priority="\d")?) ref="[^"<>\n]*"')
_BEHIND = "(in full behind the ref)"


_IsOwn = Callable[[str], bool]
"""Whether a ref was put there by shortening: what else reads like one is somebody's."""


def without_refs(block: Block) -> Block:
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
    if block.fidelity is Fidelity.SUMMARIZED:
        text = _plain(text, lambda _: True)
    if not block.ref and text == block.text:
        return block
    return msgspec.structs.replace(block, ref="", text=text)


def _message(message: Message, block: Block, refs: dict[str, str]) -> Message:
    if message.whole and message.event_id:
        return message
    ids = (message.event_id or block.id, block.id, *block.lineage)
    own = frozenset(map(event_ref, ids))
    parts = tuple(_part(part, own, refs, made=not message.event_id) for part in message.parts)
    same = all(new is old for new, old in zip(parts, message.parts, strict=True))
    return message if same else msgspec.structs.replace(message, parts=parts)


def _part(part: AnyPart, own: frozenset[str], refs: dict[str, str], *, made: bool) -> AnyPart:
    def is_own(ref: str) -> bool:
        return ref.partition("#")[0] in own

    if isinstance(part, Text):
        text = _SECTION.sub(r"\1", part.text, count=1) if made else part.text
        text = text.replace(_BEHIND, "(not shown)") if text is not part.text else text
        text = _plain(text, is_own)
        return part if text == part.text else Text(text=text)
    if isinstance(part, ToolCall):
        arguments = _plain(part.arguments, is_own)
        same = arguments == part.arguments
        return part if same else msgspec.structs.replace(part, arguments=arguments)
    if isinstance(part, ToolResult):
        read = refs.get(part.call_id, "")
        texts = [
            _plain(one.text, lambda ref: ref == read or is_own(ref))
            for one in part.content
            if isinstance(one, Text)
        ]
        left = iter(texts)
        content = tuple(
            Text(text=next(left)) if isinstance(one, Text) else one for one in part.content
        )
        return part if content == part.content else msgspec.structs.replace(part, content=content)
    return part


def _plain(text: str, is_own: _IsOwn) -> str:
    """The text with its own marks without their refs."""

    def replaced(match: re.Match[str]) -> str:
        ref = match["full"] or match["cut"] or match["argument"] or match["message"]
        if not is_own(ref or match["line"]):
            return match[0]
        if match["line"]:
            return ""
        if match["full"]:
            return f"[full output: {UNREADABLE}, {match['tokens']}]"
        if match["message"]:
            return f"[full message: {UNREADABLE}]"
        return f"[{match['count']}, shortened here]" if match["count"] else "[... truncated ...]"

    return _MARK.sub(replaced, text) if "[" in text or "event://" in text else text
