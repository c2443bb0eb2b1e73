"""Calls of OpenAI Responses that are no function's: of a shell, a patch, a computer, a tool that
takes a text, and of kinds that came later. Each is answered by an item of its own kind, and stands
or goes with it."""

from collections.abc import Iterable, Mapping
from typing import Any

from contextwright.formats.fields import Fields, Json, object_if, text_if, text_of, value_of
from contextwright.session.event import ToolCall

NAME = "openai-responses"
Pairs = Mapping[str, str]
"""Their ids by what their outputs name."""
_LONG_KNOWN = {"custom_tool_call", "local_shell_call"}
"""Kinds that are calls before anything answers them."""
_OBJECTS = ("action", "operation")
"""Where a call says what is to be done."""
_NOT_ANSWERED = {"function_call", "tool_search_call"}
"""Calls that are read as what they are, and those that define what a model may call."""
OUTPUT = "_output"
_REQUEST, APPROVAL = "mcp_approval_request", "mcp_approval_response"
"""A call of a tool of the provider's that waits for the user, and what the user says to it."""


def pairs_of(items: Iterable[Json]) -> Pairs:
    """The calls among these items that an item of their own kind answers."""
    listed = list(items)
    answered = {
        (text_if(item.get("type")), id)
        for item in listed
        if text_if(item.get("type")).endswith(f"_call{OUTPUT}")
        for id in (text_if(item.get("call_id")), text_if(item.get("id")))
    }
    named: dict[str, str] = {}
    for item in listed:
        kind, id = text_if(item.get("type")), text_if(item.get("call_id"))
        if not id or not kind.endswith("_call") or kind in _NOT_ANSWERED:
            continue
        own = text_if(item.get("id"), id)
        is_answered = not answered.isdisjoint({(kind + OUTPUT, id), (kind + OUTPUT, own)})
        if _has_arguments(item, kind) if kind in _LONG_KNOWN else is_answered:
            named |= {id: id, own: id}
    return named | _approvals(listed)


def _approvals(items: list[Json]) -> dict[str, str]:
    """The requests for an approval that one of the items answers."""
    answered = {
        text_if(one.get("approval_request_id")) for one in items if one.get("type") == APPROVAL
    }
    requested = (text_if(one.get("id")) for one in items if one.get("type") == _REQUEST)
    return {id: id for id in requested if id and id in answered}


def _has_arguments(item: Json, kind: str) -> bool:
    if kind == "local_shell_call":
        return isinstance(item.get("action"), dict)
    return isinstance(item.get("name"), str) and isinstance(item.get("input"), str)


def is_call(item: Json, pairs: Pairs) -> bool:
    """Whether an item calls something: a function, or what one of the pairs answers."""
    kind = text_if(item.get("type"))
    if kind == "function_call":
        return True
    if kind == _REQUEST:
        return text_if(item.get("id")) in pairs
    return kind.endswith("_call") and text_if(item.get("call_id")) in pairs


def is_output(item: Json) -> bool:
    """Whether an item is the output of a call that is no function's."""
    kind = text_if(item.get("type"))
    known = kind.endswith(f"_call{OUTPUT}") and kind.removesuffix(OUTPUT) not in _NOT_ANSWERED
    return known or kind == APPROVAL


def answered_by(item: Json, pairs: Pairs) -> str:
    """The id of the call that an output answers; empty where it is none of the pairs."""
    if item.get("type") == APPROVAL:
        return pairs.get(text_if(item.get("approval_request_id")), "")
    return pairs.get(text_if(item.get("call_id")) or text_if(item.get("id")), "")


def call_of(item: Fields, kind: str) -> ToolCall:
    """The call that an item is, with its text, its command or its patch for its arguments."""
    mark = {NAME: {"type": kind}}
    if kind == _REQUEST:
        name, arguments = item.text("name", ""), item.text("arguments", "{}")
        return ToolCall(id=item.text("id"), name=name, arguments=arguments, extra=mark)
    id = item.text("call_id")
    if kind == "custom_tool_call":
        arguments = text_of({"input": item.text("input")})
        return ToolCall(id=id, name=item.text("name"), arguments=arguments, extra=mark)
    field = next((key for key in _OBJECTS if isinstance(item.get(key), dict)), "")
    mark[NAME]["field"] = field
    name, arguments = kind.removesuffix("_call"), text_of(object_if(item.get(field)))
    return ToolCall(id=id, name=name, arguments=arguments, extra=mark)


def call_item(part: ToolCall) -> Json:
    """The item that a call is."""
    own = part.extra.get(NAME, {})
    kind = own.get("type", "function_call")
    if kind == _REQUEST:
        return {"type": kind, "id": part.id, "name": part.name, "arguments": part.arguments}
    call: Json = {"type": kind, "call_id": part.id}
    if kind == "function_call":
        return {**call, "name": part.name, "arguments": part.arguments}
    if kind == "custom_tool_call":
        text = object_if(value_of(part.arguments)).get("input", "")
        return {**call, "name": part.name, "input": text}
    field = own.get("field", "action")
    return {**call, field: value_of(part.arguments)} if field else call


def chunk_text(chunk: Any) -> str | None:
    """What a shell printed, of a chunk of its output; None for what is no chunk."""
    fields = object_if(chunk)
    printed = [text for key in ("stdout", "stderr") if isinstance(text := fields.get(key), str)]
    return "\n".join(filter(None, printed)) if printed else None
