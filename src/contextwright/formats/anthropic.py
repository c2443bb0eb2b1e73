"""Anthropic Messages: `{"system", "messages", "tools"}`, or the list of messages."""

from collections.abc import Sequence
from typing import Any

from contextwright.formats.document import Document, body_of, is_empty_request, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_object,
    list_if,
    object_if,
    text_if,
    text_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.provenance import ReadSoFar, read_messages, write_messages
from contextwright.formats.request_body import ORDER, TOOLS, in_its_order, order_of, without_marks
from contextwright.formats.tool_schemas import tool_of
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

NAME = "anthropic"
LINES = False
KNOWN_KINDS = frozenset(
    {"server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
     "code_execution_tool_result", "bash_code_execution_tool_result",
     "text_editor_code_execution_tool_result", "tool_search_tool_result", "advisor_tool_result",
     "mcp_tool_use", "mcp_tool_result", "mcp_tool_listing", "container_upload", "search_result",
     "compaction", "tool_addition", "tool_removal", "fallback", "image", "document"}
)  # fmt: skip
_OWN = KNOWN_KINDS - {"image", "document"} | {
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
}
_BODY = {"system", "anthropic_version"}
"""What only a body of Anthropic's has."""
SYSTEM_FIELD = "$system"
"""Role of the message that the field `system` is read as: one within the messages stays there."""


def sniff(document: Document) -> bool:
    """A system text or tools beside the messages, or parts, of Anthropic's kinds."""
    body, _, _ = body_of(document, "messages")
    if is_empty_request(document, "messages"):
        return bool(_BODY & body.keys()) or str(body["model"]).startswith("claude-")
    messages = [object_if(message) for message in items_of(document, "messages")]
    if any("tool_calls" in message for message in messages) or not most(messages, _has_role):
        return False
    if _BODY & body.keys() or any(
        "input_schema" in object_if(t) for t in list_if(body.get("tools"))
    ):
        return True
    if any(message.get("type") == "message" and is_message(message) for message in messages):
        return True
    with_blocks = [message for message in messages if isinstance(message.get("content"), list)]
    if any(map(_has_own, with_blocks)):
        return True
    # gateways that speak Chat take marks of the cache too, and have the system text in a message
    named, limit = str(body.get("model", "claude")), body.get("max_tokens")
    if "claude" not in named and not isinstance(limit, int):
        return False
    users = all(message.get("role") != "system" for message in messages)
    return users and any(map(is_message, with_blocks))


def is_message(message: Json) -> bool:
    """Whether a message holds a block, or a mark of the cache, as Anthropic's have them."""
    if not _has_role(message):
        return False
    if message.get("type") == "message" and "model" in message:  # an answer, with what it cost
        return True
    blocks = map(object_if, list_if(message.get("content")))
    return _has_own(message) or any("cache_control" in block for block in blocks)


def _has_own(message: Json) -> bool:
    return any(map(_is_own, list_if(message.get("content"))))


def _has_role(message: Json) -> bool:
    return message.get("role") in ("user", "assistant", "system") and "content" in message


def _is_own(value: Any) -> bool:
    block = object_if(value)
    kind = block.get("type")
    if kind in ("image", "document"):
        return isinstance(block.get("source"), dict)
    if kind == "thinking":  # Mistral's holds a list
        return isinstance(block.get("thinking"), str)
    return isinstance(kind, str) and kind in _OWN


