"""Messages of the Microsoft Agent Framework, as `Message.to_dict` writes them: a list, a document
with `messages`, `AgentSession.to_dict()`, or `AgentThread.serialize()` as it was before."""

from collections.abc import Sequence
from typing import Any

from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.envelope import ANY, closed, opened
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    list_if,
    object_if,
    object_of,
    text_if,
    text_of,
    value_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.media_part import media_part
from contextwright.formats.message_document import fields_beside, with_fields
from contextwright.formats.openai_chat import data_url, url_of
from contextwright.formats.provenance import read_messages, write_messages
from contextwright.formats.request_body import ENVELOPE
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

NAME = "agent-framework"
LINES = False
KNOWN_KINDS = frozenset(
    {"data", "uri", "error", "usage", "hosted_file", "hosted_vector_store",
     "code_interpreter_tool_call", "code_interpreter_tool_result",
     "image_generation_tool_call", "image_generation_tool_result",
     "mcp_server_tool_call", "mcp_server_tool_result", "search_tool_call", "search_tool_result",
     "shell_tool_call", "shell_tool_result", "shell_command_output",
     "computer_tool_call", "computer_tool_result",
     "function_approval_request", "function_approval_response", "oauth_consent_request"}
)  # fmt: skip
_KINDS = KNOWN_KINDS | {"text", "text_reasoning", "function_call", "function_result"}
_ENVELOPES = (("state", ANY, "messages"), ("chat_message_store_state", "messages"))
"""Where a session has the messages of its history provider, and a thread those of its store."""
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def sniff(document: Document) -> bool:
    """Messages with contents of the framework's types."""
    document, _ = opened(document, _ENVELOPES, is_message)
    return most(items_of(document, "messages"), is_message)


def is_message(message: Json) -> bool:
    """Whether a message has the form of the framework's."""
    contents = list_if(message.get("contents"))
    return _role_of(message) in _ROLES and most(contents, _is_content)


def _is_content(content: Json) -> bool:
    return isinstance(content.get("type"), str) and content["type"] in _KINDS


def _role_of(message: Json) -> str:
    """The role, which was an object once."""
    role = message.get("role")
    return text_if(object_if(role).get("value") if isinstance(role, dict) else role)


def read(document: Document) -> Session:
    """The session; what stands beside the messages becomes its metadata."""
    document, around = opened(document, _ENVELOPES, is_message)
    body, _, _ = body_of(document, "messages")
    fields = around or fields_beside(body, "messages")
    messages = numbered(document, "message", "messages")
    named = object_if(around.get(ENVELOPE)).get("record", {}).get("session_id")
    return Session(
        text_if(named) or "session",
        read_messages(NAME, messages, _events, _message),
        metadata={NAME: fields} if body or around else {},
    )


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages, as `Message.from_dict` takes them; a document where they came from one."""
    messages = write_messages(NAME, session.log, _message, _together)
    fields = session.metadata.get(NAME)
    if fields is not None and ENVELOPE in fields:
        return closed(messages, fields)
    return with_fields(NAME, session, messages)


def _together(before: Event, event: Event) -> bool:
    """The results of one answer's calls are one message."""
    return before.role == "tool" and event.role == "tool"


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role = _role_of(message.whole)
    if role not in _ROLES:
        raise wrong("a role of user, assistant, tool or system", role, f"{where}, field role")
    parts = [_part(part, at) for part, at in message.items("contents", required=False)]
    author, id = text_if(message.get("author_name")), text_if(message.get("message_id"))
    groups: list[list[AnyPart]] = []
    for part in parts:
        alone = isinstance(part, ToolResult)
        if alone or not groups or isinstance(groups[-1][0], ToolResult):
            groups.append([])
        groups[-1].append(part)
    events: list[Event] = []
    for group in groups or [[]]:
        of_tool = bool(group) and isinstance(group[0], ToolResult)
        own: Role = "tool" if of_tool else "user" if role == "tool" else _ROLES[role]
        named = "" if of_tool else author
        events.append(Event(id="" if events else id, role=own, parts=tuple(group), author=named))
    return events


def _part(value: Any, where: str) -> AnyPart:
    content = Fields(value, where)
    kind = content.text("type", "")
    if kind == "text":
        return Text(text=content.text("text", ""))
    if kind == "text_reasoning":
        # what is protected is a signature, or the encrypted form: its provider is not named
        protected = content.text("protected_data", "")
        return Thinking(text=content.text("text", ""), signature=protected)
    if kind == "function_call":
        id, name = content.text("call_id", ""), content.text("name", "")
        values = content.get("arguments")
        mark: Json = {NAME: {"text": True}} if isinstance(values, str) else NO_FIELDS
        arguments = values if isinstance(values, str) else text_of(values or {})
        return ToolCall(id=id, name=name, arguments=arguments, extra=mark)
    if kind == "function_result":
        return _result(content)
    return _media(content, kind) or Opaque(format=NAME, kind=kind, value=content.whole)


def _result(content: Fields) -> ToolResult:
    value, failed = content.get("result"), content.get("exception") is not None
    is_text = isinstance(value, str)
    mark = NO_FIELDS if is_text else {NAME: {"json": True}}
    text = Text(text=value if is_text else text_of(value), extra=mark)
    items = [_part(item, at) for item, at in content.items("items", required=False)]
    pieces = tuple(item for item in items if isinstance(item, Text | Image | File | Opaque))
    has_media = any(isinstance(item, Image | File) for item in pieces)
    return ToolResult(
        call_id=content.text("call_id", ""),
        content=pieces if has_media else () if value is None else (text,),
        status="error" if failed else "ok",
    )


def _media(content: Fields, kind: str) -> Image | File | None:
    uri, media = content.get("uri"), content.get("media_type")
    if kind not in ("data", "uri") or not isinstance(uri, str):
        return None
    named, data = data_url(uri)
    media = media if isinstance(media, str) else named if data else "application/octet-stream"
    return media_part(media, data=data, url="" if data else uri)


def _message(events: Sequence[Event]) -> Json:
    head = next((event for event in events if event.role != "tool"), events[0])
    contents = [wire for event in events for part in event.parts if (wire := content_of(part))]
    author = {"author_name": head.author} if head.author else {}
    return {"type": "message", "role": head.role, "contents": contents, **author}


def content_of(part: AnyPart) -> Json | None:
    """A part as a content; None for what this format can not say."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            protected = part.signature or part.redacted
            sealed = {"protected_data": protected} if protected else {}
            return {"type": "text_reasoning", "text": part.text, **sealed}
        case ToolCall():
            values = object_of(part.arguments)
            as_text = values is None or part.extra.get(NAME, {}).get("text")
            call = {"type": "function_call", "call_id": part.id, "name": part.name}
            return {**call, "arguments": part.arguments if as_text else values}
        case ToolResult():
            return _result_json(part)
        case Image() | File() if part.data:
            return {"type": "data", "uri": url_of(part), "media_type": part.media_type}
        case Image() | File() if part.url:
            return {"type": "uri", "uri": part.url, "media_type": part.media_type}
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None


def _result_json(part: ToolResult) -> Json:
    own = part.content[0].extra.get(NAME, {}) if len(part.content) == 1 else {}
    result = value_of(part.text) if own.get("json") else part.text
    failed = {} if part.status == "ok" else {"exception": part.status}
    made: Json = {"type": "function_result", "call_id": part.call_id, "result": result, **failed}
    if any(isinstance(piece, Image | File) for piece in part.content):
        made["items"] = [item for piece in part.content if (item := content_of(piece))]
    return made
