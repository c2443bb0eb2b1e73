"""LangChain's messages as chat messages, and back."""

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from contextwright.adapters.message_mapping import Wire, plain_text

_REASONING = {"thinking", "redacted_thinking", "reasoning"}
_CALLS = {"tool_use", "tool_call", "function_call"}
_KINDS = {"assistant": AIMessage, "system": SystemMessage, "developer": SystemMessage}


class ChatMessages:
    """The mapping of LangChain's messages; each is one chat message."""

    def wires(self, message: AnyMessage) -> list[Wire]:
        """The message as OpenAI Chat has it; reasoning and the like are not shown."""
        if isinstance(message, ToolMessage):
            text = _text(message)
            return [{"role": "tool", "tool_call_id": message.tool_call_id, "content": text}]
        if not isinstance(message, AIMessage):
            wire: Any = convert_to_openai_messages(message)
            return [{"role": wire["role"], "content": wire["content"]}]
        wire = {"role": "assistant", "content": _text(message) or None}
        if message.tool_calls:
            wire["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": _json(call["args"])},
                }
                for call in message.tool_calls
            ]
        elif wire["content"] is None:
            wire["content"] = "(no text)"
        return [wire]

    def changed(self, message: AnyMessage, wires: Mapping[int, Wire]) -> AnyMessage:
        """A copy with another text, other arguments."""
        wire, before = wires[0], self.wires(message)[0]
        if not isinstance(message, AIMessage):
            return message.model_copy(update={"content": wire["content"]})
        calls = {call["id"]: json.loads(call["function"]["arguments"]) for call in _calls(wire)}
        content: Any = message.content
        if wire["content"] != before["content"]:
            content = _with_text(content, plain_text(wire["content"]))
        if isinstance(content, list):
            content = [_with_arguments(block, calls) for block in content]
        tool_calls = [
            {**call, "args": calls[call["id"]]}
            for call in message.tool_calls
            if call["id"] in calls
        ]
        extra = {k: v for k, v in message.additional_kwargs.items() if k != "tool_calls"}
        update = {"content": content, "tool_calls": tool_calls, "additional_kwargs": extra}
        return message.model_copy(update=update)

    def made(self, wire: Wire) -> AnyMessage:
        """A message for what was added."""
        return _KINDS.get(wire["role"], HumanMessage)(content=wire["content"])

    def without_reasoning(self, message: AnyMessage) -> AnyMessage:
        """The message without its blocks of reasoning."""
        content: Any = message.content
        if not isinstance(message, AIMessage) or not isinstance(content, list):
            return message
        left = [block for block in content if _kind(block) not in _REASONING]
        return (
            message if len(left) == len(content) else message.model_copy(update={"content": left})
        )


def _kind(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, dict) else "text"


def _text(message: AIMessage | ToolMessage) -> str:
    """The texts of a message, without reasoning and calls."""
    content: Any = message.content
    if isinstance(content, str):
        return content
    texts = [block if isinstance(block, str) else block.get("text", "") for block in content]
    return "\n".join(text for text in texts if text)


def _calls(wire: Wire) -> list[Any]:
    return wire.get("tool_calls") or []


def _json(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _with_text(content: Any, text: str) -> Any:
    """A content with another text; blocks of other kinds stand where they stood."""
    if isinstance(content, str):
        return text
    blocks = [block for block in content if _kind(block) not in {"text", "output_text"}]
    first = next(
        (n for n, block in enumerate(content) if _kind(block) in {"text", "output_text"}),
        len(blocks),
    )
    return [*blocks[:first], {"type": "text", "text": text}, *blocks[first:]] if text else blocks


def _with_arguments(block: Any, calls: Mapping[str, Any]) -> Any:
    """A block of a call with the arguments of now, in whichever provider's form."""
    id = str(block.get("call_id") or block.get("id")) if _kind(block) in _CALLS else ""
    if id not in calls:
        return block
    if _kind(block) == "function_call":
        return {**block, "arguments": _json(calls[id])}
    return {**block, ("args" if "args" in block else "input"): calls[id]}
