"""Parts of kept events that a provider can not be sent; the manifest names each."""

from collections.abc import Iterator

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.compiler.manifest import Unrendered
from contextwright.render.target import Target
from contextwright.session.event import AnyPart, File, Image, Opaque, Thinking, ToolResult

_THINKS = {"anthropic": "anthropic", "openai-responses": "openai", "gemini": "google"}


def unrendered(blocks: Blocks, placed: Blocks, target: Target) -> tuple[Unrendered, ...]:
    """What stays behind: unknown kinds, and reasoning that can not go with its message.

    Args:
        placed: the same conversation blocks as they were laid out.
    """
    kept = {block.id: block for block in placed}
    return tuple(
        Unrendered(message.event_id or block.id, str(part.__struct_config__.tag), reason)
        for block in blocks
        for message, laid in _messages(block, kept.get(block.id, block))
        for part in _parts(message)
        if (reason := _reason(part, message, laid, target.format))
    )


def _messages(block: Block, placed: Block) -> Iterator[tuple[Message, Message]]:
    return zip(block.messages, placed.messages, strict=True)


def _parts(message: Message) -> Iterator[AnyPart]:
    for part in message.parts:
        yield part
        if isinstance(part, ToolResult):
            yield from part.content


def _reason(part: AnyPart, message: Message, laid: Message, format: str) -> str:
    if isinstance(part, Opaque):
        return f"a part of {part.format} of the kind {part.kind!r}"
    if isinstance(part, (Image, File)) and message.role == "assistant" and format != "gemini":
        return f"pictures and files of the assistant are not sent to {format}"
    if not isinstance(part, Thinking):
        return ""
    if format == "openai-responses" and not part.redacted:
        return "reasoning without its encrypted form can not be sent back"
    if _THINKS.get(format) != part.provider:
        return f"reasoning of {part.provider or 'an unknown provider'} is not sent to {format}"
    if not message.whole:
        return "reasoning does not go with a message that was changed"
    return "" if part in laid.parts else "reasoning is bound to a prefix that is gone"
