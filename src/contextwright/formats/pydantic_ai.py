"""Pydantic AI messages, as `ModelMessagesTypeAdapter` dumps them: requests and responses."""

from collections.abc import Iterator, Sequence
from typing import Any

from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Fields, Json, list_if, object_if, object_of, text_of, wrong
from contextwright.formats.format_evidence import most
from contextwright.formats.message_document import fields_beside, with_fields
from contextwright.formats.provenance import ReadSoFar, read_messages, write_messages
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
from contextwright.text.encoded_forms import standard_base64

NAME = "pydantic-ai"
LINES = False
_ROLES: dict[str, Role] = {"system-prompt": "system", "tool-return": "tool"}
KNOWN_KINDS = frozenset(
    {"builtin-tool-call", "builtin-tool-return", "native-tool-call", "native-tool-return", "file",
     "compaction", "cache-point", "uploaded-file", "image-url", "document-url", "audio-url",
     "video-url", "binary", "tool-search-call", "tool-search-return", "speech",
     "instruction-delta", "tool-availability-delta", "capability-load-delta",
     "model-settings-delta", "instruction-baseline"}
)  # fmt: skip
_CHANGED = "instruction-delta"
"""Kind of an instruction that holds from there on, in the place of an earlier one."""
_RECORDS = {_CHANGED, "tool-availability-delta", "capability-load-delta", "model-settings-delta",
            "instruction-baseline"}  # fmt: skip
"""Kinds of parts that say what changed beside the messages: nobody said them."""
_WORDS = {"speech": "transcript", "retry-feedback": "content", _CHANGED: "content"}
"""Kinds of parts that say something in words, and where."""
_FIELDS = "beside"
"""What such a part says beside its words."""
_USUAL = {"image/png", "application/octet-stream"}
"""Types of files that name none."""
_MEDIA = {"image-url", "document-url", "audio-url", "video-url", "binary"}


def sniff(document: Document) -> bool:
    """Requests and responses, each with parts."""
    return most(items_of(document, "messages"), is_message)


def is_message(message: Json) -> bool:
    """Whether a message has the form of Pydantic AI's."""
    return message.get("kind") in ("request", "response") and isinstance(message.get("parts"), list)


