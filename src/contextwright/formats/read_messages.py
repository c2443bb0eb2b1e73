"""Messages as a session, again and again and longer each time: of a longer list only what is new is
read."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord, UnknownFormat
from contextwright.formats import detect, format_named, read_document
from contextwright.formats.document import Document, Record
from contextwright.formats.dump import Dumper
from contextwright.formats.fields import Json, object_if
from contextwright.formats.message_list import MessageList, is_json
from contextwright.formats.objects import (
    WireMessage,
    is_plain_chat,
    parse_messages,
    session_from,
    wire_messages,
)
from contextwright.formats.openai_responses import grouped
from contextwright.formats.provenance import ReadSoFar, origins
from contextwright.session.event import Event, ToolCall
from contextwright.session.session import Session

_RESPONSES = "openai-responses"
_ALSO_PLAIN = {"anthropic", _RESPONSES, "vercel-ai-model"}
"""Formats whose messages of role and text are as OpenAI Chat has them."""

Span = tuple[int, int]
"""The first and the last message that an event was made of; -1 for the system text of a body."""
_ReadMore = Callable[[list[tuple[Any, str]], ReadSoFar], list[Event] | None]


class ReadMessages(msgspec.Struct, eq=False):
    """Messages that were read, and what their reader needs to go on.

    Args:
        session: all of them.
        format: of all messages; empty where they are only read whole: they are of several formats,
            or of one that has no messages that stand for themselves.
        spans: of each event.
        so_far: what the format's reader goes on from.
        is_named: whether the caller says which format it is: it need not be told from messages.
    """

    session: Session
    format: str
    spans: list[Span]
    so_far: ReadSoFar
    is_named: bool = False

    def record_at(self, place: int) -> int | None:
        """Where the body that a message is read from has it; None where it is no message of one.

        Args:
            place: of the message in the list.
        """
        at = bisect_left(self.spans, (place, -1))
        if at == len(self.spans) or self.spans[at][0] != place:
            return None
        records = origins(self.session.log[at], self.format) if self.format else ()
        return records[0]["at"] if records else None

    def take(self, tail: "ReadTail") -> None:
        """Add what was read of further messages."""
        tail.put_into(self.session, self.format)
        self.spans.extend(tail.spans)
        self.so_far.ids.update(event.id for event in tail.events)
        self.so_far.tools.update(_tool_names(tail.events))
        self.so_far.events += len(tail.events)
        self.so_far.records += tail.records
        self.so_far.last = tail.last


class ReadTail(msgspec.Struct, frozen=True, eq=False):
    """What was read of further messages.

    Args:
        spans: of each event.
        records: how many records of the format they are.
        last: the records of the last event.
        changes: of the state, each behind so many of the events.
        hidden: records that hold no message.
    """

    events: list[Event]
    spans: list[Span]
    records: int
    last: list[Any]
    changes: list[tuple[int, Json]] = []
    hidden: list[Json] = []

    def put_into(self, session: Session, format: str) -> None:
        """Append it to the session of the messages before."""
        known, done = session.metadata.get(format, {}), 0
        is_all = known.get("changes") == len(session.changes)
        for count, values in self.changes:
            session.extend(self.events[done:count])
            session.update(values)
            done = count
        session.extend(self.events[done:])
        further: Json = {}
        if self.hidden:
            further["hidden"] = [*known.get("hidden", ()), *self.hidden]
        if self.changes and is_all:
            further["changes"] = len(session.changes)
        if further:
            session.metadata[format] = {**known, **further}


def read_list(listed: MessageList, format: str | None) -> ReadMessages:
    """All messages, read as a new session.

    Args:
        format: of all of them; found out by default.

    Raises:
        SessionError: as `session_from` does.
    """
    if not listed.messages and not listed.key:
        return ReadMessages(Session("session"), "", [], _nothing())
    if is_json(listed.source):
        session = read_document(_document(listed.source), format)
        own = format or detect(_document(listed.source))
    else:
        session = session_from(listed.source, format=format)
        own = _format_of(session)
    is_named = format is not None
    wire = [] if listed.key == "events" else _wire(listed.messages, own, 0, is_named=is_named)
    if own and hasattr(format_named(own), "read_more") and _all_of(wire, own):
        records = front(listed, own).records
        return _resumed(session, own, wire, records, is_named=is_named)
    homes = {} if listed.key else parse_messages(listed.messages, format=format).messages
    places = [homes.get(event.id, (-1,)) for event in session.log]
    spans = [(min(place, default=-1), max(place, default=-1)) for place in places]
    return ReadMessages(session, "", spans, _nothing())


def read_tail(read: ReadMessages, listed: MessageList, start: int) -> ReadTail | None:
    """The events of the messages from `start` on, as reading the whole list would give them.

    Returns:
        None where only reading all of it tells.

    Raises:
        SessionError: a message breaks the format.
    """
    tail = listed.messages[start:]
    if not tail:
        return ReadTail([], [], 0, read.so_far.last)
    return _read_further(read, listed, tail, start)


def read_appended(read: ReadMessages, tail: list[Any], start: int) -> ReadTail | None:
    """`read_tail` of a list that is not at hand: what is new in it.

    Args:
        start: how many messages stand before them.
    """
    return _read_further(read, MessageList(tail, tail), tail, start) if tail else None


def _read_further(
    read: ReadMessages, listed: MessageList, tail: list[Any], start: int
) -> ReadTail | None:
    all_json = all(map(is_json, tail))  # a walk through all of it: once
    is_told = all_json and not read.is_named
    if not read.format or (is_told and not _goes_on(read.format, listed, tail)):
        return None  # of what is no JSON each message is recognized by itself
    wire = _wire(tail, read.format, start, all_json, is_named=read.is_named)
    if not _all_of(wire, read.format):
        return None
    before = msgspec.structs.replace(read.so_far, ids=set(read.so_far.ids), changes=[], hidden=[])
    events = _guarded(read.format, wire, before)
    if events is None or any(event.id in read.so_far.ids for event in events):
        return None  # what was read before would be another event, or have another id
    groups = _records(wire, read.format)
    spans = _spans(events, read.format, wire, read.so_far.records)
    last = [wire[n].data for n in groups[-1]]
    return ReadTail(events, spans, len(groups), last, before.changes, before.hidden)


def cut(read: ReadMessages, messages: list[Any], count: int, id: str) -> tuple[ReadMessages, int]:
    """The first messages of those that were read, as a session of its own, to go on from there.

    Args:
        messages: those that were read.
        count: how many are wanted; an event that goes on behind them is not taken.
        id: of the new session.

    Returns:
        With it the number of messages taken; none where only reading all of them tells.
    """
    spans, before = read.spans, read.session
    events = next((n for n, (_, last) in enumerate(spans) if last >= count), len(spans))
    session = before.fork(events if events < len(spans) else None, id=id)
    events = len(session.log)
    if events < len(spans):
        count = min(count, spans[events][0])
    first = messages[:count] if count > 0 and read.format else []
    wire = _wire(first, read.format, 0, is_named=read.is_named)
    held = {place for first, last in spans[:events] for place in range(first, last + 1)}
    if not wire or not held.issuperset(range(count)) or not _all_of(wire, read.format):
        return ReadMessages(
            Session(id), "", [], _nothing()
        ), 0  # some were hidden, or repeat others
    in_front = _in_front(session, read.format, wire)
    return _resumed(session, read.format, wire, in_front, is_named=read.is_named), count


def restored(
    session: Session, format: str, field: str, *, is_named: bool = False
) -> tuple[ReadMessages, list[Any]]:
    """A session that was read from a list and stored: as its reader left it, and its messages.

    Args:
        field: of the body that the list stood in; empty for a list.
        is_named: whether the caller says which format it is.
    """
    source = format_named(format).write(session)
    messages = source[field] if field else source
    wire = _wire(messages, format, 0)
    in_front = _in_front(session, format, wire)
    return _resumed(session, format, wire, in_front, is_named=is_named), messages


def _in_front(session: Session, format: str, wire: list[WireMessage]) -> int:
    """How many records stand in front of these messages, which are all of a session's."""
    last = origins(session.log[-1], format) if len(session.log) else []
    return last[-1]["at"] + 1 - len(_records(wire, format)) if last else 0


