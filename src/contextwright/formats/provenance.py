"""What a source says beside the typed fields, and which of its records an event came from.

Records and events are not one to one: a record may hold several events (two tool results), an
event may come from several records (a streamed message), and some records are no messages (a
file snapshot, a token count). A reader makes typed values of a record, its writer makes a record
of them again; what the two records differ in is the **residue**: kept in `extra[format]`, laid over
the written record on export. So an export gives back what was imported, whatever a reader knows
of the format.

Two layouts of `extra[format]`:

- `{"at": n, "rest": residue}`: formats whose messages become whole events
  (`read_messages`, `write_messages`);
- `{"records": [{"at", "parts", "shape", "rest"}, ...]}`: formats whose events are made of several
  records. What holds no message waits under `metadata[format]["hidden"]` of the session
  (`Draft`, `in_order`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.session.event import AnyPart, Event, Role
from contextwright.session.session import Session

Json = dict[str, Any]
ToEvents = Callable[[Json, str], list[Event]]
"""A message and its place to its events, ids still empty or the source's own."""
ToMessage = Callable[[Sequence[Event]], Json]

ABSENT = "$absent"
"""Key of a residue: names the keys that writing adds and the source did not have."""
ITEMS = "$items"
"""Key of a residue: the residues of a list's items, by place, where the two are as long."""
WHOLE = "$whole"
"""Key of a residue: the source's value, where the two are of different kinds or lengths."""

_MARKS = {ABSENT, ITEMS, WHOLE}


def residue(written: Any, source: Any) -> dict[str, Any]:
    """What turns `written` into `source`; empty where they are the same JSON data."""
    if isinstance(written, dict) and isinstance(source, dict) and not _marked(source):
        return _difference(cast(dict[str, Any], written), cast(dict[str, Any], source))
    if isinstance(written, list) and isinstance(source, list):
        one, other = cast(list[Any], written), cast(list[Any], source)
        if len(one) == len(other):
            inner = {str(n): residue(*pair) for n, pair in enumerate(zip(one, other, strict=True))}
            items = {place: inner_rest for place, inner_rest in inner.items() if inner_rest}
            return {ITEMS: items} if items else {}
    return {} if same(written, source) else {WHOLE: source}