def read(document: Document) -> Session:
    """The session. Instructions of a request are a system event in front of it."""
    body, _, _ = body_of(document, "messages")
    messages = numbered(document, "message", "messages")
    return Session(
        "session",
        read_messages(NAME, messages, _events, _message),
        metadata={NAME: fields_beside(body, "messages")} if body else {},
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    return list(read_messages(NAME, messages, _events, _message, before))


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages, as `ModelMessagesTypeAdapter.validate_python` takes them; a document where they
    came from one."""
    messages = write_messages(NAME, session.log, _message, _same_request)
    return with_fields(NAME, session, messages)


def _same_request(before: Event, event: Event) -> bool:
    """Whether two events of other formats are parts of one request: the model spoke in neither, and
    they are not two messages of the user, which are one in a request."""
    roles = {before.role, event.role}
    return "assistant" not in roles and roles != {"user"}


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    parts = [Fields(part, at) for part, at in message.items("parts")]
    if message.get("kind") == "response":
        answers = tuple(map(_answer, parts))
        return [Event(id="", role="assistant", parts=answers)]
    if message.get("kind") != "request":
        raise wrong("request or response", message.get("kind"), f"{where}, field kind")
    groups: list[tuple[Role, list[AnyPart]]] = []
    stays = set[int]()
    instructions = message.text("instructions", "")
    if instructions:
        groups.append(("system", [Text(text=instructions, extra={NAME: {"instructions": True}})]))
    for part in parts:
        role, own = _request_part(part)
        # a record is of what it stands behind; alone, it is the system's
        is_record = role == "system" and isinstance(own[0], Opaque)
        if groups and (is_record or (role == "user" and groups[-1][0] == "user")):
            groups[-1][1].extend(own)
        else:
            groups.append((role, own))
        if part.get("part_kind") == _CHANGED and not is_record:
            stays.add(len(groups) - 1)
    if not groups:
        groups.append(("user", []))
    return [
        Event(id="", role=role, parts=tuple(own), pinned=number in stays)
        for number, (role, own) in enumerate(groups)
    ]


def _request_part(part: Fields) -> tuple[Role, list[AnyPart]]:
    kind = part.text("part_kind")
    # a retry that answers no call is said as the user
    if kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name")):
        return "tool", [_result(part, kind)]
    if (words := _words(part, kind)) is not None:
        return "system" if kind == _CHANGED else "user", [words]
    if kind in _RECORDS:
        return "system", [Opaque(format=NAME, kind=kind, value=part.whole)]
    if kind not in {"system-prompt", "user-prompt", "retry-prompt"}:
        return "user", [Opaque(format=NAME, kind=kind, value=part.whole)]
    extra: Json = {NAME: {"part_kind": kind}} if kind == "retry-prompt" else NO_FIELDS
    content = part.get("content")
    # a list in a retry is pydantic's, of validation errors
    if not isinstance(content, list) or kind == "retry-prompt":
        return _ROLES.get(kind, "user"), [Text(text=_as_text(content), extra=extra)]
    return "user", [_user_content(item, at) for item, at in part.items("content")]


def _words(part: Fields, kind: str) -> Text | None:
    """What a part says in words; None where it says nothing, or is heard."""
    field = _WORDS.get(kind, "")
    content = part.get(field) if field else None
    if not content or (kind == "speech" and part.get("audio")):
        return None
    others = {key: value for key, value in part.whole.items() if key != field}
    return Text(text=_as_text(content), extra={NAME: {_FIELDS: others}})


def _worded(part: Text) -> Json | None:
    """The part that says this in words; None for a plain text."""
    others = object_if(part.extra.get(NAME)).get(_FIELDS)
    return {**others, _WORDS[others["part_kind"]]: part.text} if others else None


def _as_text(content: Any) -> str:
    if content is None:
        return ""
    return content if isinstance(content, str) else text_of(content)


def _user_content(value: Any, where: str) -> Text | Image | File | Opaque:
    if isinstance(value, str):
        return Text(text=value)
    item = Fields(value, where)
    kind = str(item.get("kind"))
    if kind == "text-content":
        return Text(text=item.text("content", ""))
    url, data = str(item.get("url") or ""), standard_base64(str(item.get("data") or ""))
    media = str(item.get("media_type") or "")
    if kind not in _MEDIA or not (url or data):
        return Opaque(format=NAME, kind=kind, value=value)
    if kind == "image-url" or media.startswith("image/"):
        return Image(media_type=media or "image/png", url=url, data=data)
    return File(media_type=media or "application/octet-stream", url=url, data=data)


def _result(part: Fields, kind: str) -> ToolResult:
    failed = kind == "retry-prompt" or part.get("outcome") in {"failed", "denied", "retried"}
    pieces: tuple[Any, ...] = (Text(text=_as_text(part.get("content"))),)
    if any("kind" in object_if(item) for item in list_if(part.get("content"))):
        pieces = tuple(_user_content(item, at) for item, at in part.items("content"))
    return ToolResult(
        call_id=part.text("tool_call_id", ""),
        name=part.text("tool_name", ""),
        content=pieces,
        status="error" if failed else "ok",
        extra={NAME: {"part_kind": kind}} if kind == "retry-prompt" else NO_FIELDS,
    )


def _answer(part: Fields) -> AnyPart:
    kind = part.text("part_kind")
    if (words := _words(part, kind)) is not None:
        return words
    if kind == "text":
        return Text(text=part.text("content", ""))
    if kind == "thinking":
        signature, provider = part.text("signature", ""), str(part.get("provider_name") or "")
        return Thinking(text=part.text("content", ""), signature=signature, provider=provider)
    if kind == "tool-call":
        id, name = part.text("tool_call_id", ""), part.text("tool_name")
        return ToolCall(id=id, name=name, arguments=_as_text(part.get("args")) or "{}")
    # the provider's own calls, and their results
    return Opaque(format=NAME, kind=kind, value=part.whole)


def _message(events: Sequence[Event]) -> Json:
    if events[0].role == "assistant":
        parts = [part for p in events[0].parts if (part := _answer_json(p))]
        return {"kind": "response", "parts": parts}
    message: Json = {"kind": "request", "parts": []}
    for event in events:
        first = event.parts[0].extra.get(NAME, {}) if event.parts else {}
        if first.get("instructions"):
            message["instructions"] = event.text
        elif event.role == "user":
            message["parts"] += _user_parts(event)
        else:
            message["parts"] += _other_parts(event)
    return message


def _user_parts(event: Event) -> Iterator[Json]:
    """A prompt for the words and pictures that stand together; any other part by itself."""
    content: list[Any] = []
    for part in event.parts:
        if isinstance(part, Opaque) and part.format == NAME and "part_kind" in part.value:
            yield part.value
        elif isinstance(part, Text) and (worded := _worded(part)):
            yield worded
        elif isinstance(part, Text) and part.extra.get(NAME, {}).get("part_kind"):
            yield {"part_kind": "retry-prompt", "content": part.text}
        else:
            item = _content_json(part)
            content += [item] if item is not None else []
    if content:
        alone = len(content) == 1 and isinstance(content[0], str)
        yield {"part_kind": "user-prompt", "content": content[0] if alone else content}


def _other_parts(event: Event) -> Iterator[Json]:
    for part in event.parts:
        if isinstance(part, ToolResult):
            kind = part.extra.get(NAME, {}).get("part_kind", "tool-return")
            base = {"part_kind": kind, "tool_name": part.name, "tool_call_id": part.call_id}
            failed = part.status == "error" and kind != "retry-prompt"
            outcome = {"outcome": "failed"} if failed else {}
            yield {**base, "content": _result_content(part), **outcome}
        elif isinstance(part, Text):
            yield _worded(part) or {"part_kind": "system-prompt", "content": part.text}
        elif isinstance(part, Opaque) and part.format == NAME:
            yield part.value


def _result_content(part: ToolResult) -> Any:
    """What a tool gave: a text, or a list where a picture or a file is in it."""
    if not any(isinstance(piece, Image | File) for piece in part.content):
        return part.text
    return [item for piece in part.content if (item := _content_json(piece)) is not None]


def _content_json(part: AnyPart) -> Any:
    match part:
        case Text():
            return part.text
        case Image() | File() if part.url:
            return _url_json(part)
        case Image() | File() if part.data:
            return {"kind": "binary", "data": part.data, "media_type": part.media_type}
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None


def _url_json(part: Image | File) -> Json:
    family = part.media_type.partition("/")[0]
    kind = family if family in ("image", "audio", "video") else "document"
    # what is not named is told from the address
    named = {} if part.media_type in _USUAL else {"media_type": part.media_type}
    return {"kind": f"{kind}-url", "url": part.url, **named}


def _answer_json(part: AnyPart) -> Json | None:
    if isinstance(part, Text):
        return _worded(part) or {"part_kind": "text", "content": part.text}
    if isinstance(part, Thinking):
        thought = {"part_kind": "thinking", "content": part.text}
        named = {"provider_name": part.provider} if part.provider else {}
        return {**thought, "signature": part.signature or None, **named}
    if isinstance(part, ToolCall):
        args = object_of(part.arguments)
        call = {"part_kind": "tool-call", "tool_name": part.name, "tool_call_id": part.id}
        return {**call, "args": part.arguments if args is None else args}
    return part.value if isinstance(part, Opaque) and part.format == NAME else None
