"""What a message says, in the shapes that SDKs write it: their dicts beside our parts.

Texts, calls of functions and their messages: what people write by hand. Whole conversations, with
pictures and files, are read by `contextwright.session_from`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from contextwright.errors import SessionError
from contextwright.session.event import AnyPart, Part, Text, ToolCall

_TEXTS = {"text", "input_text", "output_text"}
_FIX = (
    "give text, or Text, ToolCall, ToolResult, Image, File, Thinking; messages of an SDK are read "
    "by session_from([...])"
)


def parts_of(value: Any, role: str, where: str) -> Iterator[AnyPart]:
    """The parts that a value stands for: a text, a part, an SDK's content block, a list of them,
    or a whole message of the same role.

    Args:
        role: of the message that it becomes.
        where: names the message in errors.

    Raises:
        SessionError: none of these.
    """
    if isinstance(value, str):
        yield Text(text=value)
    elif isinstance(value, Part):
        yield cast(AnyPart, value)
    elif isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from parts_of(item, role, where)
    elif isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        yield from _message(fields, role, where) if "role" in fields else _block(fields, where)
    else:
        raise SessionError(
            f"expected a message part, got {type(value).__name__}", where=where, fix=_FIX
        )


def _message(message: Mapping[str, Any], role: str, where: str) -> Iterator[AnyPart]:
    if message["role"] != role:
        raise SessionError(
            f"expected a message of role {role!r}, got one of {message['role']!r}",
            where=where,
            fix=f'session.add("{message["role"]}", ...), or session_from([...]) for a conversation',
        )
    content = message.get("content")
    yield from parts_of([] if content is None else content, role, where)
    for call in message.get("tool_calls") or ():
        yield from _block(call, where)


def _block(block: Mapping[str, Any], where: str) -> Iterator[AnyPart]:
    function = block.get("function")
    if block.get("type") in _TEXTS and isinstance(block.get("text"), str):
        yield Text(text=block["text"])
    elif isinstance(function, Mapping) and isinstance(block.get("id"), str):
        named = cast("Mapping[str, Any]", function)
        yield ToolCall(
            id=block["id"],
            name=str(named.get("name", "")),
            arguments=str(named.get("arguments", "{}")),
        )
    else:
        kind = block.get("type", "no type")
        raise SessionError(
            f"expected a block of text or a tool call, got {kind!r} with {', '.join(block)}",
            where=where,
            fix=_FIX,
        )
