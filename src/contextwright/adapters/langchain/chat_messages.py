"""The parts of LangChain's messages: texts, pictures, calls, a result as one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from contextwright.adapters.message_parts import PartedMessages, PartView
from contextwright.adapters.message_sources import plain_text

_ROLES = {"human": "user", "ai": "assistant", "function": "user", "chat": "user"}
_TEXTS = {"text", "output_text"}
_REASONING = {"thinking", "redacted_thinking", "reasoning"}
_CALLS = {"tool_use", "function_call"}
_CITED = {"citations", "annotations"}
_CACHE = "cache_control"
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
        return [*_blocks(message.content), *calls]

    def view(self, part: Any) -> PartView:
        """What a part is. A provider's own block of a call repeats what stands among the calls."""
        if isinstance(part, str):
            return PartView("text", part)
        if isinstance(part, ToolMessage):
            return PartView("result", plain_text(_texts(part)), part.tool_call_id)
        kind = part.get("type")
        if kind == "tool_call" and "args" in part:
            return PartView.call(part["id"], part["name"], part["args"])
        if kind in _TEXTS:
            return PartView("text", part["text"])
        if kind in _REASONING:
            return PartView("reasoning")
        return PartView("opaque") if kind in _CALLS else _media(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay. What is cited
        was another text's."""
        if isinstance(part, str):
            return text
        if isinstance(part, ToolMessage):
            return part.model_copy(update={"content": _result(part, text)})
        if "args" in part:
            return {**part, "args": json.loads(text)}
        return {**{key: part[key] for key in part if key not in _CITED}, "text": text}

    def with_parts(self, message: AnyMessage, parts: list[Any]) -> AnyMessage:
        """A copy with other parts; a provider's own blocks of calls follow the calls."""
        if isinstance(message, ToolMessage):
            return parts[0]
        calls = [part for part in parts if _is_call(part)]
        left: dict[str, list[Any]] = {}  # two may have one id
        for call in calls:
            left.setdefault(call["id"], []).append(call)
        own = (_followed(part, left) for part in parts if not _is_call(part))
        content: Any = [block for block in own if block is not None]
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


def system_texts(message: SystemMessage) -> list[str]:
    """The texts of its blocks; none of those that are empty."""
    return [text for block in _blocks(message.content) if (text := _block_text(block))]


def system_with(message: SystemMessage, texts: Sequence[str]) -> SystemMessage:
    """A copy with other texts: each in its block, where there are as many.

    Args:
        message: as the agent has it.
        texts: of now, in order.
    """
    if isinstance(message.content, str) or len(texts) != len(system_texts(message)):
        return message.model_copy(update={"content": "\n\n".join(texts)})
    new = iter(texts)
    blocks = _blocks(message.content)
    content = [_with_text(block, next(new)) if _block_text(block) else block for block in blocks]
    return message.model_copy(update={"content": content})


def _with_text(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _blocks(content: Any) -> list[Any]:
    return ([content] if content else []) if isinstance(content, str) else list(content)


def _block_text(block: Any) -> str:
    return block if isinstance(block, str) else str(block.get("text") or "")


def _texts(result: ToolMessage) -> list[dict[str, Any]]:
    """The blocks of a result that are texts."""
    blocks = ({"text": b} if isinstance(b, str) else b for b in _blocks(result.content))
    return [{**block, "type": "text"} for block in blocks if "text" in block]


def _result(result: ToolMessage, text: str) -> Any:
    """The content of a result with another text, its pictures and its mark of a cache."""
    others = [b for b in _blocks(result.content) if isinstance(b, dict) and "text" not in b]
    marks = [block[_CACHE] for block in _texts(result) if _CACHE in block]
    mark = {_CACHE: marks[-1]} if marks else {}
    return [{"type": "text", "text": text, **mark}, *others] if others or mark else text


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


def _followed(block: Any, calls: Mapping[str, list[Any]]) -> Any:
    """A provider's own block of a call with the arguments of now; None where the call is gone.

    Args:
        calls: those that have no block yet, by their ids.
    """
    if not isinstance(block, dict) or block.get("type") not in _CALLS:
        return block
    same = calls.get(str(block.get("call_id") or block.get("id")))
    if not same:
        return None
    call = same.pop(0)
    if block["type"] == "function_call":
        return {**block, "arguments": json.dumps(call["args"], ensure_ascii=False)}
    return {**block, "input": call["args"]}


MESSAGES = PartedMessages(MessageContent())
