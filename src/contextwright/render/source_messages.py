"""The messages of a request body as they came, by the events that were read from them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.formats.fields import Json
from contextwright.formats.moving_breakpoints import with_breakpoints_of, without_breakpoints
from contextwright.formats.part_places import FORMS, MessageForm, Place
from contextwright.formats.provenance import as_it_came, origins
from contextwright.formats.request_body import RequestBody
from contextwright.render.body_redaction import NO_REDACTION, BodyRedaction
from contextwright.session.event import AnyPart, Event, ToolResult
from contextwright.session.event_index import REPEATED
from contextwright.session.log import Log

_MESSAGES = ("messages", "input", "contents")


class SourceMessage(msgspec.Struct, frozen=True, eq=False):
    """A message of a body.

    Args:
        at: its place among the messages.
        data: as it came; never changed.
        parts: of all events that were read from it.
        places: where each part stands in `data`.
    """

    at: int
    data: Any
    parts: tuple[AnyPart, ...]
    places: tuple[Place, ...]


class EventSource(msgspec.Struct, frozen=True, eq=False):
    """An event's share of a message: its parts are those from `start` to `stop`."""

    message: SourceMessage
    start: int
    stop: int

    @property
    def parts(self) -> tuple[AnyPart, ...]:
        """The event's parts."""
        return self.message.parts[self.start : self.stop]


class _Broken(msgspec.Struct, frozen=True):
    """The key of a rule that a body was found to break, beside those of its events."""

    rule: str


class TakesMessages(Protocol):
    """Who a list of messages is for."""

    def takes_message(self, data: Any, *, leads: bool) -> bool:
        """Whether a request can have a message of a list as it came.

        Args:
            data: the message, or a group of items. leads: whether only the system spoke before.
        """
        ...


class RecordRules(msgspec.Struct, frozen=True, eq=False):
    """What a message must keep to that came in no request, to leave as it came.

    Args:
        receiver: who is asked.
        preamble: exchanges of the system, at the very beginning.
    """

    receiver: TakesMessages
    preamble: int


