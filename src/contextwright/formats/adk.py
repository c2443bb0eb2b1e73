"""Sessions of google-adk, as pydantic dumps them: a Session, or a list of its Events.

Both spellings (`invocationId`, `invocation_id`), with or without nulls. `actions.state_delta`
becomes a state change at its place; a compaction becomes a summary event. Streamed pieces
(`partial`), events without content, and those that a rewind took back are kept, not shown.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.adk_wire import Wire, from_wire, get, spelling_of, to_wire
from contextwright.formats.document import Document
from contextwright.formats.event_times import EventTimes
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Fields, Json, a_list, object_if, text_if
from contextwright.formats.gemini import part_of, part_to
from contextwright.formats.provenance import (
    EventDraft,
    FreeIds,
    ReadSoFar,
    RecordReader,
    in_order,
    residue,
    restored,
)
from contextwright.formats.timestamps import ms_of_seconds
from contextwright.session.event import NO_FIELDS, AnyPart, Event, Role
from contextwright.session.session import Session
from contextwright.typed_decoding import converted

NAME = "adk"
LINES = False
_AUTHORS = {"user": "user", "system": "system"}
"""Who speaks in an event of a role that names no author; any other is the model."""


def sniff(document: Document) -> bool:
    """Whether this is a session of google-adk."""
    if len(document.records) != 1:
        return False
    value = document.records[0].value
    if isinstance(value, list):
        return is_message(object_if(value[0])) if value else False  # pyright: ignore
    whole = object_if(value)
    return isinstance(whole.get("events"), list) and bool({"appName", "app_name"} & whole.keys())


def is_message(message: Json) -> bool:
    """Whether this is an event of google-adk."""
    return "author" in message and bool({"invocationId", "invocation_id"} & message.keys())


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: an event is not an object, or its content breaks the format.
        SessionError: a state key is empty or too long.
    """
    record = document.records[0]
    source = object_if(record.value)
    listed: Any = source.get("events") if source else record.value
    events = a_list(listed, f"{record.where}, field events")
    dumped = [_event(event, f"{record.where}, events[{at}]") for at, event in enumerate(events)]
    reader = _AdkReader(record.where, spelling_of(source, dumped))
    session = Session(text_if(source.get("id"), "session"))
    _set_state(session, _initial_state(get(source, "state"), map(_delta, dumped)))
    back = _taken_back(dumped)
    for at, event in enumerate(dumped):
        reader.take(at, event, session, at in back)
    _set_state(session, _corrections(session, get(source, "state")))
    wire = reader.wire
    changes = len(session.changes)
    stored: Json = {"wire": msgspec.to_builtins(wire), "hidden": reader.hidden, "changes": changes}
    if source:
        fields = {key: value for key, value in source.items() if key != "events"}
        stored["session"] = residue(to_wire(_head(session), wire, "session"), fields)
    session.metadata[NAME] = stored
    return session


def _set_state(session: Session, values: Json) -> None:
    if values:
        session.update(values)


def _initial_state(state: Any, deltas: Iterable[Json]) -> Json:
    """What the state held before the first event: the keys that no event ever set."""
    set_later: set[str] = {key for delta in deltas for key in delta}
    items = object_if(state).items()
    return {key: value for key, value in items if key not in set_later and value is not None}


def _corrections(session: Session, final: Any) -> Json:
    """What turns the state after all deltas into the state that the session says it has."""
    if not isinstance(final, dict):
        return {}
    state, whole = dict(session.state), object_if(final)
    changed = {key: value for key, value in whole.items() if state.get(key) != value}
    return changed | {key: None for key in state if key not in whole}


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further events of ADK's, as reading the whole list would give them, and what
    they change in the state; None where they change how those before them are read."""
    wire = converted(before.metadata.get("wire", {}), Wire)
    reader = _AdkReader("the list", wire, before)
    events: list[Event] = []
    for at, (message, where) in enumerate(messages, before.records):
        source = _event(message, where)
        actions = get(source, "actions")
        if get(actions, "rewindBeforeInvocationId") or get(actions, "compaction"):
            return None  # it takes back, or stands for, what lies before it
        events += reader.read(at, source)
        if delta := _delta(source):
            before.changes.append((len(events), delta))
    before.hidden += reader.hidden
    return events


def _event(event: Any, where: str) -> Json:
    """An event as pydantic dumps it."""
    if not isinstance(event, dict):
        raise MalformedRecord(
            f"an event is {type(event).__name__}, not an object",
            where=where,
            fix="dump the session with session.model_dump_json(by_alias=True)",
        )
    return object_if(event)


def _delta(event: Json) -> Json:
    """What an event changes in the state."""
    return object_if(get(get(event, "actions"), "stateDelta"))


class _AdkReader(RecordReader):
    """Reads events one by one.

    Args:
        before: what was read of the same list before them.
    """

    format = NAME

    def __init__(self, where: str, wire: Wire, before: ReadSoFar | None = None) -> None:
        super().__init__()
        self.wire = wire
        self._where = where
        self._times = EventTimes()
        if before is not None:
            self.tools, self.taken = dict(before.tools), FreeIds(before.ids)

    def take(self, at: int, source: Json, session: Session, is_back: bool) -> None:
        """Read the event at this place into the session, with its state change."""
        self._times.add(session.log[len(self._times) :])
        session.extend(self.read(at, source, is_back))
        _set_state(session, _delta(source))

    def read(self, at: int, source: Json, is_back: bool = False) -> list[Event]:
        """What the event at this place is; nothing where it was taken back."""
        compaction = get(get(source, "actions"), "compaction")
        content = get(compaction, "compactedContent") if compaction else get(source, "content")
        parts = _parts_of(content, f"{self._where}, events[{at}], event {source.get('id', '?')}")
        if not parts or get(source, "partial") is True or is_back:
            self.hide(at, source)
            return []
        role = _role(source, content)
        summary = [_summary(compaction, self._times)] if compaction else []
        # the first event of a compaction says that it is one
        pieces = self.spread(
            parts,
            role,
            lambda kind: self._draft(source, kind, summary.pop() if summary else {}),
        )
        self.keep(at, source, pieces, "compaction" if compaction else "content")
        self.drafts.clear()
        return [draft.event(NAME) for draft, _ in pieces]

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The event in the spelling of the dump."""
        return _record(events, shape, self.wire)

    def _draft(self, source: Json, role: Role, summary: Json) -> EventDraft:
        author, branch = str(source.get("author") or ""), get(source, "branch")
        metadata: Json = {"branch": branch} if branch else {}
        if running := get(source, "longRunningToolIds"):
            metadata["long_running"] = running
        metadata |= summary
        return self.draft(
            str(source.get("id") or f"event-{len(self.taken)}"),
            role,
            author="" if author == "user" else author,
            time_ms=ms_of_seconds(source.get("timestamp")),
            invocation=str(get(source, "invocationId") or ""),
            metadata=metadata or NO_FIELDS,
        )


