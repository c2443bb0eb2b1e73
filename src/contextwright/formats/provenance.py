"""What a source says beside the typed fields, and which of its records an event came from.

Records and events are not one to one: a record may hold several events (two tool results), an
event may come from several records (a streamed message), and some records are no messages (a
file snapshot, a token count). A reader makes typed values of a record, its writer makes a record
of them again; what the two records differ in is the **residue**, laid over the written record on
export. So an export gives back what was imported, whatever a reader knows of the format.

An event holds `extra[format] = {"records": [{"at", "parts", "shape", "rest"}, ...]}`: for each of
its records the place, how many parts are of it, which of the format's ways it was said in, and the
residue. What holds no message waits under `metadata[format]["hidden"]` of the session.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.fields import Json, object_if
from contextwright.formats.key_order import escaped, in_key_order, key_order, unescaped
from contextwright.session.event import AnyPart, Event, Opaque, Role, ToolCall, ToolResult
from contextwright.session.session import Session

ToEvents = Callable[[Any, str], list[Event]]
"""A message and its place to its events, ids still empty or the source's own."""
ToMessage = Callable[[Sequence[Event]], Json]
ToRecord = Callable[[Sequence[Event], str], Any]
"""Events, each with the parts that go into one record, and the record's shape, to the record."""

ABSENT = "$absent"
"""Key of a residue: names the keys that writing adds and the source did not have."""
ITEMS = "$items"
"""Key of a residue: the residues of a list's items, by place, where the two are as long."""
WHOLE = "$whole"
"""Key of a residue: the source's value, where the two are of different kinds or lengths."""

_HELD = frozenset(
    {"configuration_update", "additional_tools", "tool_search_call", "tool_search_output"}
)
_MARKS = frozenset({ABSENT, ITEMS, WHOLE})


def residue(written: Any, source: Any) -> dict[str, Any]:
    """What turns `written` into `source`; empty where they are the same JSON data."""
    kind = type(written)
    if kind is not type(source):
        return {WHOLE: source}
    if kind is str:
        return {} if written == source else {WHOLE: source}
    if kind is dict:
        return _difference(written, source)
    if kind is list and len(written) == len(source):
        inner = {str(n): residue(*pair) for n, pair in enumerate(zip(written, source, strict=True))}
        items = {place: inner_rest for place, inner_rest in inner.items() if inner_rest}
        return {ITEMS: items} if items else {}
    return {} if same(written, source) else {WHOLE: source}


