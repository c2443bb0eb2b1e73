"""Bedrock Converse: `{"modelId", "system", "messages", "toolConfig"}`, or the list of messages.

A block says by its one key what it is. Bytes are base64, as the REST interface has them.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.formats.anthropic import user_events
from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.document_text import document_text
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_object,
    list_if,
    object_if,
    text_of,
    value_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.media_part import media_part
from contextwright.formats.message_document import fields_beside
from contextwright.formats.provenance import read_messages, write_messages
from contextwright.formats.request_body import in_its_order, without_marks
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

NAME = "bedrock"
LINES = False
KNOWN_KINDS = frozenset(
    {"cachePoint", "guardContent", "citationsContent", "searchResult", "toolAddition",
     "toolRemoval", "image", "document", "video", "audio", "reasoningContent"}
)  # fmt: skip
_POINT = "cachePoint"
"""Kind of the block that marks a place for the provider's cache."""
_WRAPPED, _IN = ("guardContent", "citationsContent"), "in"
"""Kinds of blocks around a text; and where a text says which it came in."""
_KINDS = KNOWN_KINDS | {"text", "toolUse", "toolResult"}
_MEDIA = {
    "jpg": "image/jpeg", "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown",
    "csv": "text/csv", "html": "text/html", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
"""Media types of Bedrock's formats; of any other `image/FORMAT`, `audio/FORMAT`, `video/FORMAT`."""
_FORMATS = {media: format for format, media in _MEDIA.items() if format != "jpg"}
_SYSTEM = "$system"
"""Role of the message that the field `system` is read as: one within the messages stays there."""


def sniff(document: Document) -> bool:
    """Messages whose blocks have a key of Converse's and no type."""
    return most(items_of(document, "messages"), is_message)


def is_message(message: Json) -> bool:
    """Whether a message has the form of Converse's."""
    blocks = list_if(message.get("content"))
    roles = ("user", "assistant", "system")
    return message.get("role") in roles and bool(blocks) and most(blocks, _is_block)


def _is_block(block: Json) -> bool:
    return "type" not in block and any(key in _KINDS for key in block)


def read(document: Document) -> Session:
    """The session; the system blocks are its first event."""
    body, _, _ = body_of(document, "messages")
    messages = numbered(document, "message", "messages")
    if body.get("system"):
        system = {"role": _SYSTEM, "content": body["system"]}
        messages.insert(0, (system, f"{document.name}, field system"))
    own = ("messages", "system") if body.get("system") else ("messages",)
    return Session(
        "session",
        read_messages(NAME, messages, _events, message_of),
        tools=_tools(object_if(body.get("toolConfig"))),
        metadata={NAME: fields_beside(body, *own)} if body else {},
    )


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages; a document where there is a system text, tools, or more beside them."""
    messages = write_messages(NAME, session.log, message_of, _together)
    system = [block for m in messages if m["role"] == _SYSTEM for block in m["content"]]
    messages = [message for message in messages if message["role"] != _SYSTEM]
    fields = session.metadata.get(NAME)
    if fields is None and not session.tools and not system:
        return messages
    document: Json = {**without_marks(fields), "messages": messages}
    if system:
        document["system"] = system
    if session.tools and "toolConfig" not in document:
        document["toolConfig"] = {"tools": [tool_json(tool) for tool in session.tools]}
    return in_its_order(document, fields)


def tool_json(tool: Tool) -> Json:
    """A tool in Converse's form, or as it came."""
    if NAME in tool.extra:
        return tool.extra[NAME]
    described = {"description": tool.description} if tool.description else {}
    schema = {"json": tool.parameters or {"type": "object"}}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": schema}}


def _tools(config: Json) -> list[Tool]:
    tools: list[Tool] = []
    for value in list_if(config.get("tools")):
        spec = object_if(object_if(value).get("toolSpec") or object_if(value).get("systemTool"))
        if isinstance(spec.get("name"), str):
            schema = object_if(object_if(spec.get("inputSchema")).get("json"))
            name, description = spec["name"], str(spec.get("description") or "")
            extra = {NAME: value}
            tools.append(Tool(name=name, description=description, parameters=schema, extra=extra))
    return tools


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role = message.get("role")
    if role not in ("user", "assistant", "system", _SYSTEM):
        raise wrong("a role of user or assistant", role, f"{where}, field role")
    parts = [part_of(block, at) for block, at in message.items("content")]
    if role == "user":
        return user_events(_with_points(parts))
    own = "assistant" if role == "assistant" else "system"
    return [Event(id="", role=own, parts=tuple(parts))]


def _with_points(parts: list[AnyPart]) -> list[AnyPart]:
    """Parts of a user's message; cache points behind its last result are that result's. As a part
    of their own they would be a user who says nothing, and takes a turn."""
    end = len(parts)
    while end and isinstance(point := parts[end - 1], Opaque) and point.kind == _POINT:
        end -= 1
    last = parts[end - 1] if end else None
    if end == len(parts) or not isinstance(last, ToolResult):
        return parts
    points = [part.value for part in parts[end:] if isinstance(part, Opaque)]
    extra = {**last.extra, NAME: {_POINT: points}}
    return [*parts[: end - 1], msgspec.structs.replace(last, extra=extra)]


def part_of(value: Any, where: str) -> AnyPart:
    """A content block as a part."""
    block = Fields(value, where)
    kind = next((key for key in block.whole if key in _KINDS), next(iter(block.whole), ""))
    if kind == "text":
        return Text(text=block.text("text"))
    if kind == "toolUse":
        call = block.inner("toolUse")
        arguments = text_of(call.get("input", {}))
        return ToolCall(id=call.text("toolUseId", ""), name=call.text("name"), arguments=arguments)
    if kind == "toolResult":
        return _result(block.inner("toolResult"))
    if kind in _WRAPPED and (text := _wrapped_text(block.whole, kind)):
        return Text(text=text, extra={NAME: {_IN: kind}})
    return _reasoning(block.whole) or _media(block.whole, kind) or _opaque(block.whole, kind)


def _wrapped_text(block: Json, kind: str) -> str:
    """What somebody says in a block around it: a user in one that a guardrail looks at, a model
    beside its citations. Empty where it is no text."""
    inner = object_if(block[kind])
    if kind == "guardContent":
        text = object_if(inner.get("text")).get("text")
        return text if isinstance(text, str) else ""
    pieces = [object_if(piece).get("text") for piece in list_if(inner.get("content"))]
    texts = [text for text in pieces if isinstance(text, str)]
    return "".join(texts) if len(texts) == len(pieces) else ""


def _wrapped(text: Text) -> Json:
    """A text as the block that it came in."""
    match object_if(text.extra.get(NAME)).get(_IN):
        case "guardContent":
            return {"guardContent": {"text": {"text": text.text}}}
        case "citationsContent":
            return {"citationsContent": {"content": [{"text": text.text}]}}
        case _:
            return {"text": text.text}


def _opaque(block: Json, kind: str) -> Opaque:
    return Opaque(format=NAME, kind=kind, value=block)


def _result(result: Fields) -> ToolResult:
    pieces = tuple(_inside(item, at) for item, at in result.items("content", required=False))
    status = "error" if result.get("status") == "error" else "ok"
    return ToolResult(call_id=result.text("toolUseId", ""), content=pieces, status=status)


def _inside(value: Any, where: str) -> Text | Image | File | Opaque:
    """A part of a tool result; data is its JSON text."""
    block = Fields(value, where).whole
    if "json" in block:
        return Text(text=text_of(block["json"]), extra={NAME: {"json": True}})
    part = part_of(block, where)
    return part if isinstance(part, Text | Image | File | Opaque) else _opaque(block, "block")


def _reasoning(block: Json) -> Thinking | None:
    content = object_if(block.get("reasoningContent"))
    shown = object_if(content.get("reasoningText"))
    text, signature = shown.get("text"), shown.get("signature", "")
    if isinstance(text, str) and isinstance(signature, str):
        # of the models there, only Claude signs what it thinks
        provider = "anthropic" if signature else ""
        return Thinking(text=text, signature=signature, provider=provider)
    redacted = content.get("redactedContent")
    return Thinking(redacted=redacted, provider="anthropic") if isinstance(redacted, str) else None


def _media(block: Json, kind: str) -> Image | File | None:
    media = object_if(block.get(kind)) if kind in ("image", "document", "video", "audio") else {}
    source = object_if(media.get("source"))
    data, url = source.get("bytes", ""), object_if(source.get("s3Location")).get("uri", "")
    format, name = media.get("format"), media.get("name", "")
    texts = all(isinstance(each, str) for each in (data, url, format, name))
    if not texts or not (data or url):
        return None
    return media_part(_media_type(str(format), kind), data=data, url=url, name=name)


def _media_type(format: str, kind: str) -> str:
    family = "application" if kind == "document" else kind
    return _MEDIA.get(format, f"{family}/{format}")


def message_of(events: Sequence[Event]) -> Json:
    """The message that these events stand for."""
    role = {"tool": "user", "system": _SYSTEM}.get(events[0].role, events[0].role)
    blocks: list[Json] = []
    for part in (part for event in events for part in event.parts):
        blocks += [block] if (block := block_of(part)) else []
        blocks += list_if(object_if(part.extra.get(NAME)).get(_POINT))
    return {"role": role, "content": blocks}


def block_of(part: AnyPart) -> Json | None:
    """A part as a content block; None for what this format can not say."""
    match part:
        case Text():
            return _wrapped(part)
        case ToolCall():
            call = {"toolUseId": part.id, "name": part.name, "input": call_object(part.arguments)}
            return {"toolUse": call}
        case ToolResult():
            status = "success" if part.status == "ok" else "error"
            content = [block for piece in part.content if (block := _piece(piece))]
            return {"toolResult": {"toolUseId": part.call_id, "content": content, "status": status}}
        case Thinking(redacted=data) if data and not part.text:
            return {"reasoningContent": {"redactedContent": data}}
        case Thinking():
            signed = {"signature": part.signature} if part.signature else {}
            return {"reasoningContent": {"reasoningText": {"text": part.text, **signed}}}
        case Image() | File() if part.data or part.url:
            return _media_json(part)
        case Opaque() if part.format == NAME:
            return part.value
        case Opaque():
            return {"text": text} if (text := document_text(part)) else None
        case _:
            return None


def _piece(part: Text | Image | File | Opaque) -> Json | None:
    if isinstance(part, Text) and part.extra.get(NAME, {}).get("json"):
        return {"json": value_of(part.text)}
    return block_of(part)


def _media_json(part: Image | File) -> Json:
    family, _, last = part.media_type.partition("/")
    kind = "image" if isinstance(part, Image) else family
    kind = kind if kind in ("image", "video", "audio") else "document"
    source = {"bytes": part.data} if part.data else {"s3Location": {"uri": part.url}}
    media: Json = {"format": _FORMATS.get(part.media_type, last), "source": source}
    if isinstance(part, File) and kind == "document":
        media["name"] = part.name or "document"
    return {kind: media}


def _together(before: Event, event: Event) -> bool:
    """Results of one message share the user's message, with what the user says behind them."""
    return before.role == "tool" and event.role in {"tool", "user"}
