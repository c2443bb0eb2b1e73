"""smolagents' messages as chat messages, and back. Its memory writes the calls of a step, and what
came of them, as texts: they are shown as a call and its result, so that both give way as such."""

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from smolagents.models import ChatMessage, MessageRole

from contextwright.adapters.message_forms import NoReasoning
from contextwright.adapters.message_mapping import Wire, plain_text

_CALLING = "Calling tools:\n"
_ROLES = {MessageRole.TOOL_CALL: "assistant", MessageRole.TOOL_RESPONSE: "user"}


class StepMessages(NoReasoning):
    """The mapping of the messages of one request.

    Args:
        messages: all of them: a result is told by standing behind its call. As an attribute, those
            that are mapped: the pictures of a step stand in its result.
    """

    def __init__(self, messages: Iterable[ChatMessage]) -> None:
        self.messages = _with_pictures(messages)
        self._ids: dict[int, str] = {}
        call: tuple[int, ChatMessage] | None = None
        for place, message in enumerate(self.messages):
            if message.role == MessageRole.TOOL_CALL:
                call = place, message
            elif message.role == MessageRole.TOOL_RESPONSE and call is not None:
                self._ids[id(call[1])] = self._ids[id(message)] = f"step_{call[0]}"
                call = None

    @staticmethod
    def as_memory(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
        """The messages with the pictures of results in front of them, as the memory has them."""
        out: list[ChatMessage] = []
        for message in messages:
            pictures = _pictures(message)
            if pictures and message.role == MessageRole.TOOL_RESPONSE:
                out.append(ChatMessage(role=MessageRole.USER, content=pictures))
                message = replace(message, content=[{"type": "text", "text": _text(message)}])
            out.append(message)
        return out

    def wires(self, message: ChatMessage) -> list[Wire]:
        """The chat message that it is."""
        id_ = self._ids.get(id(message))
        if id_ is not None and message.role == MessageRole.TOOL_CALL:
            calls = [{"id": id_, "type": "function", "function": _function(_text(message))}]
            return [{"role": "assistant", "content": None, "tool_calls": calls}]
        if id_ is not None:
            return [{"role": "tool", "tool_call_id": id_, "content": _content(message)}]
        role = _ROLES.get(message.role, str(getattr(message.role, "value", message.role)))
        return [{"role": role, "content": _content(message)}]

    def changed(self, message: ChatMessage, wires: Mapping[int, Wire]) -> ChatMessage:
        """A copy with another text, other arguments; its pictures stay where they are shown."""
        wire = wires[0]
        if calls := wire.get("tool_calls"):
            text = _with_arguments(_text(message), calls[0]["function"]["arguments"])
        else:
            text = plain_text(wire.get("content"))
        left = wire["content"] if isinstance(wire.get("content"), list) else []
        pictures = _pictures(message) if any(part["type"] != "text" for part in left) else []
        return replace(message, content=[{"type": "text", "text": text}, *pictures])

    def made(self, wire: Wire) -> ChatMessage:
        """A message for what was added."""
        roles = {"assistant": MessageRole.ASSISTANT, "system": MessageRole.SYSTEM}
        role = roles.get(wire["role"], MessageRole.USER)
        text = plain_text(wire.get("content"))
        return ChatMessage(role=role, content=[{"type": "text", "text": text}])


def _with_pictures(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages with a step's pictures in its result: the memory has them as a user's message in
    front of it, which would be news of the user's between a call and its result."""
    made: list[ChatMessage] = []
    for message in messages:
        if message.role == MessageRole.TOOL_RESPONSE and made and _is_pictures(made[-1]):
            message = replace(message, content=[*_items(made.pop()), *_items(message)])
        made.append(message)
    return made


def _is_pictures(message: ChatMessage) -> bool:
    return message.role == MessageRole.USER and _pictures(message) == message.content != []


def _pictures(message: ChatMessage) -> list[dict[str, Any]]:
    return [item for item in _items(message) if item.get("type") != "text"]


def _items(message: ChatMessage) -> list[dict[str, Any]]:
    return message.content if isinstance(message.content, list) else []


def _text(message: ChatMessage) -> str:
    return plain_text(message.content)


def _content(message: ChatMessage) -> Any:
    """A text, or a list where pictures are beside it."""
    if not _pictures(message):
        return _text(message)
    # a picture counts as one; it is itself when it is sent
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    return [item if item["type"] == "text" else image for item in _items(message)]


def _listed(text: str) -> list[Any]:
    """The calls that a step's text names."""
    try:
        calls = ast.literal_eval(text.removeprefix(_CALLING))
    except (SyntaxError, ValueError):
        return []
    return calls if isinstance(calls, list) else []


def _function(text: str) -> dict[str, str]:
    """The name and the arguments of a step's call; of several, all as one."""
    calls = _listed(text)
    name, arguments = "tools", {"calls": calls or text}
    if len(calls) == 1:
        function = calls[0]["function"]
        name, arguments = function["name"], _object(function["arguments"])
    return {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False, default=str)}


def _object(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _with_arguments(text: str, arguments: str) -> str:
    """A step's text with other arguments."""
    calls = _listed(text)
    if len(calls) != 1:
        return _CALLING + arguments
    function = {**calls[0]["function"], "arguments": json.loads(arguments)}
    return _CALLING + str([{**calls[0], "function": function}])
