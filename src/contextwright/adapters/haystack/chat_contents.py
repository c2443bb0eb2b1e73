"""The parts of Haystack's messages: their contents."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from haystack.dataclasses import (
    ChatMessage,
    FileContent,
    ImageContent,
    ReasoningContent,
    TextContent,
    ToolCall,
    ToolCallResult,
)

from contextwright.adapters.part_view import PartView


class ChatContents:
    """The contents of a message."""

    def role(self, message: ChatMessage) -> str:
        """The role."""
        return message.role.value

    def parts(self, message: ChatMessage) -> Sequence[Any]:
        """The contents."""
        return message._content  # pyright: ignore[reportPrivateUsage] its only way to all of them

    def view(self, part: Any) -> PartView:
        """What a content is."""
        if isinstance(part, TextContent):
            return PartView("text", part.text)
        if isinstance(part, ToolCall):
            return PartView.call(part.id, part.tool_name, part.arguments)
        if isinstance(part, ToolCallResult):
            return PartView.result(_text(part.result), part.origin.id, part.result, (TextContent,))
        if isinstance(part, ImageContent):
            return PartView.image_data(part.mime_type or "image/png", part.base64_image)
        if isinstance(part, FileContent):
            return PartView.file(f"data:{part.mime_type};base64,{part.base64_data}", part.filename)
        return (
            PartView.reasoning(part) if isinstance(part, ReasoningContent) else PartView.own(part)
        )

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if isinstance(part, TextContent):
            return replace(part, text=text)
        if isinstance(part, ToolCall):
            return replace(part, arguments=json.loads(text))
        if isinstance(part.result, str):
            return replace(part, result=text)
        others = [each for each in part.result if not isinstance(each, TextContent)]
        return replace(part, result=[TextContent(text), *others])

    def with_parts(self, message: ChatMessage, parts: list[Any]) -> ChatMessage:
        """A copy with other contents."""
        return replace(message, _content=parts)

    def made(self, role: str, text: str) -> ChatMessage:
        """A message of one text."""
        if role == "assistant":
            return ChatMessage.from_assistant(text)
        return ChatMessage.from_system(text) if role == "system" else ChatMessage.from_user(text)

    def made_result(self, id: str, tool: str, text: str) -> ChatMessage:
        """A message that answers a call."""
        return ChatMessage.from_tool(text, ToolCall(tool, {}, id=id))


def _text(result: Any) -> str:
    if isinstance(result, str):
        return result
    return "\n".join(each.text for each in result if isinstance(each, TextContent))
