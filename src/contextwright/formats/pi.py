"""Session files of the pi coding agent (`~/.pi/agent/sessions`): an entry a line, in a tree.

Shown is the branch that the newest entry ends, as pi does when it goes on; entries beside it are
kept. A compaction and a summary of a branch become summary events; what they stand for stays in
the log. Commands that the user ran himself are the user's words, as pi sends them. Changes of the
model, labels, the state of extensions and answers that were broken off without a word are kept.
"""

from collections.abc import Sequence
from typing import Any

from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    an_object,
    call_object,
    object_if,
    text_if,
    text_of,
    wrong,
)
from contextwright.formats.media_part import media_part
from contextwright.formats.provenance import RecordReader, in_order
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
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

NAME = "pi"
LINES = True
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "toolResult": "tool"}
_NAMES = {"user": "user", "assistant": "assistant", "tool": "toolResult"}
_SYSTEM = "system"
"""The type of an extension's message that holds a system text: pi itself keeps none."""
_SUMMARIES = {"compaction", "branch_summary"}
_NO_USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0}
_UNBILLED: Json = {"api": "", "provider": "", "model": "", "usage": _NO_USAGE}
"""What an answer says of its making, of one that pi did not make."""


def sniff(document: Document) -> bool:
    """Whether this is a session of pi: its header, with the folder that it worked in."""
    first = object_if(document.records[0].value if document.lines and document.records else None)
    return first.get("type") == "session" and "cwd" in first


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a line is not an object with a type, or its message breaks the format.
    """
    reader = _EntryReader(document.records)
    for at in range(len(document.records)):
        reader.take(at)
    return reader.session(object_if(document.records[0].value).get("id"))


class _EntryReader(RecordReader):
    """The entries so far."""

    format = NAME

    def __init__(self, records: Sequence[Record]) -> None:
        super().__init__()
        self._entries = [_checked(record) for record in records]
        self._wheres = [record.where for record in records]
        self._branch = _branch(self._entries)

    def take(self, at: int) -> None:
        """Read the entry at this place."""
        entry, where = self._entries[at], self._wheres[at]
        kind = entry["type"]
        if at not in self._branch:
            self.hide(at, entry)
        elif kind == "message":
            self._message(at, entry, Fields(entry.get("message"), f"{where}, field message"))
        elif kind in _SUMMARIES and text_if(entry.get("summary")):
            parts: list[AnyPart] = [Text(text=entry["summary"])]
            summary = self.summary() if kind == "compaction" else NO_FIELDS
            self._keep(at, entry, "user", parts, kind, metadata=summary)
        elif kind == "custom_message":
            role: Role = "system" if entry.get("customType") == _SYSTEM else "user"
            self._keep(at, entry, role, _content(Fields(entry, where, ", field ")), kind)
        else:
            self.hide(at, entry)

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The entry of an event."""
        return _entry(events[0], shape)

    def _message(self, at: int, entry: Json, message: Fields) -> None:
        name = message.text("role")
        if name == "bashExecution":
            self._command(at, entry, message)
            return
        if name in ("custom", "hookMessage", "branchSummary", "compactionSummary"):
            text = message.get("summary") or message.get("content")
            spoken = _content(Fields({"content": text}, message.place("content")))
            self._keep(at, entry, "user", spoken, name)
            return
        role = _ROLES.get(name)
        if role is None:
            raise wrong("a role of user, assistant or toolResult", name, message.place("role"))
        parts: list[AnyPart] = [_result(message)] if role == "tool" else _content(message)
        if parts:
            self._keep(at, entry, role, parts, "message")
        else:
            self.hide(at, entry)

    def _command(self, at: int, entry: Json, message: Fields) -> None:
        """A command that the user ran, in pi's words; `!!` kept it from the model."""
        if message.get("excludeFromContext") is True:
            self.hide(at, entry)
            return
        output = message.text("output", "") or "(no output)"
        text = f"Ran `{message.text('command', '')}`\n```\n{output}\n```"
        self._keep(at, entry, "user", [Text(text=text)], "bashExecution")

    def _keep(
        self, at: int, entry: Json, role: Role, parts: list[AnyPart], shape: str, **head: Any
    ) -> None:
        time_ms = ms_of_iso(entry.get("timestamp"))
        id = text_if(entry.get("id"), f"line-{at + 1}")
        self.keep(at, entry, [(self.draft(id, role, time_ms=time_ms, **head), parts)], shape)


