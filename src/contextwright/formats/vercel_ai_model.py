"""Messages of the Vercel AI SDK as its calls take and give them (`ModelMessage`, once
`CoreMessage`): a list, or a document with `messages`, such as the options of `generateText`.

What `response.messages` of a call has, put behind what was sent, is such a list. What only a user
interface holds (`UIMessage`) is the format `vercel-ai`.
"""

from collections.abc import Sequence
from typing import Any

from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_object,
    call_value,
    list_if,
    object_if,
    text_if,
    text_of,
    value_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.media_part import media_part
from contextwright.formats.message_document import fields_beside, with_fields
from contextwright.formats.openai_chat import data_url
from contextwright.formats.provenance import read_messages, write_messages
from contextwright.formats.request_body import in_its_order, without_marks
from contextwright.formats.vercel_reasoning import reasoning_json, thinking_of
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
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "vercel-ai-model"
LINES = False
KNOWN_KINDS = frozenset(
    {"image", "file", "custom", "reasoning-file", "tool-call", "tool-result",
     "tool-approval-request", "tool-approval-response"}
)  # fmt: skip
_ROLES: dict[str, Role] = {
    "system": "system",
    "$system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_SYSTEM = "$system"
"""Role of the message that the field `system` is read as."""
_FAILED = {"error-text", "error-json", "execution-denied"}
"""Types of an output that is no success."""
_OPTIONS = ("providerOptions", "experimental_providerMetadata", "providerMetadata")


def sniff(document: Document) -> bool:
    """Messages of role and content, of which one holds a part of the SDK's own form."""
    messages = items_of(document, "messages")
    return any(map(is_message, map(object_if, messages))) and most(messages, _has_form)


def is_message(message: Json) -> bool:
    """Whether a message holds a part, or options for a provider, as only the SDK has them."""
    has_options = any(key in message for key in _OPTIONS)
    content = message.get("content")
    if "parts" in message or not (has_options or isinstance(content, list)):
        return False
    has_own = has_options or any(map(_is_own, map(object_if, list_if(content))))
    return has_own and _has_form(message)


def _has_form(message: Json) -> bool:
    content = message.get("content")
    return text_if(message.get("role")) in _ROLES and isinstance(content, str | list)


def _is_own(part: Json) -> bool:
    kind = part.get("type")
    if kind in ("tool-call", "tool-result"):
        return "toolCallId" in part
    if kind in ("tool-approval-request", "tool-approval-response"):
        return "approvalId" in part
    if kind == "image":
        return isinstance(part.get("image"), str)
    if kind in ("file", "reasoning-file"):
        return "data" in part and ("mediaType" in part or "mimeType" in part)
    if kind == "reasoning":
        return isinstance(part.get("text"), str)
    return any(key in part for key in _OPTIONS)


def read(document: Document) -> Session:
    """The session; the system text of a call's options is its first event, and what else stands
    beside the messages becomes its metadata."""
    body, _, _ = body_of(document, "messages")
    messages = numbered(document, "message", "messages")
    own = ("messages", "system") if isinstance(body.get("system"), str) else ("messages",)
    if len(own) > 1:
        system = {"role": _SYSTEM, "content": body["system"]}
        messages.insert(0, (system, f"{document.name}, field system"))
    return Session(
        text_if(body.get("id"), "session"),
        read_messages(NAME, messages, _events, _message),
        metadata={NAME: fields_beside(body, *own)} if body else {},
    )


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages; a document where the session came from one."""
    messages = write_messages(NAME, session.log, _message, _together)
    system = next((message for message in messages if message["role"] == _SYSTEM), None)
    if system is None:
        return with_fields(NAME, session, messages)
    rest = [message for message in messages if message is not system]
    fields = object_if(session.metadata.get(NAME))
    document = {**without_marks(fields), "system": system["content"], "messages": rest}
    return in_its_order(document, fields)


def _together(before: Event, event: Event) -> bool:
    """The results of one answer's calls are one message."""
    return before.role == "tool" and event.role == "tool"


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _ROLES:
        raise wrong("a role of system, user, assistant or tool", role, f"{where}, field role")
    if isinstance(content, str):
        own: Role = "user" if role == "tool" else _ROLES[role]
        return [Event(id="", role=own, parts=(Text(text=content),) if content else ())]
    listed = [(Fields(part, at), at) for part, at in message.items("content")]
    if role != "tool":
        parts = tuple(_part(part, at, of_tool=False) for part, at in listed)
        return [Event(id="", role=_ROLES[role], parts=parts)]
    groups: list[list[AnyPart]] = []
    for part in (_part(part, at, of_tool=True) for part, at in listed):
        # an answer to a request for approval is the user's
        if not groups or any(isinstance(one, ToolResult) for one in (part, groups[-1][0])):
            groups.append([])
        groups[-1].append(part)
    return [
        Event(id="", role="tool" if isinstance(g[0], ToolResult) else "user", parts=tuple(g))
        for g in groups
    ] or [Event(id="", role="user", parts=())]


def _part(part: Fields, where: str, *, of_tool: bool) -> AnyPart:
    kind = part.text("type", "text")
    if kind == "text":
        return Text(text=part.text("text"))
    if kind == "reasoning" and isinstance(part.get("text"), str):
        return thinking_of(part.text("text"), next(filter(None, map(part.get, _OPTIONS)), None))
    # what runs at a provider is called and answered in one message: it is the provider's
    if kind == "tool-call" and part.get("providerExecuted") is not True:
        values = part.get("input", part.get("args"))
        mark: Json = {NAME: {"text": True}} if isinstance(values, str) else NO_FIELDS
        text = values if isinstance(values, str) else text_of({} if values is None else values)
        name, id = part.text("toolName"), part.text("toolCallId", "")
        return ToolCall(id=id, name=name, arguments=text, extra=mark)
    if kind == "tool-result" and of_tool:
        return _result(part)
    return _media(part.whole) or Opaque(format=NAME, kind=kind, value=part.whole)


def _result(part: Fields) -> ToolResult:
    output = object_if(part.get("output"))
    kind, value = text_if(output.get("type")), output.get("value")
    failed = kind in _FAILED or part.get("isError") is True
    content: tuple[Text | Image | File | Opaque, ...]
    if "output" not in part.whole:  # before version 5
        content = (_text(part.get("result")),)
    elif kind == "content" and isinstance(value, list):
        content = tuple(_inside(object_if(item)) for item in list_if(value))
    elif kind == "execution-denied":
        content = (Text(text=text_if(output.get("reason")) or "The user refused this call."),)
    else:
        content = (_text(value if output else part.get("output")),)
    id, name = part.text("toolCallId", ""), part.text("toolName", "")
    status = "error" if failed else "ok"
    return ToolResult(call_id=id, name=name, content=content, status=status)


def _text(value: Any) -> Text:
    if isinstance(value, str):
        return Text(text=value)
    return Text(text=text_of(value), extra={NAME: {"json": True}})


def _inside(item: Json) -> Text | Image | File | Opaque:
    """A part of a result."""
    if item.get("type") == "text" and isinstance(item.get("text"), str):
        return Text(text=item["text"])
    return _media(item) or Opaque(format=NAME, kind=str(item.get("type")), value=item)


def _media(part: Json) -> Image | File | None:
    """A picture or a file whose bytes, or whose address, are a text."""
    place = next((key for key in ("image", "data", "url") if key in part), "")
    value = part.get(place)
    if isinstance(value, dict):  # {"type": "data", "data": ...}, {"type": "url", "url": ...}
        value = next((object_if(value).get(key) for key in ("data", "url") if key in value), None)
    kind = part.get("type")
    if not isinstance(value, str) or kind in ("reasoning-file", "custom"):
        return None
    named, inline = data_url(value)
    is_address = not inline and "://" in value[:16]
    usual = "image/png" if "image" in str(kind) else "application/octet-stream"
    media = part.get("mediaType") or part.get("mimeType") or (named if inline else usual)
    if not isinstance(media, str):
        return None
    data = inline or ("" if is_address else value)
    name = text_if(part.get("filename"))
    return media_part(media, data=data, url=value if is_address else "", name=name)


def _message(events: Sequence[Event]) -> Json:
    if any(event.role == "tool" for event in events):
        parts = [wire for event in events for part in event.parts if (wire := _part_json(part))]
        return {"role": "tool", "content": parts}
    role, parts = events[0].role, events[0].parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return {"role": role, "content": parts[0].text}
    if role == "system":
        return {"role": role, "content": "\n".join(p.text for p in parts if isinstance(p, Text))}
    return {"role": role, "content": [wire for part in parts if (wire := _part_json(part))]}


def _part_json(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return reasoning_json(part, "providerOptions")
        case ToolCall():
            as_text = part.extra.get(NAME, {}).get("text")
            values = part.arguments if as_text else call_value(part.arguments)
            if isinstance(values, str) and not as_text:  # a text is read as it stands
                values = call_object(part.arguments)
            call = {"type": "tool-call", "toolCallId": part.id, "toolName": part.name}
            return {**call, "input": values}
        case ToolResult():
            answer = {"type": "tool-result", "toolCallId": part.call_id, "toolName": part.name}
            return {**answer, "output": _output(part)}
        case Image() if part.data or part.url:
            return {"type": "image", "image": part.url or part.data, "mediaType": part.media_type}
        case File() if part.data or part.url:
            named = {"filename": part.name} if part.name else {}
            data = part.url or part.data
            return {"type": "file", "data": data, "mediaType": part.media_type, **named}
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None


def _output(part: ToolResult) -> Json:
    failed = part.status != "ok"
    if len(part.content) == 1 and isinstance(part.content[0], Text):
        if part.content[0].extra.get(NAME, {}).get("json"):
            return {"type": "error-json" if failed else "json", "value": value_of(part.text)}
        return {"type": "error-text" if failed else "text", "value": part.text}
    if failed or not part.content:
        return {"type": "error-text" if failed else "text", "value": part.text}
    return {"type": "content", "value": [made for one in part.content if (made := _piece(one))]}


def _piece(piece: Text | Image | File | Opaque) -> Json | None:
    if isinstance(piece, Text):
        return {"type": "text", "text": piece.text}
    if isinstance(piece, Opaque):
        return piece.value if piece.format == NAME else None
    if not (piece.url or piece.data):
        return None
    if piece.url:
        return {"type": "file-url", "url": piece.url, "mediaType": piece.media_type}
    return {"type": "file-data", "data": piece.data, "mediaType": piece.media_type}