def _difference(written: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in source.items():
        if key not in written:
            rest[key] = {WHOLE: value} if _marked(value) else value
        elif inner := residue(written[key], value):
            rest[key] = inner
    absent = [key for key in written if key not in source]
    if absent:
        rest[ABSENT] = absent
    return rest


def _marked(value: Any) -> bool:
    """Whether a source's value could be read as a residue."""
    return isinstance(value, dict) and not value.keys().isdisjoint(_MARKS)  # pyright: ignore[reportUnknownMemberType]


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
        if isinstance(value, dict) and (key in base or _marked(value)):
            base[key] = restored(base.get(key), cast(dict[str, Any], value))
        else:
            base[key] = value
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


def read_messages(
    format: str,
    messages: Iterable[tuple[Any, str]],
    to_events: ToEvents,
    to_message: ToMessage,
) -> Iterator[Event]:
    """The events of messages, each with what its message said beside."""
    taken: set[str] = set()
    named: dict[str, tuple[Any, str]] = {}
    count = 0
    read = [(to_events(message, where), message, where) for message, where in messages]
    named_ids = {event.id for events, _, _ in read for event in events}
    for at, (events, message, where) in enumerate(read):
        if _seen(events[0].id, message, where, named):
            continue
        rest = residue(to_message(events), message)
        for place, event in enumerate(events):
            origin: Json = {"at": at}
            if rest and place == 0:
                origin["rest"] = rest
            id = event.id or f"e{count}"
            while not event.id and (id in taken or id in named_ids):
                id += "_"
            taken.add(id)
            count += 1
            extra = {**event.extra, format: origin}
            yield msgspec.structs.replace(event, id=id, extra=extra)


def _seen(id: str, message: Any, where: str, named: dict[str, tuple[Any, str]]) -> bool:
    """Whether this very message was read already; a session may repeat one, not contradict."""
    if not id:
        return False
    known = named.setdefault(id, (message, where))
    if known[1] == where:
        return False
    if known[0] != message:
        raise MalformedRecord(
            f"two messages have the id {id!r} and differ",
            where=f"{known[1]} and {where}",
            fix="give every message its own id",
        )
    return True


def write_messages(
    format: str,
    events: Iterable[Event],
    to_message: ToMessage,
    together: Callable[[Event, Event], bool],
) -> list[Json]:
    """The messages of events. Events of this format go back into their messages; the others
    share one where `together` says so."""
    groups: list[list[Event]] = []
    for event in events:
        if groups and _joins(format, groups[-1][-1], event, together):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [
        restored(to_message(group), group[0].extra.get(format, {}).get("rest", {}))
        for group in groups
    ]


def _joins(
    format: str, before: Event, event: Event, together: Callable[[Event, Event], bool]
) -> bool:
    old, new = before.extra.get(format), event.extra.get(format)
    if old is None and new is None:
        return together(before, event)
    return old is not None and new is not None and old.get("at") == new.get("at")


class Draft(msgspec.Struct, kw_only=True):
    """An event while its records are being read."""

    id: str
    role: Role
    parts: list[AnyPart] = []
    author: str = ""
    time_ms: int | None = None
    invocation: str = ""
    metadata: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    records: list[dict[str, Any]] = []

    def took(
        self, at: int, parts: Iterable[AnyPart], shape: str = "", rest: dict[str, Any] | None = None
    ) -> None:
        """These parts came from the record at this place; `rest` is its residue."""
        whole = list(parts)
        record: dict[str, Any] = {"at": at, "parts": len(whole)}
        if shape:
            record["shape"] = shape
        if rest:
            record["rest"] = rest
        self.parts.extend(whole)
        self.records.append(record)

    def event(self, format: str) -> Event:
        """The event, done."""
        return Event(
            id=self.id,
            role=self.role,
            parts=tuple(self.parts),
            author=self.author,
            time_ms=self.time_ms,
            invocation=self.invocation,
            metadata=self.metadata,
            extra={format: {**self.extra, "records": self.records}},
        )


class RecordPiece(msgspec.Struct, frozen=True):
    """The parts of one event that go into one record.

    Args:
        shape: how the format said it, where it has several ways; empty for an event that was
            not read from this format.
        rest: what the record said beside; on the first piece of a record.
    """

    event: Event
    parts: tuple[AnyPart, ...]
    shape: str
    rest: dict[str, Any]


class Hidden(msgspec.Struct, frozen=True):
    """A record that holds no message."""

    value: Any


def free_id(wanted: str, taken: set[str]) -> str:
    """This id, or the next free one like it. Marks it as taken."""
    id, count = wanted, 2
    while id in taken:
        id, count = f"{wanted}#{count}", count + 1
    taken.add(id)
    return id


def covered(drafts: Iterable[Draft]) -> dict[str, Any]:
    """The events that a summary behind them stands for: all of them, sub-agents apart."""
    ids = [draft.id for draft in drafts if "branch" not in draft.metadata]
    return {"first": ids[0], "last": ids[-1], "events": len(ids)} if ids else {"events": 0}


def hidden(places: Iterable[tuple[int, Any]]) -> list[dict[str, Any]]:
    """What `metadata[format]["hidden"]` holds."""
    return [{"at": at, "record": value} for at, value in places]


def in_order(session: Session, format: str) -> Iterator[Hidden | list[RecordPiece]]:
    """The records that this session makes, in the order of the file that it came from.

    Events appended since come after the record of the event that they followed.
    """
    places: dict[tuple[int, int], list[RecordPiece]] = {}
    last = (-1, 0)
    for event in session.log:
        pieces = list(_pieces(event, format))
        for at, piece in pieces:
            place = (last[0], last[1] + 1) if at is None else (at, 0)
            places.setdefault(place, []).append(piece)
            last = max(last, place)
    records: list[tuple[tuple[int, int], Hidden | list[RecordPiece]]] = list(places.items())
    hidden_records = session.metadata.get(format, {}).get("hidden", ())
    records += [((entry["at"], 0), Hidden(entry["record"])) for entry in hidden_records]
    return (value for _, value in sorted(records, key=lambda item: item[0]))


def _pieces(event: Event, format: str) -> Iterator[tuple[int | None, RecordPiece]]:
    records: list[dict[str, Any]] = event.extra.get(format, {}).get("records", [])
    if not records:
        yield None, RecordPiece(event, event.parts, "", {})
        return
    start = 0
    for number, record in enumerate(records):
        stop = start + record["parts"] if number < len(records) - 1 else len(event.parts)
        shape, rest = record.get("shape", ""), record.get("rest", {})
        yield record["at"], RecordPiece(event, event.parts[start:stop], shape, rest)
        start = stop


def keep_rest(
    pieces: list[tuple[Draft, list[AnyPart]]],
    at: int,
    source: Any,
    write: Callable[[list[RecordPiece]], Any],
    shape: str = "",
) -> None:
    """Give each draft its parts of the record at this place, the first one with the residue."""
    whole = [RecordPiece(_bare(draft), tuple(parts), shape, {}) for draft, parts in pieces]
    rest = residue(write(whole), source)
    for number, (draft, parts) in enumerate(pieces):
        draft.took(at, parts, shape, rest if number == 0 else None)


def _bare(draft: Draft) -> Event:
    return Event(
        id=draft.id,
        role=draft.role,
        author=draft.author,
        time_ms=draft.time_ms,
        invocation=draft.invocation,
        metadata=draft.metadata,
    )


def written(pieces: list[RecordPiece], write: Callable[[list[RecordPiece]], Any]) -> Any:
    """The record of these pieces, with what it said beside."""
    return restored(write(pieces), pieces[0].rest)
