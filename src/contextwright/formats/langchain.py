"""LangChain messages, as `messages_to_dict`, `dumpd` or `model_dump` write them: a list, lines, the
state of a graph (`{"messages": ...}`), or a checkpoint that holds one.

A `remove` message and the messages that it removes are kept and not shown, as LangGraph's own
reducer has it. Calls that the model wrote badly (`invalid_tool_calls`) are calls like others.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    an_object,
    list_if,
    object_if,
    object_of,
    text_if,
    text_of,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.key_order import key_order
from contextwright.formats.langchain_blocks import NAME, block_of, part_of
from contextwright.formats.provenance import (
    FreeIds,
    ReadSoFar,
    RecordReader,
    in_order,
)
from contextwright.formats.request_body import ORDER, in_its_order
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
from contextwright.session.session import Session

LINES = False

_KINDS: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CHUNKS = {"Human": "human", "AI": "ai", "System": "system", "Tool": "tool", "Function": "function"}
_CHUNK_ROLES: dict[str, Role] = {f"{n}MessageChunk": _KINDS[kind] for n, kind in _CHUNKS.items()}
ROLES: dict[str, Role] = {**_KINDS, **_CHUNK_ROLES}
_CHAT_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_WRITTEN = {
    "user": ("human", "HumanMessage"),
    "assistant": ("ai", "AIMessage"),
    "system": ("system", "SystemMessage"),
    "tool": ("tool", "ToolMessage"),
}
"""Type and class of a message, by role."""
STATES = ("values", "channel_values")
"""Where LangGraph's server, and its checkpoints, hold the state of a graph."""
REMOVE_ALL = "__remove_all__"
"""LangGraph's id for all messages."""
_DUMP = "dump the messages with langchain_core.messages.messages_to_dict"


def sniff(document: Document) -> bool:
    """Whether these are LangChain messages."""
    records = _messages(document, 20)
    return most([record.value for record in records], is_message)


def is_message(message: Json) -> bool:
    """Whether a message is in one of LangChain's envelopes."""
    return _data(message) is not None


def _messages(document: Document, at_most: int | None = None) -> list[Record]:
    if not document.records or _has_a_message_a_line(document):
        return list(document.records[:at_most])
    record = document.records[0]
    value = _state_of(object_if(record.value)).get("messages", record.value)
    numbered = enumerate(list_if(value)[:at_most])
    return [Record(item, f"{record.where}, message {number}") for number, item in numbered]


def _has_a_message_a_line(document: Document) -> bool:
    """Whether its lines are messages; a single one may be all of them, or a state with them."""
    first = object_if(document.records[0].value)
    return document.lines and (len(document.records) > 1 or is_message(first))


def _state_of(whole: Json) -> Json:
    """The state of a graph, which may stand in a snapshot or a checkpoint of it."""
    key = next((key for key in STATES if "messages" in object_if(whole.get(key))), "")
    return object_if(whole[key]) if key else whole


def _data(value: Any) -> Json | None:
    """What a message says, out of its envelope, or as it dumps itself."""
    whole = object_if(value)
    data = whole.get("data") if isinstance(whole.get("type"), str) else None
    if whole.get("lc") is not None and isinstance(whole.get("id"), list):
        data = whole.get("kwargs")
    elif "data" not in whole and _is_flat(whole):
        data = whole
    return object_if(data) if "content" in object_if(data) else None


def _is_flat(whole: Json) -> bool:
    kind = whole.get("type")
    typed = isinstance(kind, str) and (kind in ROLES or kind == "remove")
    return kind in ("chat", "ChatMessageChunk") if "role" in whole else typed