def _checked(record: Record) -> Json:
    entry = an_object(record.value, record.where)
    if not isinstance(entry.get("type"), str):
        raise wrong("the type of an entry", entry.get("type"), f"{record.where}, field type")
    return entry


def _branch(entries: list[Json]) -> set[int]:
    """Places of the entries from the newest one back to the root; all where they form no tree."""
    places = {id: at for at, entry in enumerate(entries) if isinstance(id := entry.get("id"), str)}
    tree = [at for at, entry in enumerate(entries) if "parentId" in entry]
    if not tree:
        return set(range(len(entries)))
    branch = {at for at, entry in enumerate(entries) if "parentId" not in entry}
    at: int | None = tree[-1]
    while at is not None and at not in branch:
        branch.add(at)
        parent = entries[at].get("parentId")
        at = places.get(parent) if isinstance(parent, str) else None
    return branch


def _content(message: Fields) -> list[AnyPart]:
    content = message.get("content")
    if isinstance(content, list):
        return [_part(block, place) for block, place in message.items("content")]
    text = message.text("content", "")
    return [Text(text=text)] if text else []


def _part(value: Any, where: str) -> AnyPart:
    block = Fields(value, where)
    match block.text("type", ""):
        case "text":
            return Text(text=block.text("text"))
        case "thinking":
            return Thinking(text=block.text("thinking", ""))
        case "toolCall":
            arguments = text_of(block.get("arguments") or {})
            return ToolCall(id=block.text("id"), name=block.text("name"), arguments=arguments)
        case "image":
            return media_part(block.text("mimeType", "image/png"), data=block.text("data"))
        case kind:
            return Opaque(format=NAME, kind=kind, value=block.whole)


def _result(message: Fields) -> ToolResult:
    content = (part for part in _content(message) if isinstance(part, Text | Image | File | Opaque))
    return ToolResult(
        call_id=message.text("toolCallId"),
        name=message.text("toolName", ""),
        content=tuple(content),
        status="error" if message.get("isError") is True else "ok",
    )


@exporter(NAME)
def write(session: Session) -> list[Json]:
    """The entries. Tools, state, tags and pins have no place in them."""
    lines: list[Json] = []
    last: Any = None
    if NAME not in session.metadata:
        times = [event.time_ms for event in session.log if event.time_ms is not None]
        started = iso_of_ms(times[0] if times else None)
        header = {"type": "session", "version": 3, "id": session.id, "timestamp": started}
        lines.append({**header, "cwd": ""})
    for record in in_order(session, NAME):
        line = record.written(lambda events, shape: _entry(events[0], shape))
        if record.events and not record.shape:
            line = {**line, "id": record.events[0].id, "parentId": last}
        last = line.get("id", last) if "parentId" in line else last
        lines.append(line)
    return lines


def _entry(event: Event, shape: str) -> Json:
    entry: Json = {"type": "message", "timestamp": iso_of_ms(event.time_ms)}
    if shape in _SUMMARIES:
        return {**entry, "type": shape, "summary": event.text}
    if shape == "custom_message" or (not shape and event.role == "system"):
        own = {"customType": _SYSTEM} if event.role == "system" else {}
        return {**entry, "type": "custom_message", **own, "content": _blocks(event.parts)}
    if shape == "message":
        return {**entry, "message": _message(event)}
    if not shape:
        billed = _UNBILLED | {"stopReason": "toolUse" if event.calls else "stop"}
        own = billed if event.role == "assistant" else {}
        return {**entry, "message": {**_message(event), **own}}
    return {**entry, "message": {"role": shape, "timestamp": event.time_ms or 0}}


def _message(event: Event) -> Json:
    message: Json = {"role": _NAMES[event.role], "content": _blocks(event.parts)}
    if event.role == "tool":
        result = event.results[0]
        message["content"] = _blocks(result.content)
        message |= {"toolCallId": result.call_id, "toolName": result.name}
        message["isError"] = result.status == "error"
    return {**message, "timestamp": event.time_ms or 0}


def _blocks(parts: Sequence[AnyPart]) -> list[Json]:
    return [block for part in parts if (block := _block(part))]


def _block(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking() if part.text:
            return {"type": "thinking", "thinking": part.text}
        case ToolCall():
            arguments = call_object(part.arguments)
            return {"type": "toolCall", "id": part.id, "name": part.name, "arguments": arguments}
        case Image() if part.data:
            return {"type": "image", "data": part.data, "mimeType": part.media_type}
        case Opaque() if part.format == NAME:
            return part.value
        case _:
            return None
