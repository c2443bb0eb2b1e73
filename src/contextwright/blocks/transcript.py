"""A block as lines that a model reads: who said what, which tool gave what."""

from collections.abc import Sequence

from contextwright.blocks.block import Block, Message
from contextwright.blocks.provider_runs import provider_runs
from contextwright.session.event import File, Image, Text, ToolCall, ToolResult
from contextwright.session.harness_text import without_harness_texts
from contextwright.session.inline_thinking import without_thinking
from contextwright.text.one_voice import in_one_voice

_GAVE = {"ok": "gave", "error": "failed with", "interrupted": "was interrupted", "pending": "runs"}


def transcript(block: Block) -> str:
    """The block's texts, calls and results, each behind who it is from. Not escaped."""
    if not block.messages:
        # a summary tells who said each of its rows, and was written in one voice each
        return block.text if block.is_summary else in_one_voice(block.text, first=True)
    return transcript_of(block.messages)


def transcript_of(messages: Sequence[Message]) -> str:
    """The same, of a block's messages."""
    lines: list[str] = []
    calls: dict[str, str] = {}
    for message in messages:
        who = message.author or message.role
        for part in message.parts:
            if isinstance(part, Text):
                is_users = message.role == "user"
                words = (
                    without_harness_texts(part.text, stops=True)
                    if is_users
                    else without_thinking(part.text)
                )
                lines += [f"{who}: {in_one_voice(words)}"] if words.strip() else []
            elif isinstance(part, ToolCall):
                calls[part.id] = part.name
                lines.append(f"{who} used {part.name} with {in_one_voice(part.arguments)}")
            elif isinstance(part, ToolResult):
                name = calls.get(part.call_id, part.name) or "tool"
                lines.append(f"{name} {_GAVE[part.status]}: {in_one_voice(part.text)}")
            elif isinstance(part, (Image, File)):
                lines.append(f"{who}: [{part.media_type}]")
        for call, result in provider_runs(message.parts):
            lines.append(f"{who} used {call.name} with {in_one_voice(call.arguments)}")
            if result is not None:
                lines.append(f"{call.name} {_GAVE[result.status]}: {in_one_voice(result.text)}")
    return "\n".join(lines)