def _difference(written: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in source.items():
        if key not in written:
            rest[escaped(key)] = {WHOLE: value} if _marked(value) else value
        elif (own := written[key]) is not value and (inner := residue(own, value)):
            rest[escaped(key)] = inner
    absent = [key for key in written if key not in source]
    if absent:
        rest[ABSENT] = absent
    return rest


def _marked(value: Any) -> bool:
    """Whether a source's value could be read as a residue."""
    return isinstance(value, dict) and not _MARKS.isdisjoint(value)  # pyright: ignore[reportUnknownMemberType]


def restored(written: Any, rest: Mapping[str, Any]) -> Any:
    """The source's value: `residue(written, source)` laid over `written`."""
    if not rest:
        return written
    if WHOLE in rest:
        return rest[WHOLE]
    if ITEMS in rest:
        return _with_items(written, rest[ITEMS])
    base: dict[str, Any] = dict(written) if isinstance(written, dict) else {}
    for key in rest.get(ABSENT, ()):
        base.pop(key, None)
    for key, value in rest.items():
        if key == ABSENT:
            continue
        named = unescaped(key)
        if isinstance(value, dict) and (named in base or _marked(value)):
            base[named] = restored(base.get(named), cast(dict[str, Any], value))
        else:
            base[named] = value
    return base


def _with_items(written: Any, rest: dict[str, Any]) -> Any:
    """A list with the residues of its items; one that has grown shorter since keeps its own."""
    if not isinstance(written, list):
        return written
    whole = cast(list[Any], written)
    return [restored(item, rest.get(str(place), {})) for place, item in enumerate(whole)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON data. `1`, `1.0` and `true` differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        left, right = cast(dict[str, Any], one), cast(dict[str, Any], other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list):
        first, second = cast(list[Any], one), cast(list[Any], other)
        return len(first) == len(second) and all(map(same, first, second))
    return one == other


class EventDraft(msgspec.Struct):
    """An event while its records are being read: its head, and what came of each record."""

    head: Event
    parts: list[AnyPart] = []
    records: list[Json] = []

    def event(self, format: str) -> Event:
        """The event, done."""
        extra = {**self.head.extra, format: {"records": self.records}}
        return msgspec.structs.replace(self.head, parts=tuple(self.parts), extra=extra)


Pieces = list[tuple[EventDraft, list[AnyPart]]]
"""What one record gives to each draft."""


class SourceRecord(msgspec.Struct, frozen=True):
    """A record to be written.

    Args:
        events: each with the parts of it that go into this record; none for a hidden record.
        shape: which of the format's ways it was said in; empty for an event that was not read
            from this format.
        origin: what the event says of the record: its residue and the order of its keys.
    """

    events: list[Event]
    shape: str = ""
    origin: Json = {}

    def written(self, write: ToRecord) -> Any:
        """The record, as the source had it."""
        made = write(self.events, self.shape) if self.events else None
        return as_it_came(made, self.origin)


class RecordReader:
    """Takes the records of a source one by one; a format's own reader knows what each holds.

    Attributes:
        drafts: the events so far.
        tools: names of the tools called so far, by call id.
    """

    format = ""

    def __init__(self) -> None:
        self.drafts: list[EventDraft] = []
        self.tools: dict[str, str] = {}
        self.taken = FreeIds()
        self.hidden: list[Json] = []
        self._main = ("", "", 0)  # the events of no sub-agent: first, last, how many

    def write(self, events: Sequence[Event], shape: str) -> Any:
        """The record as the format's writer makes it now."""
        raise NotImplementedError

    def hide(self, at: int, record: Any) -> None:
        """Keep a record that holds no message."""
        self.hidden.append({"at": at, "record": record})

    def draft(self, id: str, role: Role, **head: Any) -> EventDraft:
        """A new event; its id is made unique."""
        draft = EventDraft(Event(id=self.taken.take(id), role=role, **head))
        if "branch" not in draft.head.metadata:
            first, _, count = self._main
            self._main = first if count else draft.head.id, draft.head.id, count + 1
        self.drafts.append(draft)
        return draft

    def summary(self) -> Json:
        """The metadata of a summary that stands for all drafts so far, sub-agents apart."""
        first, last, count = self._main
        covers = {"first": first, "last": last, "events": count} if count else {"events": 0}
        return {"kind": "summary", "scope": "historical", "covers": covers}

    def spread(
        self, parts: Iterable[AnyPart], role: Role, draft: Callable[[Role], EventDraft]
    ) -> Pieces:
        """Parts of one record over drafts: one a tool result, one for what stands between."""
        pieces: Pieces = []
        for part in parts:
            kind: Role = "tool" if isinstance(part, ToolResult) else role
            if not pieces or kind == "tool" or pieces[-1][0].head.role != kind:
                pieces.append((draft(kind), []))
            pieces[-1][1].append(part)
        return pieces

    def named(self, result: ToolResult) -> ToolResult:
        """A result with the name of the tool that was called."""
        return msgspec.structs.replace(result, name=self.tools.get(result.call_id, ""))

    def keep(self, at: int, record: Any, pieces: Pieces, shape: str = "") -> None:
        """Give each draft its parts of the record at this place."""
        for _, parts in pieces:
            self.tools.update((part.id, part.name) for part in parts if isinstance(part, ToolCall))
        _keep(at, record, pieces, shape, self.write)

    def session(self, id: Any, **stored: Any) -> Session:
        """The session of the drafts; what else the format has to remember stands in `stored`."""
        events = [draft.event(self.format) for draft in self.drafts]
        metadata = {self.format: {**stored, "hidden": self.hidden}}
        return Session(id if isinstance(id, str) and id else "session", events, metadata=metadata)


def _keep(at: int, source: Any, pieces: Pieces, shape: str, write: ToRecord) -> None:
    """Give each draft its parts, and the first one the record's residue."""
    events = [msgspec.structs.replace(draft.head, parts=tuple(p)) for draft, p in pieces]
    said_beside = _said_beside(write(events, shape), source)
    for draft, parts in pieces:
        record: Json = {"at": at, "parts": len(parts), **said_beside}
        if shape:
            record["shape"] = shape
        said_beside = {}
        draft.parts.extend(parts)
        draft.records.append(record)


class FreeIds:
    """Ids that are taken; one more of the same costs no walk over those before it."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, wanted: str) -> str:
        """This id, or the next free one like it. It is taken from now on."""
        id, count = wanted, self._counts.get(wanted, 2)
        while id in self._taken:
            id, count = f"{wanted}#{count}", count + 1
        if id != wanted:
            self._counts[wanted] = count
        self._taken.add(id)
        return id


def in_order(session: Session, format: str) -> Iterator[SourceRecord]:
    """The records that this session makes, in the order of the file that it came from.

    Events appended since come after the record of the event that they followed.
    """
    places: dict[tuple[int, int], SourceRecord] = {}
    last = (-1, 0)
    for event in session.log:
        for at, piece in _pieces(event, format):
            place = (last[0], last[1] + 1) if at is None else (at, 0)
            known = places.setdefault(place, piece)
            if known is not piece:
                known.events.extend(piece.events)
            last = max(last, place)
    for entry in session.metadata.get(format, {}).get("hidden", ()):
        whole = entry["record"]
        places[entry["at"], 0] = SourceRecord([], origin={"rest": {WHOLE: whole}})
    return (places[place] for place in sorted(places))


def _pieces(event: Event, format: str) -> Iterator[tuple[int | None, SourceRecord]]:
    records = origins(event, format)
    if not records:
        yield None, SourceRecord([event])
    start = 0
    for record in records:
        stop = start + record["parts"] if record is not records[-1] else len(event.parts)
        piece = msgspec.structs.replace(event, parts=event.parts[start:stop])
        yield record["at"], SourceRecord([piece], record.get("shape", ""), record)
        start = stop


def origins(event: Event, format: str) -> list[Json]:
    """The records of this format that an event came from; none for another format's event."""
    return event.extra.get(format, {}).get("records", [])


def read_messages(
    format: str,
    messages: Iterable[tuple[Any, str]],
    to_events: ToEvents,
    to_message: ToMessage,
    before: "ReadSoFar | None" = None,
) -> Iterator[Event]:
    """The events of messages that hold whole events, each with what its message said beside.

    Args:
        before: what was read of the same list before them.
    """
    taken: set[str] = before.ids if before is not None else set()
    by_id: dict[str, tuple[Any, str]] = {}
    read = [(to_events(message, where), message, where) for message, where in messages]
    named_ids = {event.id for events, _, _ in read for event in events}
    for at, (events, message, where) in enumerate(read, before.records if before else 0):
        if _repeats(events[0].id, message, where, by_id):
            continue
        pinned = _is_pinned(message)
        said_beside = _said_beside(to_message(events), message)
        for event in events:
            id = event.id or f"e{len(taken)}"
            while not event.id and (id in taken or id in named_ids):
                id += "_"
            taken.add(id)
            record: Json = {"at": at, "parts": len(event.parts), **said_beside}
            said_beside = {}
            extra = {**event.extra, format: {"records": [record]}}
            pinned_too = event.pinned or pinned or any(map(_stands_for_more, event.parts))
            yield msgspec.structs.replace(event, id=id, pinned=pinned_too, extra=extra)


class ReadSoFar(msgspec.Struct):
    """How far a list of messages was read, for its reader to go on from there.

    Args:
        records: how many records of the format: the place of the next one.
        ids: of the events so far; grows with them.
        events: how many events there are.
        last: the records of the last event.
        tools: names of the tools called so far, by call id.
        metadata: what the format keeps of the whole list.
        changes: for its reader to say what it read beside events: changes of the state, each behind
            so many of the new events.
        hidden: records that hold no message, likewise.
    """

    records: int
    ids: set[str]
    events: int
    last: list[Any]
    tools: dict[str, str]
    metadata: Json
    changes: list[tuple[int, Json]] = []
    hidden: list[Json] = []


def _said_beside(written: Any, message: Any) -> Json:
    """The residue of a message and the order of its keys, as far as there are any."""
    marks = {"rest": residue(written, message), "order": key_order(written, message)}
    return {name: value for name, value in marks.items() if value}


def as_it_came(written: Any, record: Mapping[str, Any]) -> Any:
    """The message that a writer made of its events, as the source had it.

    Args:
        record: of the first of its events.
    """
    return in_key_order(restored(written, record.get("rest", {})), record.get("order", {}))


def _stands_for_more(part: AnyPart) -> bool:
    """Whether a part of a provider's own says what holds from there on: without it that is lost.
    What stands for all before it, of which only the newest counts, the compiler holds."""
    return isinstance(part, Opaque) and part.kind in _HELD


def _is_pinned(message: Any) -> bool:
    """Whether a message says so itself, or its metadata does, in any format."""
    fields = object_if(message)
    metadata = fields.get("metadata")
    return fields.get("pinned") is True or (
        metadata is not None and object_if(metadata).get("pinned") is True
    )


def _repeats(id: str, message: Any, where: str, by_id: dict[str, tuple[Any, str]]) -> bool:
    """Whether this very message was read already; a session may repeat one, not contradict."""
    known, place = by_id.setdefault(id, (message, where)) if id else (message, where)
    if place != where and known != message:
        raise MalformedRecord(
            f"two messages have the id {id!r} and differ",
            where=f"{place} and {where}",
            fix="give every message its own id",
        )
    return place != where


def write_messages(
    format: str,
    events: Iterable[Event],
    to_message: ToMessage,
    together: Callable[[Event, Event], bool] = lambda before, event: False,
) -> list[Json]:
    """The messages of events. Events of this format go back into their messages; the others
    share one where `together` says so."""

    def join(before: Event, event: Event) -> bool:
        old, new = origins(before, format), origins(event, format)
        if old and new:
            return old[0]["at"] == new[0]["at"]
        return not (old or new) and together(before, event)

    groups: list[list[Event]] = []
    for event in events:
        if groups and join(groups[-1][-1], event):
            groups[-1].append(event)
        else:
            groups.append([event])
    firsts = [next(iter(origins(group[0], format)), {}) for group in groups]
    return [
        as_it_came(to_message(group), first) for group, first in zip(groups, firsts, strict=True)
    ]