def _type(value: Any, data: Json) -> str:
    return str(data.get("type") or object_if(value).get("type") or "")


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a message is in neither envelope, or breaks the format.
    """
    records = _messages(document)
    form = _form_of(records)
    reader = _LangChainReader(records, form)
    for at in range(len(records)):
        reader.take(at)
    stored: Json = {"form": form}
    value = document.records[0].value
    if not _has_a_message_a_line(document) and isinstance(value, dict):
        around = stored["around"] = _without_messages(object_if(value))
        stored[ORDER] = key_order(None, around)
    return reader.session("session", **stored)


def _form_of(records: list[Record]) -> str:
    """The envelope of these messages: `lc`, none, or that of `messages_to_dict`."""
    values = [object_if(record.value) for record in records]
    if any("lc" in value for value in values):
        return "lc"
    return "flat" if values and "data" not in values[0] else "data"


def _without_messages(whole: Json) -> Json:
    """A document with nothing where its messages were."""
    key = next((key for key in STATES if "messages" in object_if(whole.get(key))), "")
    inner = {**whole[key], "messages": None} if key else {}
    return {**whole, key: inner} if key else {**whole, "messages": None}


def _with_messages(around: Json, messages: list[Json]) -> Json:
    key = next((key for key in STATES if "messages" in object_if(around.get(key))), "")
    return (
        {**around, key: {**around[key], "messages": messages}}
        if key
        else {**around, "messages": messages}
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    records = [Record(message, where) for message, where in messages]
    form = before.metadata.get("form", "data")
    if _removed(records) or (_form_of(records) == "lc" and form != "lc"):
        return None
    reader = _LangChainReader(records, form, before)
    for at in range(len(records)):
        reader.take(at)
    return [draft.event(NAME) for draft in reader.drafts]


class _LangChainReader(RecordReader):
    """The messages so far."""

    format = NAME

    def __init__(self, records: list[Record], form: str, before: ReadSoFar | None = None) -> None:
        super().__init__()
        self._records = records
        self._first = before.records if before is not None else 0
        self._events_before = before.events if before is not None else 0
        if before is not None:
            self.tools = dict(before.tools)
            self.taken = FreeIds(before.ids)
        self._form = form
        self._removed_places = _removed(records)

    def take(self, at: int) -> None:
        """Read the message at this place."""
        value, where = self._records[at].value, self._records[at].where
        data = _data(value)
        if data is None:
            raise MalformedRecord(
                "not a message as messages_to_dict or dumpd writes it",
                where=f"{where}, field data.content",
                fix=_DUMP,
            )
        if at in self._removed_places:
            self.hide(at, value)
            return
        kind, roles = _type(value, data), ROLES
        if kind.startswith("chat"):
            kind, roles = str(data.get("role")), _CHAT_ROLES
        # a class of the application's own speaks as the user; the residue keeps its name
        role: Role = roles.get(kind, "user")
        id = text_if(data.get("id"), f"message-{self._events_before + len(self.drafts)}")
        author = text_if(data.get("name")) if role != "tool" else ""
        draft = self.draft(id, role, author=author)
        where = f"{where}, event {draft.head.id}"
        parts, shape = _content(data.get("content"), where)
        if role == "assistant":
            parts += list(self._calls(data, parts, draft.head.id, where))
        own: list[AnyPart] = [self._result(data, parts, where)] if role == "tool" else parts
        self.keep(self._first + at, value, [(draft, own)], shape)

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The message of an event."""
        return _message(events[0], shape, self._form)

    def _calls(
        self, data: Json, parts: list[AnyPart], event_id: str, where: str
    ) -> Iterator[ToolCall]:
        """The calls that the content does not hold already."""
        in_content = {part.id for part in parts if isinstance(part, ToolCall)}
        for key in ("tool_calls", "invalid_tool_calls"):
            calls = Fields(data, where, ", field ").items(key, required=False)
            for number, (call, place) in enumerate(calls):
                part = _call(an_object(call, place), key, f"{event_id}-{number}")
                self.tools[part.id] = part.name
                if part.id not in in_content:
                    yield part

    def _result(self, data: Json, parts: list[AnyPart], where: str) -> ToolResult:
        call_id = data.get("tool_call_id", data.get("name"))
        if not isinstance(call_id, str):
            raise MalformedRecord(
                "a tool message names no call",
                where=f"{where}, field tool_call_id",
                fix="give it the id of the call that it answers",
            )
        return ToolResult(
            call_id=call_id,
            name=text_if(data.get("name") or self.tools.get(call_id)),
            content=tuple(_inside(part) for part in parts),
            status="error" if data.get("status") == "error" else "ok",
        )