class SourceMessages:
    """What a compile has of the body that its session was read from.

    Args:
        body: the body.
        log: the session's events.
        position: how many of them count.
        known: what was worked out before, by event id.
        redaction: of what leaves as it came.
        key: names all that the messages depend on beside the log.
        rules: of what came as a list of messages, or as a record of a conversation; None where it
            came as a request, which leaves as its caller made it.
        breakpoints: of the messages, by their places, where they move; None where each message has
            those that it came with.
    """

    def __init__(
        self,
        body: RequestBody,
        log: Log,
        position: int,
        known: dict[Any, Any],
        redaction: BodyRedaction = NO_REDACTION,
        key: str = "",
        rules: RecordRules | None = None,
        breakpoints: Mapping[str, Json] | None = None,
    ) -> None:
        self.breakpoints = breakpoints
        self.key = key or body.format
        self.body = body
        self.form: MessageForm = FORMS[body.format]
        self._rules = rules
        self._log, self._position, self._known, self.redaction = log, position, known, redaction

    def of_event(self, event_id: str) -> EventSource | None:
        """Where an event came from; None for one that did not come with the body."""
        known = self._known.get(event_id)
        if known is None:
            at = self._log.position_of(event_id) if event_id else None
            if at is None or at >= self._position:
                return None
            self._read(at)
            known = self._known[event_id]
        return known or None

    def of_results(
        self, block: Block, message: Message
    ) -> list[tuple[ToolResult, int, EventSource]]:
        """The results of a message that came with the body, each with its place among the parts of
        its event's message, in the order in which they came."""
        exchange = self._log.exchanges(block.order, block.order + 1, self._position)
        if block.order < 0 or not exchange:
            return []
        by_call: dict[str, tuple[int, EventSource]] = {}
        for event in exchange[0].events:
            source = self.of_event(event.id)
            for place, part in enumerate(event.parts if source else ()):
                if isinstance(part, ToolResult) and source is not None:
                    by_call[part.call_id] = source.start + place, source
        results = [
            (part, *by_call[part.call_id])
            for part in message.parts
            if isinstance(part, ToolResult) and part.call_id in by_call
        ]
        return sorted(results, key=lambda each: (each[2].message.at, each[1]))

    def request(self) -> Json:
        """The whole body, as its caller made it."""
        data = [self.marked(message.data, message.at) for message in self.all()]
        fields = {key: item for key, item in self.body.fields.items() if item is not None}
        key = next((key for key in _MESSAGES if key in self.body.fields), "")
        if not key:
            return fields  # what the provider has says it all
        if data and "system" in self.body.fields:
            fields["system"] = data.pop(0)["content"]
        elif data and key == "input" and isinstance(fields.get("instructions"), str):
            data.pop(0)  # read as the first message, and no item
        groups = [one["items"] if key == "input" else [one] for one in data]
        return {**fields, key: [item for group in groups for item in group]}

    def marked(self, wire: Any, at: int) -> Any:
        """A message of the body's with the breakpoints that its caller's newest list has there."""
        marks = self.breakpoints and self.breakpoints.get(str(at))
        return with_breakpoints_of(wire, marks) if marks else wire

    def all(self) -> Iterator[SourceMessage]:
        """The messages, in their order, as far as they are asked for."""
        last = -1
        for event in islice(self._log, self._position):
            source = self.of_event(event.id)
            if source is not None and source.message.at != last:
                last = source.message.at
                yield source.message

    def is_known_to_break(self, rule: str) -> bool:
        """Whether these messages were found to break a rule that they break however they go on."""
        place = self._known.get(_Broken(rule))
        return place is not None and place <= self._position

    def note_broken(self, rule: str) -> None:
        """Remember that they break a rule."""
        key = _Broken(rule)
        self._known[key] = min(self._known.get(key, self._position), self._position)

    def ends(self) -> tuple[int, int]:
        """The places of the first message and the last, the system text apart; one of each event
        that came later is no message of the body's."""
        count = self._position
        if not count or self._rules is not None:  # whose end is not said: a note may stand there
            return -1, -1
        first = next((n for n in range(count) if self._log[n].role != "system"), 0)
        sources = self.of_event(self._log[first].id), self.of_event(self._log[count - 1].id)
        return tuple(one.message.at if one is not None else -1 for one in sources)  # pyright: ignore

    def _read(self, at: int) -> None:
        """Read the message that the event at a position came from, for all events of it."""
        record = _record(self._log[at], self.body.format)
        if record is None:
            self._known[self._log[at].id] = False
            return
        first, last = events_of_message(self._log, at, self.body.format, self._position)
        events = self._log[first:last]
        message = None
        if not self._repeats_an_id(first, last):
            message = self._message(events, record["at"], leads=first < self._preamble)
        start = 0
        for event in events:
            stop = start + len(event.parts)
            self._known[event.id] = (
                EventSource(message, start, stop) if message is not None else False
            )
            start = stop

    def _repeats_an_id(self, first: int, last: int) -> bool:
        """Whether these events of a list call by an id that was called by before, or answer such a
        call: both are made anew, with an id of their own, and all in front of them stands."""
        if self._rules is None:
            return False
        exchanges = {self._log.exchange_index(position) for position in range(first, last)}
        return any(self._log.exchanges_with("kind", REPEATED, at, at + 1) for at in exchanges)

    @property
    def _preamble(self) -> int:
        return self._rules.preamble if self._rules is not None else 0

    def _message(self, events: Sequence[Event], at: int, *, leads: bool) -> SourceMessage | None:
        record = _record(events[0], self.body.format)
        data = as_it_came(self.form.write(events), record or {})
        if self._rules is not None:
            data = self.form.sent(data)
            if not self._rules.receiver.takes_message(data, leads=leads):
                return None  # its provider would refuse it: it is made anew
        if self.breakpoints is not None and events[0].role != "system":
            data = without_breakpoints(data)
        places = tuple(self.form.places(data))
        parts = tuple(part for event in events for part in event.parts)
        if len(places) != len(parts):
            return None  # its reader and these places are of two minds: it is made anew
        return SourceMessage(at, self.redaction.message(data), parts, places)


def events_of_message(log: Log, at: int, format: str, stop: int) -> tuple[int, int]:
    """From where to where the events stand that were read from the same message as that at `at`, of
    those in front of `stop`."""
    place = origins(log[at], format)[0]["at"]
    first, last = at, at + 1
    while first and _record(log[first - 1], format, place):
        first -= 1
    while last < stop and _record(log[last], format, place):
        last += 1
    return first, last


def is_within_message(log: Log, position: int, format: str) -> bool:
    """Whether the events around a position were read from one message."""
    if not 0 < position < len(log):
        return False
    record = _record(log[position - 1], format)
    return record is not None and _record(log[position], format, record["at"]) is not None


def _record(event: Event, format: str, at: int | None = None) -> Json | None:
    """The record of the body that an event came from, if it is this one."""
    records = origins(event, format)
    if len(records) != 1 or (at is not None and records[0]["at"] != at):
        return None
    return records[0]
