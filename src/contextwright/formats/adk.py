"""Sessions of google-adk, as pydantic dumps them: a Session, or a list of its Events.

Both spellings (`invocationId`, `invocation_id`), with or without nulls. `actions.state_delta`
becomes a state change at its place; a compaction becomes a summary event. Streamed pieces
(`partial`), events without content, and those that a rewind took back are kept, not shown.
"""

from collections.abc import Iterable
from typing import Any, cast

from contextwright.errors import MalformedRecord
from contextwright.formats.adk_wire import (
    Wire,
    from_wire,
    get,
    spelling_of,
    to_wire,
)
from contextwright.formats.document import Document
from contextwright.formats.fields import Json, a_list, an_object
from contextwright.formats.gemini import part_of, part_to
from contextwright.formats.provenance import (
    Draft,
    Hidden,
    RecordPiece,
    free_id,
    hidden,
    in_order,
    keep_rest,
    residue,
    restored,
    written,
)
from contextwright.formats.timestamps import ms_of_seconds
from contextwright.session.event import AnyPart, Event, Role, ToolResult
from contextwright.session.session import Session

NAME = "adk"
LINES = False


def sniff(document: Document) -> bool:
    """Whether this is a session of google-adk."""
    if len(document.records) != 1:
        return False
    value = document.records[0].value
    if isinstance(value, dict):
        whole = cast(dict[str, Any], value)
        return isinstance(whole.get("events"), list) and bool(
            {"appName", "app_name"} & whole.keys()
        )
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    first = cast(dict[str, Any], value[0])
    return "author" in first and bool({"invocationId", "invocation_id"} & first.keys())


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: an event is not an object, or its content breaks the format.
        SessionError: a state key is empty or too long.
    """
    record = document.records[0]
    source: Json = record.value if isinstance(record.value, dict) else {}
    listed: Any = source.get("events") if source else record.value
    events = a_list(listed, f"{record.where}, field events")
    reader = _AdkReader(events, record.where, spelling_of(source, events))
    id = source.get("id")
    session = Session(id if isinstance(id, str) and id else "session")
    _remember(session, _initial_state(get(source, "state"), reader.deltas))
    for at in range(len(events)):
        reader.take(at, session)
    _remember(session, _corrections(session, source))
    session.metadata[NAME] = {
        "wire": reader.wire.as_dict(),
        "hidden": hidden(reader.hidden_records),
        "changes": len(session.changes),
    }
    if source:
        fields = {key: value for key, value in source.items() if key != "events"}
        session.metadata[NAME]["session"] = residue(
            to_wire(_head(session), reader.wire, "session"), fields
        )
    return session


def _remember(session: Session, values: dict[str, Any]) -> None:
    if values:
        session.update(values)


def _initial_state(state: Any, deltas: list[dict[str, Any]]) -> dict[str, Any]:
    """What the state held before the first event: the keys that no event ever set."""
    set_later: set[str] = {key for delta in deltas for key in delta}
    if not isinstance(state, dict):
        return {}
    whole = cast(dict[str, Any], state)
    return {
        key: value for key, value in whole.items() if key not in set_later and value is not None
    }


def _corrections(session: Session, source: dict[str, Any]) -> dict[str, Any]:
    """What turns the state after all deltas into the state that the session says it has."""
    final = get(source, "state")
    if not isinstance(final, dict):
        return {}
    state, whole = dict(session.state), cast(dict[str, Any], final)
    changed = {key: value for key, value in whole.items() if state.get(key) != value}
    return changed | {key: None for key in state if key not in whole}


class Feed:
    """Events of one ADK session, taken into ours one by one as they happen.

    A rewind takes back what was taken before it: then a new feed has to begin.
    """

    def __init__(self) -> None:
        self._reader = _AdkReader([], "adk session", spelling_of({}, []))

    def add(self, event: dict[str, Any], session: Session) -> None:
        """Take an event, as pydantic dumps it; with it the state change that it makes."""
        self._reader.add(event)
        self._reader.take(len(self._reader.events) - 1, session)


class _AdkReader:
    """The events so far."""

    def __init__(self, events: list[Any], where: str, wire: Wire) -> None:
        self.wire = wire
        self.hidden_records: list[tuple[int, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.deltas: list[dict[str, Any]] = []
        self._where = where
        for event in events:
            self.add(event)
        self._back = _taken_back(self.events)
        self._taken: set[str] = set()
        self._tools: dict[str, str] = {}

    def add(self, event: Any) -> None:
        """One more event, not taken yet."""
        self.events.append(_checked(event, f"{self._where}, events[{len(self.events)}]"))
        self.deltas.append(_delta(self.events[-1]))

    def take(self, at: int, session: Session) -> None:
        """Read the event at this place into the session, with its state change."""
        source = self.events[at]
        compaction = get(get(source, "actions") or {}, "compaction")
        content = get(compaction, "compactedContent") if compaction else get(source, "content")
        parts = _parts_of(content, f"{self._where}, events[{at}], event {source.get('id', '?')}")
        if not parts or get(source, "partial") is True or at in self._back:
            self.hidden_records.append((at, source))
        else:
            shape = "compaction" if compaction else "content"
            drafts = self._drafts(source, content, compaction, parts, session)
            keep_rest(drafts, at, source, lambda pieces: _record(pieces, self.wire), shape)
            session.extend(draft.event(NAME) for draft, _ in drafts)
        _remember(session, self.deltas[at])

    def _drafts(
        self,
        source: dict[str, Any],
        content: Any,
        compaction: Any,
        parts: list[AnyPart],
        session: Session,
    ) -> list[tuple[Draft, list[AnyPart]]]:
        role = _role(source, content)
        drafts: list[tuple[Draft, list[AnyPart]]] = []
        for part in parts:
            kind: Role = "tool" if isinstance(part, ToolResult) else role
            if not drafts or kind == "tool" or drafts[-1][0].role != kind:
                drafts.append((self._draft(source, kind), []))
            drafts[-1][1].append(part)
        if compaction:
            drafts[0][0].metadata |= _summary(compaction, session.log)
        return drafts

    def _draft(self, source: dict[str, Any], role: Role) -> Draft:
        author, branch = str(source.get("author") or ""), get(source, "branch")
        metadata: dict[str, Any] = {"branch": branch} if branch else {}
        running = get(source, "longRunningToolIds")
        if running:
            metadata["long_running"] = running
        return Draft(
            id=free_id(str(source.get("id") or f"event-{len(self._taken)}"), self._taken),
            role=role,
            author="" if author == "user" else author,
            time_ms=ms_of_seconds(source.get("timestamp")),
            invocation=str(get(source, "invocationId") or ""),
            metadata=metadata,
        )


def _checked(event: Any, where: str) -> dict[str, Any]:
    if isinstance(event, dict):
        return cast(dict[str, Any], event)
    raise MalformedRecord(
        f"an event is {type(event).__name__}, not an object",
        where=where,
        fix="dump the session with session.model_dump_json(by_alias=True)",
    )


def _delta(event: dict[str, Any]) -> dict[str, Any]:
    delta = get(get(event, "actions") or {}, "stateDelta")
    return cast(dict[str, Any], delta) if isinstance(delta, dict) else {}


def _taken_back(events: list[dict[str, Any]]) -> set[int]:
    """Places of events that a later `rewind_before_invocation_id` took back."""
    back: set[int] = set()
    for at, event in enumerate(events):
        invocation = get(get(event, "actions") or {}, "rewindBeforeInvocationId")
        if isinstance(invocation, str) and invocation:
            starts = [n for n in range(at) if get(events[n], "invocationId") == invocation]
            back.update(range(starts[0], at + 1) if starts else ())
    return back


def _parts_of(content: Any, where: str) -> list[AnyPart]:
    if content is None:
        return []
    parts = an_object(content, f"{where}, field content").get("parts")
    if parts is None:
        return []
    return [
        part_of(from_wire(part), f"{where}, field content.parts[{number}]")
        for number, part in enumerate(a_list(parts, f"{where}, field content.parts"))
    ]


def _role(source: dict[str, Any], content: Any) -> Role:
    if source.get("author") == "system":
        return "system"
    role = content.get("role")
    if role is None:
        return "user" if source.get("author") == "user" else "assistant"
    return "assistant" if role == "model" else "user"


def _summary(compaction: Any, before: Iterable[Event]) -> dict[str, Any]:
    start = ms_of_seconds(get(compaction, "startTimestamp"))
    end = ms_of_seconds(get(compaction, "endTimestamp"))
    covers: dict[str, Any] = {"start_ms": start, "end_ms": end}
    if start is not None and end is not None:
        ids = [e.id for e in before if e.time_ms is not None and start <= e.time_ms <= end]
        covers |= {"events": len(ids)} | ({"first": ids[0], "last": ids[-1]} if ids else {})
    return {"kind": "summary", "scope": "historical", "covers": covers}


def write(session: Session) -> Any:
    """The session as `Session.model_validate` takes it, or the list of events it was read from.

    Tools have no place in it; metadata, tags and pins of other formats' events are left out.
    """
    stored: dict[str, Any] = session.metadata.get(NAME, {})
    wire = Wire.of(stored.get("wire"))
    events: list[Any] = []
    place_of: dict[str, int] = {}
    for record in in_order(session, NAME):
        if isinstance(record, Hidden):
            events.append(record.value)
            continue
        place_of.update((piece.event.id, len(events)) for piece in record)
        events.append(written(record, lambda pieces: _record(pieces, wire)))
    _add_changes(session, stored.get("changes", 0), events, place_of, wire)
    if stored and "session" not in stored:
        return events
    head = restored(to_wire(_head(session), wire, "session"), stored.get("session", {}))
    return {**head, "events": events}


def _head(session: Session) -> dict[str, Any]:
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


def _record(pieces: list[RecordPiece], wire: Wire) -> dict[str, Any]:
    event = pieces[0].event
    parts = [wire_part for piece in pieces for part in piece.parts if (wire_part := part_to(part))]
    content = {"role": "model" if event.role == "assistant" else "user", "parts": parts}
    record: dict[str, Any] = {
        "id": event.id,
        "author": event.author or _author(event.role),
        "invocationId": event.invocation,
        "timestamp": (event.time_ms or 0) / 1000,
    }
    if "branch" in event.metadata:
        record["branch"] = event.metadata["branch"]
    if "long_running" in event.metadata:
        record["longRunningToolIds"] = event.metadata["long_running"]
    if pieces[0].shape == "compaction":
        covers = event.metadata.get("covers", {})
        record["actions"] = {
            "compaction": {
                "startTimestamp": (covers.get("start_ms") or 0) / 1000,
                "endTimestamp": (covers.get("end_ms") or 0) / 1000,
                "compactedContent": content,
            }
        }
    else:
        record["content"] = content
    return to_wire(record, wire)


def _author(role: Role) -> str:
    return {"user": "user", "system": "system"}.get(role, "model")
