"""OpenAI Chat Completions messages: a list, a `{"messages": ...}` document, or a line each."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document, body_of, is_empty_request, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    FREE_INPUT,
    Fields,
    Json,
    list_if,
    object_if,
    text_if,
    text_of,
    text_or,
)
from contextwright.formats.format_evidence import most, part_types
from contextwright.formats.provenance import ReadSoFar, read_messages, write_messages
from contextwright.formats.request_body import ORDER, TOOLS, in_its_order, order_of, without_marks
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Role,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "openai-chat"
LINES = False
KNOWN_KINDS = frozenset(
    {
        "input_audio",
        "refusal",
        "image_url",
        "file",
        "custom",
        "video_url",
        "audio_url",
        "thinking",
        "reference",
        "document_url",
        "framework_part",  # an adapter's: what only its framework knows
    }
)
_ANSWERS = {"content", "tool_calls", "function_call", "refusal", "audio", "reasoning_content"}
"""One of these is there where a message has no content."""
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


def sniff(document: Document) -> bool:
    """Messages of a role and a content, or calls, none of whose parts are another format's."""
    messages = items_of(document, "messages")
    if is_empty_request(document, "messages"):
        return True
    return most(messages, is_message) and not any(map(_holds_calls, messages))


def _holds_calls(message: Any) -> bool:
    """Whether calls or results stand among the parts of a content: no message of Chat's has them
    there, and what would be lost of another's is what the agent did."""
    content = object_if(message).get("content")
    return isinstance(content, list) and any("tool" in kind for kind in part_types(content))


def is_message(message: Json) -> bool:
    """Whether a message has the form of Chat's: a text, nothing beside calls, or typed parts."""
    if not isinstance(message.get("role", message.get("speaker")), str):
        return False
    content = message.get("content")
    if content is None:
        return bool(_ANSWERS & message.keys())
    # a number is a broken text; an object is another format's content
    return not isinstance(content, dict) and _are_parts(list_if(content))


def _are_parts(parts: list[Any]) -> bool:
    typed = [part for part in parts if isinstance(part, str) or next(part_types([part]), "")]
    return 2 * len(typed) >= len(parts)


