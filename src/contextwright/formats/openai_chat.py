"""OpenAI Chat Completions messages: a list, a `{"messages": ...}` document, or a line each."""

from collections.abc import Iterator, Sequence
from typing import Any

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.fields import Json, a_list, a_text, an_object, text_or
from contextwright.formats.provenance import read_messages, write_messages
from contextwright.session.event import (
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "openai-chat"
LINES = False
_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


def sniff(document: Document) -> bool:
    """Messages with roles, none of whose parts are another format's."""
    return any(
        isinstance(message, dict) and not {"role", "speaker", "content"}.isdisjoint(message)  # pyright: ignore
        for message in items_of(document, "messages")[:5]
    )


def read(document: Document) -> Session:
    """The session; what stands beside the messages becomes its metadata."""
    body, _, _ = body_of(document, "messages")
    fields = {k: v for k, v in body.items() if k not in {"messages", "tools"}}
    id, state, tools = body.get("id"), body.get("state"), body.get("tools") or ()
    return Session(
        id if isinstance(id, str) and id else "session",
        read_messages(NAME, numbered(document, "message", "messages"), _events, _message),
        tools=[tool_of(tool, f"tools[{place}]", NAME) for place, tool in enumerate(tools)],
        state=state if isinstance(state, dict) else None,
        metadata={NAME: fields} if fields else {},
    )


def write(session: Session) -> Any:
    """The messages; a document where the session came from one, or has tools."""
    messages = write_messages(NAME, session.log, _message, lambda old, new: False)
    fields = session.metadata.get(NAME)
    if fields is None and not session.tools:
        return messages
    document: Json = {**(fields or {}), "messages": messages}
    if isinstance(document.get("state"), dict):
        document["state"] = dict(session.state)
    if session.tools:
        document["tools"] = [tool_json(tool) for tool in session.tools]
    return document


def _events(value: Any, where: str) -> list[Event]:
    message = an_object(value, where)
    role = message.get("role")
    if role is None and isinstance(message.get("speaker"), str):
        role = "user"
    if not isinstance(role, str) or role not in _ROLES:
        raise MalformedRecord(
            f"expected a role, got {role!r}"
            if role is not None
            else "expected a role, got nothing",
            where=f"{where}, field role",
            fix=f"one of {', '.join(_ROLES)}",
        )
    parts = list(_parts(message, _ROLES[role], where))
    id, time = message.get("id"), message.get("ts")
    name = message.get("name", message.get("speaker"))
    return [
        Event(
            id=id if isinstance(id, str) else "",
            role=_ROLES[role],  # pyright: ignore[reportArgumentType]
            parts=tuple(parts),
            author=name if isinstance(name, str) and role not in {"tool", "function"} else "",
            time_ms=time if isinstance(time, int) else None,
        )
    ]


def _parts(message: Json, role: str, where: str) -> Iterator[AnyPart]:
    if role == "tool":
        yield _tool_result(message, where)
        return
    thinking = message.get("thinking") or message.get("reasoning_content")
    if isinstance(thinking, str):
        yield Thinking(text=thinking)
    content = message.get("content")
    if isinstance(content, list):
        for place, part in enumerate(content):  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
            yield _part(part, f"{where}, field content[{place}]")
    elif content:
        yield Text(text=a_text(content, f"{where}, field content"))
    calls = message.get("tool_calls")
    for place, call in enumerate(a_list(calls, f"{where}, field tool_calls") if calls else ()):
        yield _call(call, f"{where}, field tool_calls[{place}]")
    old = message.get("function_call")  # what `tool_calls` was before: one call, without an id
    if old is not None and not calls:
        call = an_object(old, f"{where}, field function_call")
        name = a_text(call.get("name"), f"{where}, field function_call.name")
        arguments = text_or(call.get("arguments"), f"{where}, field function_call.arguments", "{}")
        yield ToolCall(id=name, name=name, arguments=arguments)


def _tool_result(message: Json, where: str) -> ToolResult:
    content = message.get("content")
    pieces: tuple[Any, ...] = ()
    if isinstance(content, list):
        pieces = tuple(_part(p, f"{where}, field content[{n}]") for n, p in enumerate(content))  # pyright: ignore
    elif content is not None:
        pieces = (Text(text=a_text(content, f"{where}, field content")),)
    answered = message.get("tool_call_ids")  # SWE-agent's name for it
    if message.get("role") == "function" and "tool_call_id" not in message:
        answered = [message.get("name")]
    id = message.get(
        "tool_call_id", answered[0] if isinstance(answered, list) and answered else None
    )  # pyright: ignore
    return ToolResult(
        call_id=text_or(id, f"{where}, field tool_call_id"),
        name=text_or(message.get("name"), f"{where}, field name"),
        content=pieces,
        status="error" if message.get("is_error") is True else "ok",
    )


def _call(value: Any, where: str) -> ToolCall | Opaque:
    call = an_object(value, where)
    if call.get("type", "function") != "function":
        return Opaque(format=NAME, kind=str(call.get("type")), value=call)
    function = an_object(call.get("function"), f"{where}.function")
    return ToolCall(
        id=text_or(call.get("id"), f"{where}.id"),
        name=a_text(function.get("name"), f"{where}.function.name"),
        arguments=text_or(function.get("arguments"), f"{where}.function.arguments", "{}"),
    )


def _part(value: Any, where: str) -> Text | Image | File | Opaque:
    if isinstance(value, str):
        return Text(text=value)
    part = an_object(value, where)
    kind = part.get("type")
    if kind == "text":
        return Text(text=a_text(part.get("text"), f"{where}.text"))
    if kind == "image_url":
        return _image(an_object(part.get("image_url"), f"{where}.image_url"), where)
    if kind == "file":
        return _file(an_object(part.get("file"), f"{where}.file"))
    return Opaque(format=NAME, kind=str(kind), value=part)


def _image(image: Json, where: str) -> Image:
    url = a_text(image.get("url"), f"{where}.image_url.url")
    detail = text_or(image.get("detail"), f"{where}.image_url.detail")
    media, data = data_url(url)
    return Image(media_type=media, data=data, url="" if data else url, detail=detail)


def _file(file: Json) -> File:
    media, data = data_url(str(file.get("file_data") or ""))
    return File(
        media_type=media if data else "application/octet-stream",
        name=str(file.get("filename") or ""),
        data=data,
        file_id=str(file.get("file_id") or ""),
    )


def data_url(url: str) -> tuple[str, str]:
    """Media type and base64 data of a `data:` URL; no data for another URL."""
    head, separator, data = url.partition(";base64,")
    if separator and head.startswith("data:"):
        return head.removeprefix("data:"), data
    return "image/png", ""


def url_of(part: Image | File) -> str:
    """The URL of a picture or a file: its own, or its data as a `data:` URL."""
    return part.url or f"data:{part.media_type};base64,{part.data}"


def _message(events: Sequence[Event]) -> Json:
    event = events[0]
    if event.role == "tool":
        result = event.results[0] if event.results else ToolResult(call_id="")
        message: Json = {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
        return message
    message = {"role": event.role, "content": _content(event)}
    calls = [_call_json(part) for part in event.parts if _is_call(part)]
    if calls:
        message["tool_calls"] = calls
    return message


def _is_call(part: AnyPart) -> bool:
    return isinstance(part, ToolCall) or (
        isinstance(part, Opaque)
        and part.format == NAME
        and "content" not in part.value
        and part.kind == "custom"
    )


def _call_json(part: AnyPart) -> Json:
    if isinstance(part, Opaque):
        return part.value
    assert isinstance(part, ToolCall)
    function = {"name": part.name, "arguments": part.arguments}
    return {"id": part.id, "type": "function", "function": function}


def _content(event: Event) -> Any:
    parts = [p for p in event.parts if not isinstance(p, (ToolCall, ToolResult, Thinking))]
    parts = [part for part in parts if not _is_call(part)]
    if not parts:
        return None if event.calls else ""
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    return [wire for part in parts if (wire := _part_json(part))]


def _part_json(part: AnyPart) -> Json | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Image):
        image = {"url": url_of(part), **({"detail": part.detail} if part.detail else {})}
        return {"type": "image_url", "image_url": image}
    if isinstance(part, File):
        if part.file_id:
            return {"type": "file", "file": {"file_id": part.file_id}}
        return {"type": "file", "file": {"filename": part.name, "file_data": url_of(part)}}
    if isinstance(part, Opaque) and part.format == NAME:
        return part.value
    return None


def tool_of(value: Any, where: str, format: str) -> Tool:
    """A tool schema in OpenAI's form, nested or flat, or Anthropic's; kept for its own format."""
    tool = an_object(value, where)
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    known: Json = function  # pyright: ignore[reportAssignmentType]
    schema = known.get("parameters", known.get("input_schema", {}))
    return Tool(
        name=a_text(known.get("name"), f"{where}.name"),
        description=text_or(known.get("description"), f"{where}.description"),
        parameters=schema if isinstance(schema, dict) else {},  # pyright: ignore
        extra={format: tool},
    )


def tool_json(tool: Tool) -> Json:
    """A tool schema in OpenAI's form, or as it came."""
    if NAME in tool.extra:
        return tool.extra[NAME]
    function: Json = {"name": tool.name, "parameters": tool.parameters}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": function}