class Front(msgspec.Struct, frozen=True, eq=False):
    """What a body says beside its messages, read.

    Args:
        session: its system text, tools, state and metadata.
        records: how many records of the format stand in front of the messages.
    """

    session: Session
    records: int


def front(listed: MessageList, format: str) -> Front:
    """The body of a list, without its messages."""
    if not listed.key:
        return Front(Session("session"), 0)
    fields = Dumper().plain(listed.fields, (), "input")
    session = read_document(_document({**fields, listed.key: []}), format)
    places = {record["at"] for event in session.log for record in origins(event, format)}
    return Front(session, len(places))


def _goes_on(format: str, listed: MessageList, tail: list[Any]) -> bool:
    """Whether the list is still of this format with its new messages."""
    try:
        if detect(_document(tail)) == format:
            return True
        return detect(_document(listed.source)) == format
    except UnknownFormat:
        return False


def _wire(
    messages: list[Any],
    format: str,
    start: int,
    all_json: bool | None = None,
    *,
    is_named: bool = False,
) -> list[WireMessage]:
    """Messages as dicts of their wire formats, and their places in the list from `start` on.

    Args:
        all_json: whether all of them are plain JSON data, where that is known.
        is_named: whether the format is the caller's word, and no message is of another.
    """
    if all(map(is_json, messages)) if all_json is None else all_json:
        return [WireMessage(format, message, start + n) for n, message in enumerate(messages)]
    wire = wire_messages(messages, Dumper(), "messages", format if is_named else None)
    replace = msgspec.structs.replace
    return [
        replace(
            message,
            index=start + message.index,
            format=format if format in _ALSO_PLAIN and is_plain_chat(message) else message.format,
        )
        for message in wire
    ]


