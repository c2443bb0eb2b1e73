"""Calls of OpenAI Responses that are no function's: of a shell, a patch, a computer, a tool that
takes a text, and of kinds that came later. Each is answered by an item of its own kind, and stands
or goes with it. A program of the provider's, its calls, what they gave it and its output are its
own: one event, as they came (ADR 96)."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from contextwright.formats.fields import Fields, Json, call_object, object_if, text_if, text_of
from contextwright.session.event import NO_FIELDS, ToolCall

NAME = "openai-responses"


class Pairs(msgspec.Struct, frozen=True):
    """Which items of a list belong to each other.

    Args:
        answered: the ids of calls by what their outputs name.
        programs: the program that an id is of: its own, and those of the calls that it makes.
    """

    answered: Mapping[str, str] = NO_FIELDS
    programs: Mapping[str, str] = NO_FIELDS


_LONG_KNOWN = {"custom_tool_call", "local_shell_call"}
"""Kinds that are calls before anything answers them."""
_OBJECTS = ("action", "operation")
"""Where a call says what is to be done."""
_NOT_ANSWERED = {"function_call", "tool_search_call"}
"""Calls that are read as what they are, and those that define what a model may call."""
OUTPUT, PROGRAM = "_output", "program"
_MADE = {PROGRAM, "mcp_list_tools", "mcp_approval_request"}
_REQUEST, APPROVAL = "mcp_approval_request", "mcp_approval_response"
"""A call of a tool of the provider's that waits for the user, and what the user says to it."""


def pairs_of(items: Iterable[Json]) -> Pairs:
    """The calls among these items that an item of their own kind answers, and those of programs."""
    listed = list(items)
    programs = _programs(listed)
    if programs:
        inside = Pairs(programs=programs)
        listed = [item for item in listed if not program_of(item, inside)]
    return Pairs(_answered(listed) | _approvals(listed), programs)


def _programs(items: list[Json]) -> dict[str, str]:
    own = (text_if(item.get("call_id")) for item in items if item.get("type") == PROGRAM)
    programs = {id: id for id in own if id}
    called = {
        text_if(item.get("call_id")): programs[by]
        for item in (items if programs else ())
        if (by := _caller(item)) in programs
    }
    return called | programs


def _caller(item: Json) -> str:
    """The program that made a call, or that is given its output."""
    caller = object_if(item.get("caller"))
    return text_if(caller.get("caller_id")) if caller.get("type") == PROGRAM else ""


def is_of_program(item: Json) -> bool:
    """Whether an item belongs to a program, be it there or not."""
    return item.get("type") == PROGRAM + OUTPUT or bool(_caller(item))


def program_of(item: Json, pairs: Pairs) -> str:
    """The program that an item is, that called it, or that it answers; empty where none did."""
    if not pairs.programs:
        return ""
    kind = text_if(item.get("type"))
    if kind == PROGRAM or kind.endswith(OUTPUT):
        return pairs.programs.get(text_if(item.get("call_id")), "")
    return pairs.programs.get(_caller(item), "")


def _answered(listed: list[Json]) -> dict[str, str]:
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
    return named


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
    if program_of(item, pairs):
        return False
    if kind == "function_call":
        return True
    if kind == _REQUEST:
        return text_if(item.get("id")) in pairs.answered
    return kind.endswith("_call") and text_if(item.get("call_id")) in pairs.answered


def is_made(item: Json, pairs: Pairs) -> bool:
    """Whether the model made an item that is neither words nor a call of the caller's tools: a
    program, or a call of a tool that runs at the provider. Reasoning in front of it led to it."""
    kind = text_if(item.get("type"))
    return kind in _MADE or (kind.endswith("_call") and not is_call(item, pairs))


def is_output(item: Json) -> bool:
    """Whether an item is the output of a call that is no function's."""
    kind = text_if(item.get("type"))
    known = kind.endswith(f"_call{OUTPUT}") and kind.removesuffix(OUTPUT) not in _NOT_ANSWERED
    return known or kind == APPROVAL


def answered_by(item: Json, pairs: Pairs) -> str:
    """The id of the call that an output answers; empty where it is none of the pairs."""
    if item.get("type") == APPROVAL:
        return pairs.answered.get(text_if(item.get("approval_request_id")), "")
    return pairs.answered.get(text_if(item.get("call_id")) or text_if(item.get("id")), "")


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
        text = call_object(part.arguments).get("input", "")
        return {**call, "name": part.name, "input": text}
    field = own.get("field", "action")
    return {**call, field: call_object(part.arguments)} if field else call


def chunk_text(chunk: Any) -> str | None:
    """What a shell printed, of a chunk of its output; None for what is no chunk."""
    fields = object_if(chunk)
    printed = [text for key in ("stdout", "stderr") if isinstance(text := fields.get(key), str)]
    return "\n".join(filter(None, printed)) if printed else None
