"""What a session says, fact by fact: what two sessions differ in is what one of them lacks."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from contextwright.formats.fields import object_if, value_of
from contextwright.session.event import (
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

Key = tuple[str, str, str, str]
"""Kind of the part, what it is told by, the field, and its value: one line of a text, for where
one text ends and the next begins is all that a list of texts says beside its lines."""


_EVENT: Key = ("event", "", "", "")


class MessageFact(msgspec.Struct, frozen=True):
    """One thing that an event says.

    Args:
        event: the event's position. part: the part's place in it; -1 for that there is an event.
        role: of the event.
    """

    event: int
    part: int
    role: str
    key: Key

    @property
    def place(self) -> tuple[int, int]:
        """Of the part."""
        return self.event, self.part

    @property
    def whole(self) -> tuple[str, Key]:
        """All that tells it from others."""
        return self.role, self.key


def facts_of(events: Iterable[Event]) -> list[MessageFact]:
    """The facts of events, in their order. A field that says nothing is none, and neither is an
    empty text; a result has the name of the tool that was called, whether it says it or not, and
    what stands beside results in one event is theirs."""
    facts: list[MessageFact] = []
    names: dict[str, str] = {}
    for position, event in enumerate(events):
        facts.append(MessageFact(position, -1, event.role, _EVENT))
        owner = event.results[0].call_id if event.results else None
        for place, part in enumerate(event.parts):
            if isinstance(part, ToolCall):
                names[part.id] = part.name
            if isinstance(part, ToolResult):
                if part is not event.results[0]:  # most formats have a message for each
                    facts.append(MessageFact(position, place, event.role, _EVENT))
                owner = part.call_id
            is_content = owner is not None and isinstance(part, Text | Image | File | Opaque)
            keys = _content_keys(owner or "", [part]) if is_content else _part_keys(part, names)
            facts += [MessageFact(position, place, event.role, key) for key in keys]
    return facts


def _part_keys(part: AnyPart, names: Mapping[str, str]) -> Iterator[Key]:
    match part:
        case Text():
            yield from _lines("text", "", part.text)
        case Thinking():
            yield from _lines("thinking", "", part.text)
            yield from _fields(part, "", "signature", "redacted", "provider")
        case ToolCall():
            yield ("tool_call", part.id, "name", part.name)
            yield ("tool_call", part.id, "arguments", _arguments(part.arguments))
        case ToolResult():
            yield from _result_keys(part, names)
        case Image():
            yield from _media_keys(part, "")
        case File():
            yield from _media_keys(part, "")
        case Opaque():
            yield ("opaque", part.kind, "value", _json(part.value))


def _result_keys(part: ToolResult, names: Mapping[str, str]) -> Iterator[Key]:
    id, kind = part.call_id, "tool_result"
    name = part.name or names.get(id, "")
    yield (kind, id, "name", name)
    if part.status != "ok":
        yield (kind, id, "status", part.status)
    yield from _content_keys(id, part.content)


def _content_keys(id: str, content: Iterable[AnyPart]) -> Iterator[Key]:
    kind = "tool_result"
    for piece in content:
        if isinstance(piece, Text):
            yield from _lines(kind, id, piece.text)
        elif isinstance(piece, Image | File):
            for _, locator, field, value in _media_keys(piece, f"{id} "):
                yield (kind, locator, f"{_tag(piece)}.{field}", value)
        elif isinstance(piece, Opaque):
            yield (kind, id, "opaque", _json(piece.value))


def _media_keys(part: Image | File, prefix: str) -> Iterator[Key]:
    fields = ("data", "url", "file_id")
    locator = prefix + next((value for key in fields if (value := getattr(part, key))), "")
    yield from _fields(part, locator, *fields, "media_type", "name", "detail")


_USUAL = {"detail": "auto"}
"""What a format may say or leave out."""


def _fields(part: Part, locator: str, *names: str) -> Iterator[Key]:
    for name in names:
        value = getattr(part, name, "")
        if value and value != _USUAL.get(name):
            yield (_tag(part), locator, name, value)


def _lines(tag: str, locator: str, text: str) -> Iterator[Key]:
    if text:
        yield from ((tag, locator, "text", line) for line in text.split("\n"))


def _tag(part: Part) -> str:
    return str(part.__struct_config__.tag)


def _arguments(text: str) -> str:
    value = value_of(text)
    return text if value == text else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def notes_of(event: Event, format: str) -> dict[str, Any]:
    """What only a record of a conversation says of a message, and no model is shown.

    Args:
        format: that is written: what it keeps of its own is in what it writes.
    """
    return {
        "id": event.id,
        "author": event.author,
        "time_ms": event.time_ms,
        "invocation": event.invocation,
        "tags": event.tags,
        "pinned": event.is_pinned,
        "metadata": dict(event.metadata),
        "extra": _others(event, format),
    }


def _others(event: Event, format: str) -> dict[str, Any]:
    """What other formats said beside the fields of an event and of its parts."""
    others: dict[str, Any] = {}
    for name, value in event.extra.items():
        rests = [record["rest"] for record in _records(value) if record.get("rest")]
        plain = {key: item for key, item in object_if(value).items() if key != "records"}
        if name != format and (rests or plain):
            others[name] = [rests, plain]
    for place, part in enumerate(event.parts):
        pieces = part.content if isinstance(part, ToolResult) else ()
        for one in (part, *pieces):
            for name in one.extra.keys() - {format}:
                others[f"{place} {name}"] = one.extra[name]
    return others


def _records(value: Any) -> list[dict[str, Any]]:
    return [object_if(record) for record in object_if(value).get("records", ())]
