"""The parts of inspect_ai's messages: contents, the calls beside them, a result as one."""

import json
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    Model,
)
from inspect_ai.tool import ToolCall, ToolInfo

from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.part_view import PartView


class ChatContent:
    """The contents of a message."""

    def role(self, message: ChatMessage) -> str:
        """The role."""
        return message.role

    def parts(self, message: ChatMessage) -> Sequence[Any]:
        """Texts, contents and calls; the whole message where it is a result."""
        if isinstance(message, ChatMessageTool):
            return [message]
        content = message.content
        calls = message.tool_calls or [] if isinstance(message, ChatMessageAssistant) else []
        return [*([content] if isinstance(content, str) else content), *calls]

    def view(self, part: Any) -> PartView:
        """What a part is; of a result that is an error, what the model is shown of it."""
        if isinstance(part, str | ContentText):
            return PartView("text", part if isinstance(part, str) else part.text)
        if isinstance(part, ToolCall):
            return PartView.call(part.id, part.function, part.arguments)
        if isinstance(part, ChatMessageTool):
            text = part.error.message if part.error else part.text
            return PartView.result(text, part.tool_call_id, part.content, (ContentText,))
        if isinstance(part, ContentImage):
            return PartView.image(part.image)
        if isinstance(part, ContentReasoning):
            return PartView.reasoning(part, sealed="reasoning" if part.redacted else "")
        address = str(getattr(part, part.type, ""))  # of a document, a sound, a film
        is_held = address.startswith("data:")
        name = getattr(part, "filename", None)
        return PartView.file(address, name) if is_held else PartView.own(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if isinstance(part, str):
            return text
        if isinstance(part, ContentText):
            return part.model_copy(update={"text": text})
        if isinstance(part, ToolCall):
            return ToolCall(**{**vars(part), "arguments": json.loads(text)})
        if part.error is not None:
            error = type(part.error)(part.error.type, text)
            return part.model_copy(update={"error": error})
        content: Any = text
        if not isinstance(part.content, str):
            others = [each for each in part.content if not isinstance(each, ContentText)]
            content = [ContentText(text=text), *others]
        return part.model_copy(update={"content": content})

    def with_parts(self, message: ChatMessage, parts: list[Any]) -> ChatMessage:
        """A copy with other parts, of the same id."""
        if isinstance(message, ChatMessageTool):
            return parts[0]
        content = [part for part in parts if not isinstance(part, ToolCall)]
        update: dict[str, Any] = {"content": content}
        if isinstance(message.content, str):
            update["content"] = "".join(content)
        if isinstance(message, ChatMessageAssistant):
            calls = [part for part in parts if isinstance(part, ToolCall)]
            update["tool_calls"] = calls or None
        return message.model_copy(update=update)

    def made(self, role: str, text: str) -> ChatMessage:
        """A message of one text."""
        kinds = {"assistant": ChatMessageAssistant, "system": ChatMessageSystem}
        return kinds.get(role, ChatMessageUser)(content=text)

    def made_result(self, id: str, tool: str, text: str) -> ChatMessage:
        """A message that answers a call."""
        return ChatMessageTool(content=text, tool_call_id=id, function=tool)


CHAT = PartedMessages(ChatContent(), lambda text: ContentText(text=text))


def mapped(
    model: Model, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]
) -> MappedRequest[Any]:
    """A request of inspect_ai's as a body."""
    parameters = (tool.parameters.model_dump(exclude_none=True) for tool in tools)
    return MappedRequest(
        CHAT,
        messages,
        model=model.name,
        tools=(
            function_schema(tool.name, tool.description, each)
            for tool, each in zip(tools, parameters, strict=True)
        ),
    )
