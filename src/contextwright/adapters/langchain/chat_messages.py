"""The parts of LangChain's messages: texts, pictures, calls, a result as one."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from contextwright.adapters import legacy_calls as legacy
from contextwright.adapters import provider_blocks as provider
from contextwright.adapters.lone_calls import refusal_of
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.part_view import PartView

_ROLES = {"human": "user", "ai": "assistant", "function": "tool", "chat": "user"}
_TEXTS = {"text", "output_text"}
_REASONING = {"thinking", "redacted_thinking", "reasoning"}
_CALLS = {"tool_call": "tool_calls", "invalid_tool_call": "invalid_tool_calls"}
"""Where calls stand, by their type; the arguments of those that are invalid are no JSON."""
_RESULTS = (ToolMessage, FunctionMessage)
_MEDIA = {"image_url", "file", "input_audio"}


class MessageContent:
    """The contents of a message."""

    def role(self, message: AnyMessage) -> str:
        """The role."""
        return _ROLES.get(message.type, message.type)

    def parts(self, message: AnyMessage) -> Sequence[Any]:
        """Texts, blocks and calls; the whole message where it is a result."""
        calls = legacy.parts_beside(message, _CALLS.values())
        whole = isinstance(message, _RESULTS)
        return [message] if whole else [*provider.blocks_of(message.content), *calls]

    def view(self, part: Any) -> PartView:
        """What a part is. A provider's own block of a call repeats what stands among the calls."""
        if isinstance(part, str):
            return PartView("text", part)
        if isinstance(part, _RESULTS):
            return provider.result_view(part.content, legacy.answered_id(part))
        if _is_call(part):
            return PartView.call(part["id"], part["name"], part["args"])
        if (kind := part.get("type")) in _TEXTS:
            return PartView("text", part["text"])
        if kind in _REASONING:
            return PartView.reasoning(part)
        return provider.block_view(part) or _media(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if isinstance(part, str):
            return text
        if isinstance(part, _RESULTS):
            return part.model_copy(update={"content": provider.result_with(part.content, text)})
        if "args" in part:
            return {**part, "args": json.loads(text) if part["type"] == "tool_call" else text}
        return provider.block_with(part, text)

    def with_parts(self, message: AnyMessage, parts: list[Any]) -> AnyMessage:
        """A copy with other parts; a provider's own blocks of calls follow the calls."""
        if isinstance(message, _RESULTS):
            return parts[0]
        calls = [part for part in parts if _is_call(part)]
        others = [part for part in parts if not (_is_call(part) or legacy.is_beside(part))]
        blocks = provider.following(others, calls)
        content = "".join(blocks) if isinstance(message.content, str) else blocks
        update: dict[str, Any] = {"content": content}
        if isinstance(message, AIMessage):
            update["additional_kwargs"] = legacy.fields_of(message, parts)
            update |= {f: [c for c in calls if c["type"] == kind] for kind, f in _CALLS.items()}
        return message.model_copy(update=update)

    def made(self, role: str, text: str) -> AnyMessage:
        """A message of one text."""
        kinds = {"assistant": AIMessage, "system": SystemMessage, "developer": SystemMessage}
        return kinds.get(role, HumanMessage)(content=text)

    def made_result(self, id: str, tool: str, text: str) -> AnyMessage:
        """A message that answers a call."""
        if id == legacy.id_of(tool):
            return FunctionMessage(content=text, name=tool)
        if answer := refusal_of(id, tool, text):
            return HumanMessage(content=answer)
        return ToolMessage(content=text, tool_call_id=id, name=tool or None)


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in (*_CALLS, legacy.KIND) and "args" in part


def _media(block: dict[str, Any]) -> PartView:
    """A picture or a file, as OpenAI Chat has it; what that does not know is LangChain's."""
    if block.get("type") in provider.FILES:
        return provider.file_view(block)
    try:
        (part,) = dict(convert_to_openai_messages(HumanMessage(content=[block])))["content"]
    except ValueError:
        return PartView.own(block)
    return PartView("media", wire=part) if part["type"] in _MEDIA else PartView.own(block)


MESSAGES = PartedMessages(MessageContent(), lambda text: {"type": "text", "text": text})
