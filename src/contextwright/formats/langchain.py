"""LangChain messages, as `messages_to_dict` or `dumpd` write them: a list, or lines.

A `remove` message and the messages that it removes are kept and not shown, as LangGraph's own
reducer has it. Calls that the model wrote badly (`invalid_tool_calls`) are calls like others.
"""

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import (
    a_list,
    an_object,
    object_of,
    text_of,
)
from contextwright.formats.langchain_blocks import block_of, part_of
from contextwright.formats.provenance import (
    Draft,
    Hidden,
    RecordPiece,
    free_id,
    hidden,
    in_order,
    keep_rest,
    written,
)
from contextwright.session.event import (
    AnyPart,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "langchain"
LINES = False

ROLES: dict[str, Role] = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "developer": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
}
_CHAT_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_CLASSES = {
    "user": "HumanMessage",
    "assistant": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
}
_TYPES = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
REMOVE_ALL = "__remove_all__"
"""LangGraph's id for all messages."""


def sniff(document: Document) -> bool:
    """Whether these are LangChain messages."""
    records = _messages(document)
    return bool(records) and all(_data(record.value) is not None for record in records[:20])


def _messages(document: Document) -> list[Record]:
    if document.lines:
        return list(document.records)
    record = document.records[0] if document.records else Record(None, document.name)
    value: Any = record.value
    if isinstance(value, dict) and isinstance(value.get("messages"), list):  # pyright: ignore[reportUnknownMemberType]
        value = cast(dict[str, Any], value)["messages"]
    if not isinstance(value, list):
        return []
    numbered = enumerate(cast(list[Any], value))
    return [Record(item, f"{record.where}, message {number}") for number, item in numbered]


def _data(value: Any) -> dict[str, Any] | None:
    """What a message says, out of either envelope."""
    if not isinstance(value, dict):
        return None
    whole = cast(dict[str, Any], value)
    data = whole.get("data") if isinstance(whole.get("type"), str) else None
    if whole.get("lc") is not None and isinstance(whole.get("id"), list):
        data = whole.get("kwargs")
    if not isinstance(data, dict) or "content" not in data:
        return None
    return cast(dict[str, Any], data)