def _taken_back(events: list[Json]) -> set[int]:
    """Places of events that a later `rewind_before_invocation_id` took back."""
    spans: list[tuple[int, int]] = []  # apart from each other, in order
    begun: dict[str, int] = {}  # invocation -> its first event
    for at, event in enumerate(events):
        invocation = text_if(get(get(event, "actions"), "rewindBeforeInvocationId"))
        if invocation in begun:
            start = begun[invocation]
            while spans and spans[-1][1] > start:
                start = min(start, spans.pop()[0])
            spans.append((start, at + 1))
        invocation = get(event, "invocationId")
        if isinstance(invocation, str) and invocation:
            begun.setdefault(invocation, at)
    return {place for span in spans for place in range(*span)}


def _parts_of(content: Any, where: str) -> list[AnyPart]:
    if content is None:
        return []
    fields = Fields(content, f"{where}, field content")
    parts = fields.items("parts") if fields.get("parts") is not None else ()
    return [part_of(from_wire(part), at) for part, at in parts]


def _role(source: Json, content: Any) -> Role:
    if source.get("author") == "system":
        return "system"
    role = content.get("role")
    if role is None:
        return "user" if source.get("author") == "user" else "assistant"
    return "assistant" if role == "model" else "user"


def _summary(compaction: Any, times: EventTimes) -> Json:
    start = ms_of_seconds(get(compaction, "startTimestamp"))
    end = ms_of_seconds(get(compaction, "endTimestamp"))
    covers: Json = {"start_ms": start, "end_ms": end}
    if start is not None and end is not None:
        covers |= times.between(start, end)
    return {"kind": "summary", "scope": "historical", "covers": covers}


@exporter(NAME)
def write(session: Session) -> Any:
    """The session as `Session.model_validate` takes it, or the list of events it was read from.

    Tools have no place in it; metadata, tags and pins of other formats' events are left out.
    """
    stored: Json = session.metadata.get(NAME, {})
    wire = converted(stored.get("wire", {}), Wire)
    events: list[Any] = []
    place_of: dict[str, int] = {}
    for record in in_order(session, NAME):
        place_of.update((event.id, len(events)) for event in record.events)
        events.append(record.written(lambda events, shape: _record(events, shape, wire)))
    _add_changes(session, stored.get("changes", 0), events, place_of, wire)
    if stored and "session" not in stored:
        return events
    head = restored(to_wire(_head(session), wire, "session"), stored.get("session", {}))
    return {**head, "events": events}


def _head(session: Session) -> Json:
    state = {key: value for key, value in session.state.items() if not key.startswith("temp:")}
    return {"id": session.id, "appName": "app", "userId": "user", "state": state}


def _add_changes(
    session: Session, known: int, events: list[Any], place_of: dict[str, int], wire: Wire
) -> None:
    """Add an event for each state change that no event tells of, behind the one it followed."""
    new = [change for change in session.changes[known:] if change.position]
    for number, change in reversed(list(enumerate(new))):
        before = session.log[change.position - 1]
        record = {
            "id": f"state-{known + number}",
            "author": "user",
            "invocationId": before.invocation,
            "timestamp": (before.time_ms or 0) / 1000,
            "actions": {"stateDelta": change.values},
        }
        events.insert(place_of[before.id] + 1, to_wire(record, wire))


def _record(events: Sequence[Event], shape: str, wire: Wire) -> Json:
    event = events[0]
    parts = [wire_part for e in events for part in e.parts if (wire_part := part_to(part))]
    content = {"role": "model" if event.role == "assistant" else "user", "parts": parts}
    record: Json = {
        "id": event.id,
        "author": event.author or _AUTHORS.get(event.role, "model"),
        "invocationId": event.invocation,
        "timestamp": (event.time_ms or 0) / 1000,
    }
    if "branch" in event.metadata:
        record["branch"] = event.metadata["branch"]
    if "long_running" in event.metadata:
        record["longRunningToolIds"] = event.metadata["long_running"]
    if shape == "compaction":
        covers = event.metadata.get("covers", {})
        compaction = {
            "startTimestamp": (covers.get("start_ms") or 0) / 1000,
            "endTimestamp": (covers.get("end_ms") or 0) / 1000,
            "compactedContent": content,
        }
        record["actions"] = {"compaction": compaction}
    else:
        record["content"] = content
    return to_wire(record, wire)
