"""Records and events are not one to one: which records an event came from, and their order.

A record may hold several events (two tool results), an event may be told by several records
(a streamed message), and some records are no messages at all (a file snapshot, a token count).
`extra[format]["records"]` of an event names its records by place; what holds no message waits
under `metadata[format]["hidden"]` of the session. Export sorts both by place: nothing is lost,
and nothing that was not a message is ever shown as one.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from contextwright.formats.extras import residue, restored
from contextwright.session.event import AnyPart, Event, Role
from contextwright.session.session import Session


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
    told: list[tuple[tuple[int, int], Hidden | list[RecordPiece]]] = list(places.items())
    aside = session.metadata.get(format, {}).get("hidden", ())
    told += [((entry["at"], 0), Hidden(entry["record"])) for entry in aside]
    return (value for _, value in sorted(told, key=lambda item: item[0]))


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