def read(document: Document) -> Session:
    """The session; what stands beside the messages becomes its metadata."""
    body, _, _ = body_of(document, "messages")
    fields = {k: v for k, v in body.items() if k not in {"messages", "tools"}}
    if isinstance(body.get("model"), str):
        fields[ORDER] = order_of(body, "messages")
    if "tools" in body and not body["tools"]:
        fields[TOOLS] = body["tools"]
    state, tools = body.get("state"), body.get("tools") or ()
    return Session(
        text_if(body.get("id"), "session"),
        read_messages(NAME, numbered(document, "message", "messages"), _events, message_of),
        tools=[tool_of(tool, f"tools[{place}]", NAME) for place, tool in enumerate(tools)],
        state=state if isinstance(state, dict) else None,
        metadata={NAME: fields} if fields else {},
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    return list(read_messages(NAME, messages, _events, message_of, before))


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages; a document where the session came from one, or has tools."""
    messages = write_messages(NAME, session.log, message_of)
    fields = session.metadata.get(NAME)
    if fields is None and not session.tools:
        return messages
    document: Json = {**without_marks(fields), "messages": messages}
    if TOOLS in (fields or {}):
        document["tools"] = (fields or {})[TOOLS]
    if isinstance(document.get("state"), dict):
        document["state"] = dict(session.state)
    if session.tools:
        document["tools"] = [tool_json(tool) for tool in session.tools]
    return in_its_order(document, fields)


def read_chat(format: str, messages: list[Any], where: str) -> list[Event]:
    """The events of messages that stand in another format's envelope; what they say beside is
    kept under that format's name."""
    places = [(message, f"{where} message {number}") for number, message in enumerate(messages)]
    for message, place in places:
        Fields(message, place, ", field ").text("role", "")
    return list(read_messages(format, places, _events, message_of))


def write_chat(format: str, events: Iterable[Event]) -> list[Json]:
    """The messages of these events, for that format's envelope."""

    def own(event: Event) -> Event:
        extra = {**event.extra, NAME: event.extra.get(format) or event.extra.get(NAME, {})}
        return msgspec.structs.replace(event, extra=extra)

    return write_messages(NAME, map(own, events), message_of)


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role = message.get("role")
    if role is None and isinstance(message.get("speaker"), str):
        role = "user"
    if not isinstance(role, str) or role not in _ROLES:
        raise MalformedRecord(
            f"expected a role, got {'nothing' if role is None else repr(role)}",
            where=f"{where}, field role",
            fix=f"one of {', '.join(_ROLES)}",
        )
    time, name = message.get("ts"), message.get("name", message.get("speaker"))
    event = Event(
        id=text_if(message.get("id")),
        role=_ROLES[role],
        parts=tuple(_parts(message, _ROLES[role])),
        author=text_if(name) if role not in {"tool", "function"} else "",
        time_ms=time if isinstance(time, int) else None,
    )
    return [event]


def _parts(message: Fields, role: Role) -> Iterator[AnyPart]:
    if role == "tool":
        yield _tool_result(message)
        return
    thinking = message.get("thinking") or message.get("reasoning_content")
    if isinstance(thinking, str):
        yield Thinking(text=thinking)
    yield from _content_parts(message) if message.get("content") else ()
    for call, at in message.items("tool_calls", required=False):
        yield _call(call, at)
    # what `tool_calls` was before: one call, without an id
    if message.get("function_call") is not None and not message.get("tool_calls"):
        call = message.inner("function_call")
        yield _function(call, call.text("name"))


def _content_parts(message: Fields) -> Iterator[Text | Image | File | Opaque]:
    content = message.get("content")
    if isinstance(content, list):
        yield from (_part(part, at) for part, at in message.items("content"))
    elif content is not None:
        yield Text(text=message.text("content"))


def _tool_result(message: Fields) -> ToolResult:
    content = tuple(_content_parts(message))
    answered = list_if(message.get("tool_call_ids"))  # SWE-agent's name for it
    if message.get("role") == "function":
        answered = [message.get("name")]
    id = message.text("tool_call_id", "")
    if "tool_call_id" not in message.whole and answered:
        id = text_or(answered[0], message.place("tool_call_id"))
    status = "error" if message.get("is_error") is True else "ok"
    return ToolResult(call_id=id, name=message.text("name", ""), content=content, status=status)


def _call(value: Any, where: str) -> ToolCall | Opaque:
    call = Fields(value, where)
    if call.get("type") == "custom" and isinstance(call.get("custom"), dict):
        return free_call(call.inner("custom"), call.text("id", ""))
    if call.get("type", "function") != "function":
        return Opaque(format=NAME, kind=str(call.get("type")), value=value)
    function = call.inner("function")
    return _function(function, call.text("id", ""))


def free_call(custom: Fields, id: str) -> ToolCall:
    """The call of a tool that takes a text, not an object."""
    arguments = text_of({FREE_INPUT: custom.text("input", "")})
    return ToolCall(id=id, name=custom.text("name"), arguments=arguments)


def _function(function: Fields, id: str) -> ToolCall:
    return ToolCall(id=id, name=function.text("name"), arguments=function.text("arguments", "{}"))


def _part(value: Any, where: str) -> Text | Image | File | Opaque:
    if isinstance(value, str):
        return Text(text=value)
    part = Fields(value, where)
    kind = part.get("type")
    if kind == "text":
        return Text(text=part.text("text"))
    if kind == "image_url":
        image = part.inner("image_url")
        return image_of(image.text("url"), image.text("detail", ""))
    if kind == "file":
        return file_of(part.inner("file").whole, "application/octet-stream")
    return Opaque(format=NAME, kind=str(kind), value=value)


def image_of(url: str, detail: str = "", extra: Json | None = None) -> Image:
    """The picture at a URL, which may hold it as a `data:` URL."""
    media, data = data_url(url)
    url = "" if data else url
    return Image(media_type=media, data=data, url=url, detail=detail, extra=extra or NO_FIELDS)


def file_of(file: Json, otherwise: str) -> File:
    """A file as both of OpenAI's formats have it; `otherwise` is its type where none is named."""
    media, data = data_url(str(file.get("file_data") or ""))
    return File(
        media_type=media if data else otherwise,
        name=str(file.get("filename") or ""),
        data=data,
        url=str(file.get("file_url") or ""),
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


def file_json(file: File) -> Json:
    """The fields of a file, with its data or its id, as both of OpenAI's formats have them."""
    if file.file_id:
        return {"file_id": file.file_id}
    return {"filename": file.name, "file_data": url_of(file)}


def message_of(events: Sequence[Event]) -> Json:
    """The message that an event stands for."""
    event = events[0]
    if event.role == "tool":
        result = event.results[0] if event.results else ToolResult(call_id="")
        return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
    message: Json = {"role": event.role, "content": _content(event)}
    calls = [_call_json(part) for part in event.parts if _is_call(part)]
    return {**message, "tool_calls": calls} if calls else message


def _is_call(part: AnyPart) -> bool:
    if isinstance(part, Opaque):
        return part.format == NAME and part.kind == "custom" and "content" not in part.value
    return isinstance(part, ToolCall)


def _call_json(part: AnyPart) -> Json:
    if isinstance(part, Opaque):
        return part.value
    assert isinstance(part, ToolCall)
    function = {"name": part.name, "arguments": part.arguments}
    return {"id": part.id, "type": "function", "function": function}


def _content(event: Event) -> Any:
    parts = [p for p in event.parts if not isinstance(p, ToolResult | Thinking) and not _is_call(p)]
    if not parts:
        return None if event.calls else ""
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    return [wire for part in parts if (wire := _part_json(part))]


def _part_json(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image() if part.data or part.url:
            detail = {"detail": part.detail} if part.detail else {}
            return {"type": "image_url", "image_url": {"url": url_of(part), **detail}}
        case File() if part.data or part.file_id:
            return {"type": "file", "file": file_json(part)}
        case _:
            return part.value if isinstance(part, Opaque) and part.format == NAME else None


def tool_json(tool: Tool) -> Json:
    """A tool schema in OpenAI's form, or as it came."""
    if NAME in tool.extra:
        return tool.extra[NAME]
    function: Json = {"name": tool.name, "parameters": tool.parameters}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": function}
