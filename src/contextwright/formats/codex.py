"""Session files of the Codex CLI: OpenAI Responses items in lines, with much beside.

`event_msg` lines tell the same again for the screen: kept, and shown only where no item says
it. So are turn contexts, token counts, items that say nothing to a model (a web search's
mark, a ghost commit), and turns that were rolled back. `compacted` becomes a summary event.
"""

from collections.abc import Sequence
from typing import Any

from contextwright.formats import openai_responses
from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    an_object,
    call_object,
    kind_of,
    list_if,
    object_if,
    text_if,
    text_of,
    wrong,
)
from contextwright.formats.openai_responses import content_part, item_parts
from contextwright.formats.provenance import EventDraft, RecordReader, in_order
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    Event,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextwright.session.harness_text import is_spoken
from contextwright.session.session import Session

NAME = "codex"
LINES = True

_LINES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_CALLS = {"function_call", "custom_tool_call", "local_shell_call"}
_RESULTS = {"function_call_output", "custom_tool_call_output"}
_USUAL = {"kind": "function_call_output", "form": "text"}
_ITEMS = {"message", "reasoning", *_CALLS, *_RESULTS}
_SPOKEN: dict[str, Role] = {"user_message": "user", "agent_message": "assistant"}


def sniff(document: Document) -> bool:
    """Whether this is a session of the Codex CLI."""
    first = object_if(document.records[0].value if document.lines and document.records else None)
    if str(first.get("type")) in _LINES and "payload" in first:
        return True
    return "type" not in first and {"id", "timestamp", "instructions"} <= first.keys()


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a line is not an object of a type, or its item breaks the format.
    """
    reader = _CodexReader(list(document.records))
    for at in range(len(document.records)):
        reader.take(at)
    meta = document.records[0].value
    return reader.session(object_if(meta.get("payload", meta)).get("id"))


class _CodexReader(RecordReader):
    """The lines so far."""

    format = NAME

    def __init__(self, records: list[Record]) -> None:
        super().__init__()
        self._records = records
        self._lines = [_checked(record) for record in records]
        self._left = _rolled_back(self._lines)
        self._messages = {role: _Messages(self._lines, role) for role in ("user", "assistant")}
        # whether the newest draft is the model's, and holds nothing but reasoning
        self._speaks, self._only_reasons = False, True

    def take(self, at: int) -> None:
        """Read the line at this place."""
        line, where = self._lines[at], self._records[at].where
        item = None if at in self._left else _item(line, where)
        if item is not None:
            self._take_item(at, line, item, where)
        elif at not in self._left and (spoken := self._spoken(line)) is not None:
            shape, role, text = spoken
            summary = self.summary() if shape == "compacted" else {}
            draft = self._draft(at, line, role, summary)
            self.keep(at, line, [(draft, [Text(text=text)])], shape)
        else:
            self.hide(at, line)

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The line of these parts."""
        return _lines(events[0], shape)[0]

    def _take_item(self, at: int, line: Json, item: Json, where: str) -> None:
        parts = _parts(item, where)
        if all(isinstance(part, Opaque) for part in parts):
            self.hide(at, line)
            return
        kind, role = item.get("type", "message"), _role(item)
        parts = [self.named(part) if isinstance(part, ToolResult) else part for part in parts]
        joins = role == "assistant" and self._joins(kind)
        draft = self.drafts[-1] if joins else self._draft(at, line, role, {})
        self.keep(at, line, [(draft, parts)], "item" if "payload" in line else "bare")
        if role == "assistant":
            self._speaks = True
            self._only_reasons = self._only_reasons and kind == "reasoning"

    def _joins(self, kind: str) -> bool:
        """Calls follow reasoning, words and other calls; words follow reasoning."""
        if not self._speaks:
            return False
        return kind in _CALLS or self._only_reasons

    def _draft(self, at: int, line: Json, role: Role, metadata: Json) -> EventDraft:
        self._speaks, self._only_reasons = False, True
        id = text_if(line.get("payload", line).get("id"), f"line-{at + 1}")
        return self.draft(
            id, role, time_ms=ms_of_iso(line.get("timestamp")), metadata=metadata or NO_FIELDS
        )

    def _spoken(self, line: Json) -> tuple[str, Role, str] | None:
        """What a line that is no item says to the model: shape, role, text."""
        payload = object_if(line.get("payload"))
        text, kind = text_if(payload.get("message")), str(payload.get("type"))
        if text and line.get("type") == "compacted":
            return "compacted", "user", text
        role = _SPOKEN.get(kind) if line.get("type") == "event_msg" else None
        if not text or role is None or self._messages[role].say(text.strip()):
            return None
        return kind, role, text


def _checked(record: Record) -> Json:
    line = an_object(record.value, record.where)
    early = "record_type" in line or {"id", "timestamp"} <= line.keys()
    if not isinstance(line.get("type"), str) and not early:
        raise wrong("the type of a Codex line", line.get("type"), f"{record.where}, field type")
    return line


def _item(line: Json, where: str) -> Json | None:
    """The item that a line holds; None for another kind of line."""
    if line.get("type") == "response_item":
        return an_object(line.get("payload"), f"{where}, field payload")
    return line if "payload" not in line and str(line.get("type")) in _ITEMS else None


def _role(item: Json) -> Role:
    kind, role = item.get("type", "message"), item.get("role")
    if kind in _RESULTS:
        return "tool"
    if kind != "message" or role == "assistant":
        return "assistant"
    return "system" if role in ("system", "developer") else "user"


def _message_texts(line: Json, role: str) -> list[str]:
    item = object_if(line.get("payload") if line.get("type") == "response_item" else line)
    content = item.get("content") if item.get("role") == role else None
    if isinstance(content, str):
        return [content]
    texts = [object_if(block).get("text") for block in list_if(content)]
    return [text for text in texts if isinstance(text, str)]