def _all_of(wire: list[WireMessage], format: str) -> bool:
    return all(message.format == format and isinstance(message.data, dict) for message in wire)


def _guarded(format: str, wire: list[WireMessage], before: ReadSoFar) -> list[Event] | None:
    """What the reader of a format did not foresee is an error of the input."""
    read_more = cast(_ReadMore, format_named(format).read_more)  # pyright: ignore
    places = [(message.data, f"messages[{message.index}]") for message in wire]
    try:
        return read_more(places, before)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
        raise MalformedRecord(
            f"the input does not keep to its format: {type(error).__name__}: {error}",
            where=places[0][1],
            fix="check that it is whole, or name its format: format=...",
        ) from error


def _resumed(
    session: Session, format: str, wire: list[WireMessage], records: int, *, is_named: bool
) -> ReadMessages:
    """A session as its reader left it, after these messages.

    Args:
        records: how many stand in front of the messages.
    """
    groups = _records(wire, format)
    so_far = ReadSoFar(
        records=records + len(groups),
        ids=set(session.log.ids(0, len(session.log))),
        events=len(session.log),
        last=[wire[n].data for n in groups[-1]] if groups else [],
        tools=_tool_names(session.log),
        metadata=object_if(session.metadata.get(format)),
    )
    spans = _spans(session.log, format, wire, records)
    return ReadMessages(session, format, spans, so_far, is_named)


def _records(wire: list[WireMessage], format: str) -> list[range]:
    """The messages of each record: an answer of OpenAI's Responses is several items."""
    if format == _RESPONSES:
        return grouped([message.data for message in wire])
    return [range(n, n + 1) for n in range(len(wire))]


def _spans(events: Sequence[Event], format: str, wire: list[WireMessage], first: int) -> list[Span]:
    """The messages that each event was made of.

    Args:
        wire: what was read. first: the record that it begins with.
    """
    groups, spans = _records(wire, format), list[Span]()
    for event in events:
        places = [at - first for record in origins(event, format) if (at := record["at"]) >= first]
        indices = [wire[n].index for place in places for n in groups[place]]
        spans.append((min(indices, default=-1), max(indices, default=-1)))
    return spans


def _tool_names(events: Sequence[Event]) -> dict[str, str]:
    calls = (part for event in events for part in event.parts if isinstance(part, ToolCall))
    return {call.id: call.name for call in calls}


def _nothing() -> ReadSoFar:
    return ReadSoFar(records=0, ids=set(), events=0, last=[], tools={}, metadata={})


def _format_of(session: Session) -> str:
    """The one format that all events were read from; empty where there are several."""
    formats = {name for event in session.log for name in event.extra if origins(event, name)}
    return formats.pop() if len(formats) == 1 else ""


def _document(value: Any) -> Document:
    return Document("input", (Record(value, "input"),), lines=False)
