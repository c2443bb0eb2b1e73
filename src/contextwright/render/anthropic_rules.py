"""The rules of Anthropic Messages, a function a rule (U rules: all providers; AN: this one)."""

import re
from typing import Any

from contextwright.formats.fields import list_if, object_if
from contextwright.formats.tool_schemas import is_hosted
from contextwright.render.shared_rules import (
    Broken,
    Rule,
    numbered,
    parts_of,
    text_in,
    text_is_encodable,
    tools_are_named_once,
    turns_alternate,
)

_ID = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _tools(request: Any) -> list[Any] | None:
    return list_if(request["tools"]) if request.get("tools") is not None else None


_tool_names = tools_are_named_once(_tools, _NAME.pattern)


def _of(message: Any, kind: str) -> list[Any]:
    return [part for part in parts_of(message) if part.get("type") == kind]


def calls_are_answered_next(request: Any) -> Broken:
    """AN2, AN3: the next message begins with a result for each call, and for nothing else."""
    waiting: list[str] = []
    for where, message in numbered(request, "messages"):
        results, calls = list[str](), list[str]()
        says_else = is_behind = False
        for part in parts_of(message):
            kind = part.get("type")
            if kind == "tool_result":
                results.append(text_in(part, "tool_use_id"))
                is_behind = is_behind or says_else
                continue
            says_else = True
            if kind == "tool_use":
                calls.append(text_in(part, "id"))
        if sorted(results) != sorted(waiting):
            yield where, f"results for {results}, calls of {waiting} before it"
        if is_behind:
            yield where, "a result behind something else"
        waiting = calls
    if waiting:
        yield "messages", f"the calls {waiting} are not answered"


def ids_of(message: Any) -> list[str]:
    """The ids of a message that no other one may have (AN4)."""
    return [text_in(part, "id") for part in _of(object_if(message), "tool_use")]


def ids_are_unique(request: Any) -> Broken:
    """AN4: ids of calls are unique and of plain characters; names too (AN13)."""
    seen: set[str] = set()
    for where, message in numbered(request, "messages"):
        for part in _of(message, "tool_use"):
            id, name = text_in(part, "id"), text_in(part, "name")
            if id in seen or not _ID.fullmatch(id):
                yield where, f"the call id {id!r}"
            if not _NAME.fullmatch(name):
                yield where, f"the tool name {name!r}"
            seen.add(id)


def calls_come_last(request: Any) -> Broken:
    """AN5: nothing but calls stands behind a call of the same message."""
    for where, message in numbered(request, "messages"):
        kinds = [part.get("type") for part in parts_of(message)]
        if "tool_use" in kinds and set(kinds[kinds.index("tool_use") :]) != {"tool_use"}:
            yield where, "something stands behind a call"


def no_text_is_blank(request: Any) -> Broken:
    """AN6: no blank text, no empty content."""
    for where, message in numbered(request, "messages"):
        if not message.get("content"):
            yield where, "empty content"
        if any(not text_in(part, "text").strip() for part in _of(message, "text")):
            yield where, "a blank text"
    for place, part in enumerate(parts_of(request, "system")):
        if part.get("type") == "text" and not text_in(part, "text").strip():
            yield f"system[{place}]", "a blank text"


def thinking_is_signed(request: Any) -> Broken:
    """AN8: reasoning is the assistant's and carries its signature."""
    for where, message in numbered(request, "messages"):
        for part in _of(message, "thinking"):
            if message.get("role") != "assistant" or not part.get("signature"):
                yield where, "reasoning without a signature, or not the assistant's"


def history_with_calls_has_tools(request: Any) -> Broken:
    """AN9, AN13: tools are named once, their schemas are objects, and used calls need some."""
    yield from _tool_names(request)
    tools = list_if(request.get("tools"))
    if "tools" not in request:
        if any(_of(message, "tool_use") for _, message in numbered(request, "messages")):
            yield "tools", "calls in the history, no tools"
    for place, tool in enumerate(map(object_if, tools)):
        if not is_hosted(tool) and object_if(tool.get("input_schema")).get("type") != "object":
            yield f"tools[{place}]", "a schema that is not an object's"


def breakpoints_are_few(request: Any) -> Broken:
    """AN10: four breakpoints at most, none on reasoning."""
    parts = [*parts_of(request, "tools"), *parts_of(request, "system")]
    marked = [part for part in parts if part.get("cache_control")]
    for _, message in numbered(request, "messages"):
        content: Any = message.get("content")
        for part in content if isinstance(content, list) else ():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(part, dict) and part.get("cache_control"):  # pyright: ignore[reportUnknownMemberType]
                marked.append(part)  # pyright: ignore[reportUnknownArgumentType]
    if len(marked) > 4:
        yield "cache_control", f"{len(marked)} breakpoints"
    if any("thinking" in str(part.get("type")) for part in marked):
        yield "cache_control", "a breakpoint on reasoning"


def answer_has_room(request: Any) -> Broken:
    """max_tokens is at least 1."""
    limit = request.get("max_tokens")
    if isinstance(limit, int) and limit < 1:
        yield "max_tokens", "no room for an answer"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "AN1": turns_alternate("messages", "assistant"),  # and AN7
    "AN2": calls_are_answered_next,
    "AN4": ids_are_unique,
    "AN5": calls_come_last,
    "AN6": no_text_is_blank,
    "AN8": thinking_is_signed,
    "AN9": history_with_calls_has_tools,
    "AN10": breakpoints_are_few,
    "AN12": answer_has_room,
}