def read(document: Document) -> Session:
    """The session; the system text is its first event."""
    body, _, _ = body_of(document, "messages")
    messages = numbered(document, "message", "messages")
    if "system" in body:
        system = {"role": SYSTEM_FIELD, "content": body["system"]}
        messages.insert(0, (system, f"{document.name}, field system"))
    fields = {k: v for k, v in body.items() if k not in {"messages", "tools", "system"}}
    if any(key in body for key in ("model", "max_tokens", "anthropic_version")):
        fields[ORDER] = order_of(body, "messages")
    if "tools" in body and not body["tools"]:
        fields[TOOLS] = body["tools"]
    tools = body.get("tools") or ()
    return Session(
        str(fields.get("id") or "session"),
        read_messages(NAME, messages, _events, message_of),
        tools=[tool_of(tool, f"tools[{n}]", NAME) for n, tool in enumerate(tools)],
        metadata={NAME: fields} if body else {},
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    return list(read_messages(NAME, messages, _events, message_of, before))


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages; a document where there is a system text, tools, or more beside them."""
    messages = write_messages(NAME, session.log, message_of, _together)
    fields = session.metadata.get(NAME)
    leading = [m for m in messages if m["role"] == SYSTEM_FIELD]
    messages = [m for m in messages if m["role"] != SYSTEM_FIELD]
    if fields is None and not session.tools and not leading:
        return messages
    document: Json = {**without_marks(fields), "messages": messages}
    if TOOLS in (fields or {}):
        document["tools"] = (fields or {})[TOOLS]
    if len(leading) == 1:
        document["system"] = leading[0]["content"]
    elif leading:
        document["system"] = [part for m in leading for part in _as_list(m["content"])]
    if session.tools:
        document["tools"] = [tool.extra.get(NAME) or _tool(tool) for tool in session.tools]
    return in_its_order(document, fields)


def _tool(tool: Tool) -> Json:
    schema = tool.parameters or {"type": "object"}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _as_list(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role, content = message.get("role"), message.get("content")
    if role not in ("system", "user", "assistant", SYSTEM_FIELD):
        raise wrong("a role of user or assistant", role, f"{where}, field role")
    if isinstance(content, str):
        parts: list[AnyPart] = [Text(text=content)] if content else []
    else:
        parts = [part_of(block, at) for block, at in message.items("content")]
    if role == "user":
        return user_events(parts, text_if(message.get("id")))
    own = "assistant" if role == "assistant" else "system"
    return [Event(id=text_if(message.get("id")), role=own, parts=tuple(parts))]


def user_events(parts: Sequence[AnyPart], id: str = "") -> list[Event]:
    """A user's message: an event for each result in it, and one for what the user says."""
    results = [part for part in parts if isinstance(part, ToolResult)]
    rest = tuple(part for part in parts if not isinstance(part, ToolResult))
    events = [Event(id="", role="tool", parts=(result,)) for result in results]
    if rest or not events:
        events.append(Event(id="" if events else id, role="user", parts=rest))
    return events


def part_of(value: Any, where: str) -> AnyPart:
    """A content block as a part."""
    block = Fields(value, where)
    kind = block.get("type")
    if kind == "text":
        return Text(text=block.text("text"))
    if kind == "tool_use":
        arguments = text_of(block.get("input", {}))
        return ToolCall(id=block.text("id", ""), name=block.text("name"), arguments=arguments)
    if kind == "tool_result":
        return _result(block)
    if kind == "thinking":
        text, signature = block.text("thinking", ""), block.text("signature", "")
        return Thinking(text=text, signature=signature, provider="anthropic")
    if kind == "redacted_thinking":
        return Thinking(redacted=block.text("data"), provider="anthropic")
    if kind in ("image", "document") and isinstance(block.get("source"), dict):
        return _media(value, value["source"])
    return Opaque(format=NAME, kind=str(kind), value=value)


def _result(block: Fields) -> ToolResult:
    content = block.get("content")
    if isinstance(content, str):
        pieces = (Text(text=content),)
    else:
        pieces = tuple(_inside(item, at) for item, at in block.items("content", required=False))
    status = "error" if block.get("is_error") is True else "ok"
    return ToolResult(call_id=block.text("tool_use_id", ""), content=pieces, status=status)


def _inside(block: Any, where: str) -> Text | Image | File | Opaque:
    """A part that may stand in a tool result; what may not is kept as it was."""
    part = part_of(block, where)
    if isinstance(part, Text | Image | File | Opaque):
        return part
    return Opaque(format=NAME, kind=str(block.get("type")), value=block)


def _media(block: Json, source: Json) -> Image | File | Opaque:
    kind, media = source.get("type"), str(source.get("media_type") or "")
    data = str(source.get("data") or "") if kind == "base64" else ""
    url = str(source.get("url") or "") if kind == "url" else ""
    id = str(source.get("file_id") or "") if kind == "file" else ""
    if not (data or url or id):
        return Opaque(format=NAME, kind=str(block["type"]), value=block)
    if block["type"] == "image":
        return Image(media_type=media or "image/png", data=data, url=url, file_id=id)
    name = str(block.get("title") or "")
    media = media or "application/pdf"
    return File(media_type=media, name=name, data=data, url=url, file_id=id)


def block_of(part: AnyPart) -> Json | None:
    """A part as a content block; None for what this format can not say."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case ToolCall():
            arguments = call_object(part.arguments)
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": arguments}
        case ToolResult():
            return _result_block(part)
        case Thinking(redacted=data) if data and not part.text:
            return {"type": "redacted_thinking", "data": data}
        case Thinking():
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case Image() | File():
            kind = "image" if isinstance(part, Image) else "document"
            titled = {"title": part.name} if isinstance(part, File) and part.name else {}
            return {"type": kind, "source": _source(part), **titled}
        case _:
            return part.value if part.format == NAME else None


def _result_block(part: ToolResult) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": part.call_id}
    if len(part.content) == 1 and isinstance(part.content[0], Text):
        block["content"] = part.content[0].text
    else:
        block["content"] = [b for piece in part.content if (b := block_of(piece))]
    if part.status != "ok":
        block["is_error"] = True
    return block


def _source(part: Image | File) -> Json:
    if part.url:
        return {"type": "url", "url": part.url}
    if part.file_id:
        return {"type": "file", "file_id": part.file_id}
    return {"type": "base64", "media_type": part.media_type, "data": part.data}


def message_of(events: Sequence[Event]) -> Json:
    """The message that these events stand for."""
    role = {"tool": "user", "system": SYSTEM_FIELD}.get(events[0].role, events[0].role)
    parts = [part for event in events for part in event.parts]
    if len(parts) == 1 and isinstance(parts[0], Text):
        return {"role": role, "content": parts[0].text}
    return {"role": role, "content": [block for part in parts if (block := block_of(part))]}


def _together(before: Event, event: Event) -> bool:
    """Results of one message share the user's message, with what the user says behind them."""
    return before.role == "tool" and event.role in {"tool", "user"}
