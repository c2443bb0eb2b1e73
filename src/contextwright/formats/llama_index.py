"""Chat messages of LlamaIndex, as `ChatMessage.model_dump` writes them: a list, a document with
`messages` or `chat_history`, or what `SimpleChatStore` and `ChatMemoryBuffer` persist, of one key.

Calls stand in blocks or, by older integrations, in `additional_kwargs` in their provider's form;
the call that a result answers is named there as well.
"""

from collections.abc import Iterator, Sequence
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
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.media_part import media_part
from contextwright.formats.provenance import read_messages, write_messages
from contextwright.formats.request_body import ENVELOPE, ORDER, in_its_order, order_of
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

NAME = "llama-index"
LINES = False
KNOWN_KINDS = frozenset({"cache", "citable", "citation", "image", "audio", "video", "document"})
_KEYS = ("messages", "chat_history")
_ENVELOPES = (("store", ANY), ("chat_store", "store", ANY))
"""Where a store of chats has its messages, and a memory that has such a store."""
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_MEDIA = {
    "image": ("image", "image_mimetype", "image/png"),
    "audio": ("audio", "format", "audio/*"),
    "video": ("video", "video_mimetype", "video/*"),
    "document": ("data", "document_mimetype", "application/octet-stream"),
}
"""By block type: where the bytes stand, where their type, and the type where none is named."""


def sniff(document: Document) -> bool:
    """Messages with typed blocks, or with what an integration put beside them."""
    document, _ = opened(document, _ENVELOPES, is_message)
    return most(items_of(document, *_KEYS), is_message)


def is_message(message: Json) -> bool:
    """Whether a message has the form of LlamaIndex's."""
    if text_if(message.get("role")) not in _ROLES or not isinstance(
        message.get("additional_kwargs"), dict
    ):
        return False
    blocks = message.get("blocks")
    return "content" in message or blocks == [] or most(list_if(blocks), _is_block)


def _is_block(block: Json) -> bool:
    return isinstance(block.get("block_type"), str)


def read(document: Document) -> Session:
    """The session; what stands beside the messages becomes its metadata."""
    document, around = opened(document, _ENVELOPES, is_message)
    body, key, _ = body_of(document, *_KEYS)
    fields = {name: value for name, value in body.items() if name != key}
    messages = numbered(document, "message", *_KEYS)
    own = {"key": key, "beside": fields, ORDER: order_of(body, key)} if body else {}
    stored = own or around
    events = read_messages(NAME, messages, _events, _message)
    return Session("session", events, metadata={NAME: stored} if stored else {})


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages, as `ChatMessage.model_validate` takes them; a document where there was one."""
    messages = write_messages(NAME, session.log, _message)
    stored: Json | None = session.metadata.get(NAME)
    if stored and ENVELOPE in stored:
        return closed(messages, stored)
    if not stored:
        return messages
    return in_its_order({**stored["beside"], stored["key"]: messages}, stored)


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise wrong("a role of user, assistant, tool or system", role, f"{where}, field role")
    kwargs = object_if(message.get("additional_kwargs"))
    parts = list(_parts(message))
    if _ROLES[role] == "tool":
        parts = [_result(kwargs, parts)]
    else:
        known = {part.id for part in parts if isinstance(part, ToolCall)}
        calls = (_kwargs_call(call) for call in list_if(kwargs.get("tool_calls")))
        parts += [call for call in calls if call and call.id not in known]
    return [Event(id="", role=_ROLES[role], parts=tuple(parts))]


def _parts(message: Fields) -> Iterator[AnyPart]:
    if message.get("blocks") is None:
        text = message.text("content", "")
        yield from [Text(text=text)] if text else []
        return
    for block, at in message.items("blocks", required=False):
        yield _part(Fields(block, at))


def _part(block: Fields) -> AnyPart:
    kind = block.text("block_type", "text")
    if kind == "text":
        return Text(text=block.text("text", ""))
    if kind == "thinking":
        signature = text_if(object_if(block.get("additional_information")).get("signature"))
        provider = "anthropic" if signature else ""
        return Thinking(text=block.text("content", ""), signature=signature, provider=provider)
    if kind == "tool_call":
        id, values = block.text("tool_call_id", ""), block.get("tool_kwargs")
        mark: Json = {NAME: {"text": True}} if isinstance(values, str) else NO_FIELDS
        arguments = values if isinstance(values, str) else text_of(values or {})
        return ToolCall(id=id, name=block.text("tool_name"), arguments=arguments, extra=mark)
    return _media(block.whole, kind) or Opaque(format=NAME, kind=kind, value=block.whole)


def _media(block: Json, kind: str) -> Image | File | None:
    place, typed, usual = _MEDIA.get(kind, ("", "", ""))
    data, url, media = block.get(place), block.get("url"), block.get(typed) or usual
    data, url = data or "", url or ""
    if not all(isinstance(each, str) for each in (data, url, media)) or not (data or url):
        return None
    if kind == "audio" and "/" not in media:
        media = f"audio/{media}"
    return media_part(media, data=data, url=url, name=text_if(block.get("title")))


def _kwargs_call(value: Any) -> ToolCall | None:
    """A call as its provider has it: OpenAI's nested form, or name and input or arguments."""
    call = object_if(value)
    inner = object_if(call.get("function")) or call
    name, id = inner.get("name"), call.get("id") or call.get("call_id") or inner.get("name")
    values = inner.get("arguments", inner.get("input", inner.get("args")))
    if not isinstance(name, str) or not isinstance(id, str):
        return None
    arguments = values if isinstance(values, str) else text_of(values or {})
    return ToolCall(id=id, name=name, arguments=arguments, extra={NAME: {"kwargs": value}})


