"""Parts of kept events, and what tools say, that a provider can not be sent; the manifest names
each."""

from collections.abc import Iterator

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.bound_reasoning import REASONS
from contextwright.compiler.manifest import Unrendered
from contextwright.render.source_messages import SourceMessages
from contextwright.render.target import Target
from contextwright.session.event import AnyPart, File, Image, Opaque, Text, Thinking, ToolResult
from contextwright.tokens.model_rules import ReasoningProfile

_TEXTS = frozenset({Text})
_REFUSABLE = (Opaque, Image, File, Thinking)
"""The kinds of parts that some provider can not be sent; texts and calls all take."""


def unrendered(
    blocks: Blocks, placed: Blocks, target: Target, reasoning: ReasoningProfile
) -> tuple[Unrendered, ...]:
    """The parts that stay behind: unknown kinds, and reasoning that can not go with its message.

    Args:
        blocks: those that have parts which could (`has_refusable`).
        placed: the same conversation blocks as they were laid out.
        reasoning: what the receiver's model did with it when they were.
    """
    if not blocks:
        return ()
    sendable, sources = target.provider.renderer.parts, target.sources
    laid_out = {(block.id, block.order): block for block in placed}
    return tuple(
        Unrendered(message.event_id or block.id, str(part.__struct_config__.tag), reason)
        for block in blocks
        for message, laid in _messages(block, laid_out.get((block.id, block.order), block))
        for part in _parts(message)
        if isinstance(part, _REFUSABLE)
        if not (laid and sources is not None and _is_as_it_came(part, laid, sources))
        if (
            reason := sendable.refusal(part, message, target.format)
            or _left_out(part, laid, reasoning)
        )
    )


def has_refusable(block: Block) -> bool:
    """Whether a part of a block is of a kind that some provider can not be sent."""
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, _REFUSABLE):
                return True
            if isinstance(part, ToolResult) and not _TEXTS.issuperset(map(type, part.content)):
                return True
    return False


def _is_as_it_came(part: AnyPart, message: Message, sources: SourceMessages) -> bool:
    """Whether a part came with the body and leaves with it."""
    source = sources.of_event(message.event_id)
    if source is None:
        return False
    return part in message.parts or any(
        part in result.content for result in message.parts if isinstance(result, ToolResult)
    )


def _messages(block: Block, placed: Block) -> Iterator[tuple[Message, Message | None]]:
    """The messages, each as it was laid out; None where another agent is told of them."""
    if placed.role != block.role:
        return ((message, None) for message in block.messages)
    return zip(block.messages, placed.messages, strict=True)


def _parts(message: Message) -> Iterator[AnyPart]:
    for part in message.parts:
        yield part
        if isinstance(part, ToolResult):
            yield from part.content


def _left_out(part: AnyPart, laid: Message | None, reasoning: ReasoningProfile) -> str:
    if laid is None:
        shown = isinstance(part, (Image, File))
        return "" if shown else "another agent's: told as a transcript"
    lost = isinstance(part, Thinking) and part not in laid.parts
    return REASONS.get(reasoning, "") if lost else ""


def unrendered_tools(assembled: Assembled, target: Target) -> Iterator[Unrendered]:
    """The tools that run at another provider, and what other tools say that only another takes."""
    renderer = target.provider.renderer
    if not target.takes_messages:
        return
    for tool in assembled.unsent_tools:
        reason = f"{tool.name!r} runs at another provider than that of {target.format}"
        yield Unrendered("tools", "tool", reason)
    own = target.sources.body.tools if target.sources is not None else ()
    for tool in (tool for tool in assembled.tools if tool not in own):
        for key in renderer.lost_keys(tool):
            reason = f"{key!r} of the tool {tool.name!r} is not a key of {target.format}"
            yield Unrendered("tools", "tool", reason)
