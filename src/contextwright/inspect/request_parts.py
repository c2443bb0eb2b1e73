"""A request as a list of parts, message by message, in the order in which the model reads it.

Read from the bytes that are sent and not from the blocks: what the page shows is what leaves. Every
provider's shape is told by its keys; a part of a shape that nobody knows is shown as JSON.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import msgspec

from contextwright.render.renderer import Request

_ROLES = {"model": "assistant", "developer": "system", "function": "tool"}
_MEDIA = ("image", "image_url", "input_image", "document", "file", "input_file", "inline_data")


class RequestPart(msgspec.Struct, frozen=True):
    """A piece of a request.

    Args:
        message: the place of its message, counted from 0; -1 for the instruction.
        role: `system`, `user`, `assistant`, `tool`.
        kind: `text`, `call`, `result`, `thinking`, `media`, `other`.
        text: as sent; of a call its arguments, of media what it is.
        call_id, name: of a call and of its result, where the provider says them.
    """

    message: int
    role: str
    kind: str
    text: str
    call_id: str = ""
    name: str = ""


def request_parts(request: Request) -> list[RequestPart]:
    """The parts of a request's instruction and conversation."""
    if isinstance(request.get("text"), str) and "messages" not in request:
        return [RequestPart(0, "user", "text", request["text"])]
    config = request.get("config")
    heads = [request.get("system"), request.get("instructions")]
    if isinstance(config, Mapping):
        heads.append(cast("Request", config).get("system_instruction"))
    parts = [part for head in heads if head for part in _parts(-1, "system", head)]
    messages = next(
        (request[key] for key in ("messages", "input", "contents") if key in request), []
    )
    if isinstance(messages, str):
        return [*parts, RequestPart(0, "user", "text", messages)]
    for place, message in enumerate(cast("list[Any]", messages)):
        parts += _message(place, message)
    return parts


def tool_names(request: Request) -> list[tuple[str, Any]]:
    """The name and the schema of every tool of a request."""
    config: Any = request.get("config")
    tools: Any = request.get("tools")
    if tools is None and isinstance(config, Mapping):
        tools = cast("Request", config).get("tools")
    named: list[tuple[str, Any]] = []
    for tool in cast("list[Any]", tools or []):
        entries = tool.get("function_declarations") or tool.get("functionDeclarations") or [tool]
        for entry in cast("list[Any]", entries):
            inner = entry.get("function") or entry.get("toolSpec") or entry
            named.append((str(inner.get("name", inner.get("type", "tool"))), entry))
    return named


def _message(place: int, message: Any) -> Iterator[RequestPart]:
    if not isinstance(message, Mapping):
        yield RequestPart(place, "user", "other", _json(message))
        return
    item = cast("dict[str, Any]", message)
    role = str(item.get("role", "assistant"))
    role = _ROLES.get(role, role)
    if "role" not in item:
        yield _part(place, "assistant", item)
        return
    if role == "tool" and "tool_call_id" in item:
        texts = [part.text for part in _parts(place, role, item.get("content"))]
        yield RequestPart(place, role, "result", "\n".join(texts), str(item["tool_call_id"]))
        return
    yield from _parts(place, role, item.get("content", item.get("parts")))
    for call in cast("list[Any]", item.get("tool_calls") or []):
        function = cast("dict[str, Any]", call.get("function") or {})
        text = str(function.get("arguments", ""))
        yield RequestPart(
            place, role, "call", text, str(call.get("id", "")), str(function.get("name"))
        )


def _parts(place: int, role: str, content: Any) -> Iterator[RequestPart]:
    if content is None:
        return
    if isinstance(content, str):
        yield RequestPart(place, role, "text", content)
    elif isinstance(content, list):
        for item in cast("list[Any]", content):
            yield from _parts(place, role, item)
    elif isinstance(content, Mapping):
        item = cast("dict[str, Any]", content)
        if isinstance(item.get("parts"), list):
            yield from _parts(place, role, item["parts"])
        else:
            yield _part(place, role, item)


def _part(place: int, role: str, item: dict[str, Any]) -> RequestPart:
    kind = str(item.get("type", ""))
    for key, read in _READERS.items():
        if kind == key or (not kind and key in item):
            what, text, call_id, name = read(item)
            return RequestPart(
                place, "tool" if what == "result" else role, what, text, call_id, name
            )
    if isinstance(item.get("text"), str):
        what = "thinking" if item.get("thought") else "text"
        return RequestPart(place, role, what, item["text"])
    if kind in _MEDIA or any(key in item for key in _MEDIA):
        return RequestPart(place, role, "media", _media(item))
    return RequestPart(place, role, "other", _json(item))


_Read = tuple[str, str, str, str]


def _tool_use(item: dict[str, Any]) -> _Read:
    return "call", _json(item.get("input")), str(item.get("id", "")), str(item.get("name", ""))


def _tool_result(item: dict[str, Any]) -> _Read:
    return "result", _joined(item.get("content")), str(item.get("tool_use_id", "")), ""


def _function_call(item: dict[str, Any]) -> _Read:
    if "call_id" in item:  # an item of Responses
        return "call", str(item.get("arguments", "")), str(item["call_id"]), str(item.get("name"))
    call = cast("dict[str, Any]", item.get("function_call") or {})
    return "call", _json(call.get("args")), str(call.get("id") or ""), str(call.get("name", ""))


def _function_output(item: dict[str, Any]) -> _Read:
    return "result", _joined(item.get("output")), str(item.get("call_id", "")), ""


def _function_response(item: dict[str, Any]) -> _Read:
    answer = cast("dict[str, Any]", item.get("function_response") or {})
    texts = "\n".join(_strings(answer.get("response")))
    return "result", texts, str(answer.get("id") or ""), str(answer.get("name", ""))


def _thinking(item: dict[str, Any]) -> _Read:
    return "thinking", str(item.get("thinking", "")), "", ""


def _reasoning(item: dict[str, Any]) -> _Read:
    return "thinking", _joined(item.get("summary")), "", ""


_READERS: dict[str, Callable[[dict[str, Any]], _Read]] = {
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "function_call_output": _function_output,
    "function_call": _function_call,
    "function_response": _function_response,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "reasoning": _reasoning,
}


def _joined(content: Any) -> str:
    return "\n".join(part.text for part in _parts(0, "tool", content))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("dict[str, Any]", value).values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item)
    elif value is not None:
        yield _json(value)


def _media(item: dict[str, Any]) -> str:
    """What it is and how large, never its bytes."""
    size = len(msgspec.json.encode(item))
    return f"{item.get('type') or next(iter(item), 'media')}, {size:,} bytes"


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