def _result(kwargs: Json, parts: Sequence[AnyPart]) -> ToolResult:
    id, name = text_if(kwargs.get("tool_call_id")), text_if(kwargs.get("name"))
    pieces = tuple(p for p in parts if isinstance(p, Text | Image | File | Opaque))
    others = [p for p in parts if not isinstance(p, Text | Image | File | Opaque)]
    held = tuple(Opaque(format=NAME, kind="block", value=_block(p) or {}) for p in others)
    status = "error" if kwargs.get("is_error") is True else "ok"
    return ToolResult(call_id=id or name, name=name, content=(*pieces, *held), status=status)


def _message(events: Sequence[Event]) -> Json:
    event = events[0]
    kwargs: Json = {}
    parts: Sequence[AnyPart] = event.parts
    if event.role == "tool":
        result = event.results[0] if event.results else ToolResult(call_id="")
        kwargs = {"tool_call_id": result.call_id}
        kwargs |= {"name": result.name} if result.name else {}
        kwargs |= {} if result.status == "ok" else {"is_error": True}
        parts = result.content
    listed = [call.extra[NAME]["kwargs"] for call in event.calls if _of_kwargs(call)]
    if listed:
        kwargs["tool_calls"] = listed
    blocks = [block for p in parts if not _of_kwargs(p) and (block := _block(p))]
    return {"role": event.role, "additional_kwargs": kwargs, "blocks": blocks}


def _of_kwargs(part: AnyPart) -> bool:
    return isinstance(part, ToolCall) and "kwargs" in part.extra.get(NAME, {})


def _block(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"block_type": "text", "text": part.text}
        case Thinking():
            signed = {"signature": part.signature} if part.signature else {}
            thought = {"block_type": "thinking", "content": part.text}
            return {**thought, "additional_information": signed}
        case ToolCall():
            values = object_of(part.arguments)
            as_text = values is None or part.extra.get(NAME, {}).get("text")
            call = {"block_type": "tool_call", "tool_call_id": part.id, "tool_name": part.name}
            return {**call, "tool_kwargs": part.arguments if as_text else values}
        case Image() | File() if part.data or part.url:
            return _media_json(part)
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None


def _media_json(part: Image | File) -> Json:
    family = part.media_type.partition("/")[0]
    kind = "image" if isinstance(part, Image) else family
    kind = kind if kind in ("audio", "video") or isinstance(part, Image) else "document"
    place, typed, _ = _MEDIA[kind]
    media = part.media_type.removeprefix("audio/") if kind == "audio" else part.media_type
    block: Json = {"block_type": kind, place: part.data or None, "url": part.url or None}
    named = {"title": part.name} if isinstance(part, File) and part.name else {}
    return {**block, typed: media, **(named if kind == "document" else {})}
