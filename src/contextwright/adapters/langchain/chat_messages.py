"""The parts of LangChain's messages: texts, pictures, calls, a result as one."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.part_view import PartView
from contextwright.adapters.provider_blocks import (
    NATIVE_CALLS,
    blocks_of,
    following,
    result_text,
    result_with,
)

_ROLES = {"human": "user", "ai": "assistant", "function": "user", "chat": "user"}
_TEXTS = {"text", "output_text"}
_REASONING = {"thinking", "redacted_thinking", "reasoning"}
_CITED = {"citations", "annotations"}
_MEDIA = {"image_url", "file", "input_audio"}


class MessageContent:
    """The contents of a message."""

    def role(self, message: AnyMessage) -> str:
        """The role."""
        return _ROLES.get(message.type, message.type)

    def parts(self, message: AnyMessage) -> Sequence[Any]:
        """Texts, blocks and calls; the whole message where it is a result."""
        if isinstance(message, ToolMessage):
            return [message]
        calls = message.tool_calls if isinstance(message, AIMessage) else []
        return [*blocks_of(message.content), *calls]

    def view(self, part: Any) -> PartView:
        """What a part is. A provider's own block of a call repeats what stands among the calls."""
        if isinstance(part, str):
            return PartView("text", part)
        if isinstance(part, ToolMessage):
            return PartView("result", result_text(part.content), part.tool_call_id)
        kind = part.get("type")
        if kind == "tool_call" and "args" in part:
            return PartView.call(part["id"], part["name"], part["args"])
        if kind in _TEXTS:
            return PartView("text", part["text"])
        if kind in _REASONING:
            return PartView.reasoning(part)
        return PartView("opaque") if kind in NATIVE_CALLS else _media(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay. What is cited
        was another text's."""
        if isinstance(part, str):
            return text
        if isinstance(part, ToolMessage):
            return part.model_copy(update={"content": result_with(part.content, text)})
        if "args" in part:
            return {**part, "args": json.loads(text)}
        return {**{key: part[key] for key in part if key not in _CITED}, "text": text}

    def with_parts(self, message: AnyMessage, parts: list[Any]) -> AnyMessage:
        """A copy with other parts; a provider's own blocks of calls follow the calls."""
        if isinstance(message, ToolMessage):
            return parts[0]
        calls = [part for part in parts if _is_call(part)]
        content: Any = following([part for part in parts if not _is_call(part)], calls)
        if isinstance(message.content, str):
            content = "".join(content)
        update: dict[str, Any] = {"content": content}
        if isinstance(message, AIMessage):
            extra = {k: v for k, v in message.additional_kwargs.items() if k != "tool_calls"}
            update |= {"tool_calls": calls, "additional_kwargs": extra}
        return message.model_copy(update=update)

    def made(self, role: str, text: str) -> AnyMessage:
        """A message of one text."""
        kinds = {"assistant": AIMessage, "system": SystemMessage, "developer": SystemMessage}
        return kinds.get(role, HumanMessage)(content=text)


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_call" and "args" in part


def _media(block: dict[str, Any]) -> PartView:
    """A picture or a file, as OpenAI Chat has it; what that does not know is LangChain's."""
    try:
        wire: Any = convert_to_openai_messages(HumanMessage(content=[block]))
    except ValueError:
        return PartView.own(block)
    part = wire["content"][0]
    return PartView("media", wire=part) if part["type"] in _MEDIA else PartView.own(block)


MESSAGES = PartedMessages(MessageContent())