def _removed(records: list[Record]) -> set[int]:
    """Places of remove messages and of what they remove."""
    places: set[int] = set()
    by_id: dict[str, list[int]] = {}
    cleared = 0  # all before it are removed
    for at, record in enumerate(records):
        data = _data(record.value) or {}
        id = str(data.get("id"))
        if not data or _type(record.value, data) != "remove":
            by_id.setdefault(id, []).append(at)
            continue
        places.add(at)
        if id == REMOVE_ALL:
            places.update(range(cleared, at))
            cleared = at
        else:
            places.update(by_id.pop(id, ()))
    return places


def _content(content: Any, where: str) -> tuple[list[AnyPart], str]:
    """The parts, and which of its forms the content has."""
    if isinstance(content, str):
        return ([Text(text=content)] if content else []), "text"
    if not isinstance(content, list):
        raise MalformedRecord(
            f"a message's content is {type(content).__name__}, not text or a list",
            where=f"{where}, field content",
            fix=_DUMP,
        )
    blocks = Fields({"content": content}, where, ", field ").items("content")
    return [part_of(block, at) for block, at in blocks], "blocks"


def _call(call: Json, key: str, otherwise: str) -> ToolCall:
    """A call of `tool_calls`, which holds an object, or of `invalid_tool_calls`: text."""
    args = call.get("args")
    return ToolCall(
        id=call["id"] if isinstance(call.get("id"), str) else otherwise,
        name=str(call.get("name") or ""),
        arguments=args if isinstance(args, str) else text_of(args if args is not None else {}),
        extra={NAME: {"list": key}} if key == "invalid_tool_calls" else NO_FIELDS,
    )


def _inside(part: AnyPart) -> Any:
    """A part that may stand in a tool result; what may not is kept as it was."""
    if isinstance(part, ToolCall | ToolResult | Thinking):
        return Opaque(format=NAME, kind="block", value=block_of(part))
    return part


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages, as `messages_from_dict` or `load` takes them.

    State and tools have no place in it; metadata, tags and pins are left out.
    """
    stored: Json = session.metadata.get(NAME, {})
    form = stored.get("form", "lc" if stored.get("constructed") else "data")
    messages = [
        record.written(lambda events, shape: _message(events[0], shape, form))
        for record in in_order(session, NAME)
    ]
    if "around" not in stored:
        return messages
    return in_its_order(_with_messages(stored["around"], messages), stored)


def _message(event: Event, shape: str, form: str) -> Json:
    kind, name = _WRITTEN[event.role]
    data: Json = {"type": kind, "id": event.id}
    if event.author:
        data["name"] = event.author
    parts: Sequence[AnyPart] = event.parts
    if event.role == "tool":
        result = next(iter(event.results), ToolResult(call_id=""))
        data["tool_call_id"] = result.call_id
        data["status"] = "success" if result.status == "ok" else "error"
        if result.name:
            data["name"] = result.name
        parts = result.content
    data["content"] = _content_json(parts, shape)
    if event.role == "assistant":
        data["tool_calls"] = [_plain_call(call) for call in event.calls if not _invalid(call)]
        data["invalid_tool_calls"] = [_plain_call(call) for call in event.calls if _invalid(call)]
    if form == "lc":
        path = ["langchain", "schema", "messages", name]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": data}
    return data if form == "flat" else {"type": kind, "data": data}


def _content_json(parts: Sequence[AnyPart], shape: str) -> Any:
    """The content: text where the source had text, or where there is nothing but text."""
    shown = [part for part in parts if not isinstance(part, ToolCall) or _in_content(part)]
    texts = [part.text for part in shown if isinstance(part, Text)]
    if shape != "blocks" and len(texts) == len(shown) and (shape or len(shown) < 2):
        return "\n".join(texts)
    return [block_of(p) for p in shown if not isinstance(p, Opaque) or p.format == NAME]


def _in_content(call: ToolCall) -> bool:
    return call.extra.get(NAME, {}).get("type") in ("tool_use", "tool_call")


def _invalid(call: ToolCall) -> bool:
    listed = call.extra.get(NAME, {}).get("list") == "invalid_tool_calls"
    return listed or object_of(call.arguments) is None


def _plain_call(call: ToolCall) -> Json:
    fields: Json = {"name": call.name, "id": call.id}
    if _invalid(call):
        return {**fields, "type": "invalid_tool_call", "args": call.arguments, "error": None}
    return {**fields, "type": "tool_call", "args": object_of(call.arguments)}