def _type(value: dict[str, Any], data: dict[str, Any]) -> str:
    return str(data.get("type") or value.get("type") or "")


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a message is in neither of the two forms, or its content breaks them.
    """
    records = _messages(document)
    constructed = any(isinstance(r.value, dict) and "lc" in r.value for r in records)
    reader = _LangChainReader(records, constructed)
    for at in range(len(records)):
        reader.take(at)
    stored: dict[str, Any] = {"constructed": constructed, "hidden": hidden(reader.hidden_records)}
    value: Any = None if document.lines else document.records[0].value
    if isinstance(value, dict):
        whole = cast(dict[str, Any], value)
        stored["around"] = {key: item for key, item in whole.items() if key != "messages"}
    events = [draft.event(NAME) for draft in reader.drafts]
    return Session("session", events, metadata={NAME: stored})


class _LangChainReader:
    """The messages so far, as drafts of events."""

    def __init__(self, records: list[Record], constructed: bool) -> None:
        self.drafts: list[Draft] = []
        self.hidden_records: list[tuple[int, Any]] = []
        self._records = records
        self._constructed = constructed
        self._removed_places = _removed(records)
        self._taken: set[str] = set()
        self._tools: dict[str, str] = {}

    def take(self, at: int) -> None:
        """Read the message at this place."""
        value, where = self._records[at].value, self._records[at].where
        data = _data(value)
        if data is None:
            raise MalformedRecord(
                "not a message as messages_to_dict or dumpd writes it",
                where=f"{where}, field data.content",
                fix="dump the messages with langchain_core.messages.messages_to_dict",
            )
        if at in self._removed_places:
            self.hidden_records.append((at, value))
            return
        kind = _type(value, data)
        role = (
            _CHAT_ROLES.get(str(data.get("role"))) if kind.startswith("chat") else ROLES.get(kind)
        )
        if role is None:
            role = "user"  # a class of the application's own; the residue keeps its name
        draft = self._draft(data, role)
        where = f"{where}, event {draft.id}"
        parts, shape = _content(data.get("content"), where)
        if role == "assistant":
            parts = [*parts, *self._calls(data, parts, draft.id, where)]
        elif role == "tool":
            parts: list[AnyPart] = [self._result(data, parts, where)]
        lc = self._constructed
        keep_rest([(draft, parts)], at, value, lambda pieces: _message(pieces[0], lc), shape)
        self.drafts.append(draft)

    def _draft(self, data: dict[str, Any], role: Role) -> Draft:
        id, name = data.get("id"), data.get("name")
        wanted = id if isinstance(id, str) and id else f"message-{len(self.drafts)}"
        author = name if isinstance(name, str) and role != "tool" else ""
        return Draft(id=free_id(wanted, self._taken), role=role, author=author)

    def _calls(
        self, data: dict[str, Any], parts: list[AnyPart], event_id: str, where: str
    ) -> list[AnyPart]:
        """The calls that the content does not hold already."""
        in_content = {part.id for part in parts if isinstance(part, ToolCall)}
        calls_beside: list[AnyPart] = []
        for key in ("tool_calls", "invalid_tool_calls"):
            calls = a_list(data.get(key) or [], f"{where}, field {key}")
            for number, call in enumerate(calls):
                place = f"{where}, field {key}[{number}]"
                part = _call(an_object(call, place), key, f"{event_id}-{number}")
                self._tools[part.id] = part.name
                if part.id not in in_content:
                    calls_beside.append(part)
        return calls_beside

    def _result(self, data: dict[str, Any], parts: list[AnyPart], where: str) -> ToolResult:
        call_id = data.get("tool_call_id", data.get("name"))
        if not isinstance(call_id, str):
            raise MalformedRecord(
                "a tool message names no call",
                where=f"{where}, field tool_call_id",
                fix="give it the id of the call that it answers",
            )
        name = data.get("name") or self._tools.get(call_id, "")
        return ToolResult(
            call_id=call_id,
            name=name if isinstance(name, str) else "",
            content=tuple(_inside(part) for part in parts),
            status="error" if data.get("status") == "error" else "ok",
        )


def _removed(records: list[Record]) -> set[int]:
    """Places of remove messages and of what they remove."""
    places: set[int] = set()
    by_id: dict[str, list[int]] = {}
    for at, record in enumerate(records):
        data = _data(record.value) or {}
        id = str(data.get("id"))
        if _type(record.value if data else {}, data) != "remove":
            by_id.setdefault(id, []).append(at)
            continue
        places.add(at)
        places.update(range(at) if id == REMOVE_ALL else by_id.get(id, ()))
    return places


def _content(content: Any, where: str) -> tuple[list[AnyPart], str]:
    """The parts, and which of its forms the content has."""
    if isinstance(content, str):
        return ([Text(text=content)] if content else []), "text"
    if not isinstance(content, list):
        raise MalformedRecord(
            f"a message's content is {type(content).__name__}, not text or a list",
            where=f"{where}, field content",
            fix="dump the messages with langchain_core.messages.messages_to_dict",
        )
    blocks = enumerate(cast(list[Any], content))
    return [part_of(block, f"{where}, field content[{n}]") for n, block in blocks], "blocks"


def _call(call: dict[str, Any], key: str, otherwise: str) -> ToolCall:
    """A call of `tool_calls`, which holds an object, or of `invalid_tool_calls`: text."""
    args = call.get("args")
    return ToolCall(
        id=call["id"] if isinstance(call.get("id"), str) else otherwise,
        name=str(call.get("name") or ""),
        arguments=args if isinstance(args, str) else text_of(args if args is not None else {}),
        extra={NAME: {"list": key}} if key == "invalid_tool_calls" else {},
    )


def _inside(part: AnyPart) -> Any:
    """A part that may stand in a tool result; what may not is kept as it was."""
    if isinstance(part, ToolCall | ToolResult | Thinking):
        return Opaque(format=NAME, kind="block", value=block_of(part))
    return part


def write(session: Session) -> Any:
    """The messages, as `messages_from_dict` or `load` takes them.

    State and tools have no place in it; metadata, tags and pins are left out.
    """
    stored: dict[str, Any] = session.metadata.get(NAME, {})
    lc = stored.get("constructed", False)
    messages = [
        record.value
        if isinstance(record, Hidden)
        else written(record, lambda pieces: _message(pieces[0], lc))
        for record in _each_result(in_order(session, NAME))
    ]
    return {**stored["around"], "messages": messages} if "around" in stored else messages


def _message(piece: RecordPiece, constructed: bool) -> dict[str, Any]:
    event = piece.event
    data: dict[str, Any] = {"type": _TYPES[event.role], "id": event.id}
    if event.author:
        data["name"] = event.author
    parts = list(piece.parts)
    if event.role == "tool":
        parts = _fill_result(data, parts)
    data["content"] = _content_json(parts, piece.shape)
    if event.role == "assistant":
        calls = [part for part in parts if isinstance(part, ToolCall)]
        data["tool_calls"] = [_plain_call(call) for call in calls if not _invalid(call)]
        data["invalid_tool_calls"] = [_plain_call(call) for call in calls if _invalid(call)]
    if constructed:
        path = ["langchain", "schema", "messages", _CLASSES[event.role]]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": data}
    return {"type": data["type"], "data": data}


def _content_json(parts: list[AnyPart], shape: str) -> Any:
    """The content: text where the source had text, or where there is nothing but text."""
    shown = [part for part in parts if not isinstance(part, ToolCall) or _in_content(part)]
    texts = [part.text for part in shown if isinstance(part, Text)]
    if shape != "blocks" and len(texts) == len(shown) and (shape or len(shown) < 2):
        return "\n".join(texts)
    return [block_of(part) for part in shown if not _foreign(part)]


def _in_content(call: ToolCall) -> bool:
    return call.extra.get(NAME, {}).get("type") in ("tool_use", "tool_call")


def _foreign(part: AnyPart) -> bool:
    return isinstance(part, Opaque) and part.format != NAME


def _fill_result(data: dict[str, Any], parts: list[AnyPart]) -> list[AnyPart]:
    """Name the call that is answered; gives the parts of the answer."""
    results = [part for part in parts if isinstance(part, ToolResult)]
    result = results[0] if results else ToolResult(call_id="")
    data["tool_call_id"] = result.call_id
    data["status"] = "success" if result.status == "ok" else "error"
    if result.name:
        data["name"] = result.name
    return list(result.content)


def _invalid(call: ToolCall) -> bool:
    listed = call.extra.get(NAME, {}).get("list") == "invalid_tool_calls"
    return listed or object_of(call.arguments) is None


def _plain_call(call: ToolCall) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": call.name, "id": call.id}
    if _invalid(call):
        return {**fields, "type": "invalid_tool_call", "args": call.arguments, "error": None}
    return {**fields, "type": "tool_call", "args": object_of(call.arguments)}


def _each_result(
    records: Iterator[Hidden | list[RecordPiece]],
) -> Iterator[Hidden | list[RecordPiece]]:
    """A message a result: an event of another format may hold several."""
    for item in records:
        if isinstance(item, list) and len(item[0].event.results) > 1:
            yield from ([msgspec.structs.replace(item[0], parts=(p,))] for p in item[0].parts)
        else:
            yield item