class _Messages:
    """What the messages of a role say, in items of a file."""

    def __init__(self, lines: list[Json], role: str) -> None:
        texts = [text for line in lines if (text := "\n".join(_message_texts(line, role)))]
        self._whole = frozenset(text.strip() for text in texts)
        self._all = "\n".join(texts)

    def say(self, text: str) -> bool:
        """Whether a message is this text, or holds it."""
        return text in self._whole or text in self._all


def _rolled_back(lines: list[Json]) -> set[int]:
    """Places of lines that `thread_rolled_back` took back: the newest turns before it."""
    left: set[int] = set()
    turns: list[int] = []
    for at, line in enumerate(lines):
        texts = _message_texts(line, "user")
        if any(texts) and is_spoken([Text(text=text) for text in texts]):
            turns.append(at)
        payload = object_if(line.get("payload"))
        count = payload.get("num_turns") if payload.get("type") == "thread_rolled_back" else 0
        if isinstance(count, int) and count > 0 and turns:
            remaining = max(0, len(turns) - count)
            left.update(range(turns[remaining], at))
            del turns[remaining:]
    return left


def _parts(item: Json, where: str) -> list[AnyPart]:
    kind = kind_of(item, f"{where}, field payload") or "message"
    if kind in _RESULTS:
        return [_result(item, where)]
    if kind == "custom_tool_call":
        arguments = text_of({"input": Fields(item, where, ", field ").text("input", "")})
        return [_call(item, str(item.get("name") or ""), arguments, kind, where)]
    if kind == "local_shell_call":
        return [_call(item, "local_shell", text_of(item.get("action") or {}), kind, where)]
    return item_parts(item, where)


def _call(item: Json, name: str, arguments: str, kind: str, where: str) -> ToolCall:
    id = Fields(item, where, ", field ").text("call_id", str(item.get("id") or ""))
    return ToolCall(id=id, name=name, arguments=arguments, extra={NAME: {"kind": kind}})


def _result(item: Json, where: str) -> ToolResult:
    output: Any = item.get("output")
    form = {list: "blocks", dict: "object"}.get(type(output), "text")
    inner: Any = output.get("content") if form == "object" else output
    failed = form == "object" and output.get("success") is False
    fields = Fields({**item, "output": inner}, where, ", field ")
    if isinstance(inner, list):
        content = tuple(content_part(block, at) for block, at in fields.items("output"))
        form = "blocks" if form == "blocks" else "object of blocks"
    else:
        content = (Text(text=fields.text("output", "")),)
    own = {"kind": str(item["type"]), "form": form}
    return ToolResult(
        call_id=fields.text("call_id", ""),
        content=content,
        status="error" if failed else "ok",
        extra=NO_FIELDS if own == _USUAL else {NAME: own},
    )


@exporter(NAME)
def write(session: Session) -> list[Json]:
    """The lines. State, tools, tags and pins have no place in them."""
    lines: list[Json] = []
    if NAME not in session.metadata:
        times = [event.time_ms for event in session.log if event.time_ms is not None]
        meta = {"id": session.id, "timestamp": iso_of_ms(times[0] if times else None)}
        lines.append({"timestamp": meta["timestamp"], "type": "session_meta", "payload": meta})
    for record in in_order(session, NAME):
        if record.events and not record.shape:
            lines += _lines(record.events[0], "")
        else:
            lines.append(record.written(lambda events, shape: _lines(events[0], shape)[0]))
    return lines


def _lines(event: Event, shape: str) -> list[Json]:
    """The line of an event; several where another format's event holds several items."""
    if shape == "bare":
        return _items(event)
    if shape == "compacted":
        kind, items = shape, [{"message": event.text}]
    elif shape in _SPOKEN:
        kind, items = "event_msg", [{"type": shape, "message": event.text}]
    else:
        kind, items = "response_item", _items(event)
    time = iso_of_ms(event.time_ms)
    return [{"timestamp": time, "type": kind, "payload": item} for item in items]


def _items(event: Event) -> list[Json]:
    """The items of an event, in order; words that follow each other are one message."""
    items: list[Json] = []
    words: list[AnyPart] = []
    for part in event.parts:
        if not isinstance(part, Thinking | ToolCall | ToolResult):
            words.append(part)
            continue
        items += _plain(event.role, words) if words else []
        words = []
        items += [_own(part)] if _kind(part) else _plain(event.role, [part])
    return items + (_plain(event.role, words) if words or not items else [])


def _plain(role: Role, parts: Sequence[AnyPart]) -> list[Json]:
    session = Session("items", [Event(id="item", role=role, parts=tuple(parts))])
    return openai_responses.write(session)


def _kind(part: AnyPart) -> str:
    return part.extra.get(NAME, {}).get("kind", "")


def _own(part: AnyPart) -> Json:
    """An item of the kinds that only Codex has."""
    kind = _kind(part)
    if isinstance(part, ToolResult):
        return {"type": kind, "call_id": part.call_id, "output": _output(part)}
    assert isinstance(part, ToolCall)
    arguments = call_object(part.arguments)
    call = {"type": kind, "call_id": part.id}
    if kind == "local_shell_call":
        return {**call, "action": arguments}
    return {**call, "name": part.name, "input": arguments.get("input", "")}


def _output(part: ToolResult) -> Any:
    form = part.extra[NAME]["form"]
    blocks = _plain("user", part.content)[0]["content"] if "blocks" in form else []
    if form == "blocks":
        return blocks
    if form == "text":
        return part.text
    output: Json = {"content": blocks if "blocks" in form else part.text}
    return output | ({"success": False} if part.status == "error" else {})
