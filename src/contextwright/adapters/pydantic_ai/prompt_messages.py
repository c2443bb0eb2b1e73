"""pydantic-ai's messages as chat messages, and back: a part is one chat message, a response is
one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from contextwright.adapters.message_mapping import Wire, plain_text

_SILENT = "(no text)"
"""Stands for a response that has neither text nor calls, such as one that only thinks."""


class PromptMessages:
    """The mapping of pydantic-ai's messages."""

    def wires(self, message: ModelMessage) -> list[Wire]:
        """A chat message for each part of a request; one for a response."""
        if isinstance(message, ModelResponse):
            return [_response_wire(message)]
        return [_part_wire(part) for part in message.parts]

    def changed(self, message: ModelMessage, wires: Mapping[int, Wire]) -> ModelMessage:
        """The message with what is left of its parts; reasoning and the like stay as they are."""
        if isinstance(message, ModelResponse):
            return _changed_response(message, wires[0])
        parts = list(message.parts)
        left = [_changed_part(parts[number], wire) for number, wire in sorted(wires.items())]
        return replace(message, parts=left)

    def made(self, wire: Wire) -> ModelMessage:
        """A request for what was added, as the user's; a response where it is the assistant's."""
        text = plain_text(wire.get("content"))
        if wire["role"] == "assistant":
            return ModelResponse(parts=[TextPart(content=text)])
        return ModelRequest(parts=[UserPromptPart(content=text)])

    def without_reasoning(self, message: ModelMessage) -> ModelMessage:
        """A response without its reasoning."""
        parts = [part for part in message.parts if not isinstance(part, ThinkingPart)]
        if isinstance(message, ModelRequest) or len(parts) == len(message.parts):
            return message
        return replace(message, parts=parts)


def _part_wire(part: Any) -> Wire:
    """One part of a request."""
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, ToolReturnPart):
        text = part.model_response_str()
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": text}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _user_content(part)}
    # a retry, of a call or not, says what the model is shown of it
    answer = getattr(part, "model_response", None)
    text = answer() if callable(answer) else repr(part)
    if getattr(part, "tool_name", None):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": text}
    return {"role": "user", "content": text}


def _user_content(part: UserPromptPart) -> Any:
    if isinstance(part.content, str):
        return part.content
    return [_item_wire(item) for item in part.content]


def _item_wire(item: Any) -> Wire:
    """One item of a user's prompt."""
    text = item if isinstance(item, str) else getattr(item, "content", None)
    if isinstance(text, str):
        return {"type": "text", "text": text}
    if isinstance(item, ImageUrl):
        return {"type": "image_url", "image_url": {"url": item.url}}
    if isinstance(item, BinaryContent) and item.is_image:
        return {"type": "image_url", "image_url": {"url": item.data_uri}}
    if isinstance(item, BinaryContent):
        return {"type": "file", "file": {"file_data": item.data_uri, "filename": item.identifier}}
    return {"type": "text", "text": f"[{type(item).__name__}]"}


def _changed_part(part: Any, wire: Wire) -> Any:
    """The part with new content; itself where it says the same."""
    before = _part_wire(part)
    if wire == before:
        return part
    content = wire.get("content")
    if isinstance(part, UserPromptPart) and isinstance(content, list):
        items = {str(_item_wire(item)): item for item in part.content}
        return replace(part, content=[items.get(str(each), plain_text([each])) for each in content])
    return replace(part, content=plain_text(content))


def _response_wire(message: ModelResponse) -> Wire:
    texts = [part.content for part in message.parts if isinstance(part, TextPart)]
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "\n\n".join(texts)
    if calls:
        return {"role": "assistant", "content": text or None, "tool_calls": calls}
    return {"role": "assistant", "content": text or _SILENT}


def _changed_response(message: ModelResponse, wire: Wire) -> ModelResponse:
    """The response with other texts and arguments; its other parts stand where they stood."""
    arguments = {c["id"]: c["function"]["arguments"] for c in wire.get("tool_calls") or ()}
    before = _response_wire(message).get("content")
    text = wire.get("content")
    texts = [] if text == before else [TextPart(content=plain_text(text))] if text else []
    parts: list[Any] = []
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            if part.tool_call_id in arguments:
                same = arguments[part.tool_call_id] == part.args_as_json_str()
                new = part if same else replace(part, args=arguments[part.tool_call_id])
                parts.append(new)
        elif isinstance(part, TextPart) and text != before:
            parts += texts
            texts = []
        else:
            parts.append(part)
    return replace(message, parts=parts)
