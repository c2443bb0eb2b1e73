"""The append-only log of events, which indexes as it grows."""

import re
import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, overload

from contextwright.errors import SessionError
from contextwright.session.call_outcomes import CallOutcomes
from contextwright.session.event import Event, ToolCall, ToolResult
from contextwright.session.event_index import EventIndex, holds
from contextwright.session.event_json import encodable, event_id_in, event_json, opened, portable
from contextwright.session.exchange import Exchange, exchange_of
from contextwright.session.family import Family
from contextwright.session.harness_text import NEITHER, Speakers, speakers_in
from contextwright.session.turns import Turns

_LINK = 32
"""Bytes of a sha256."""
_PLACE = re.compile("e(?:0|[1-9][0-9]{0,9})")
"""An id that says a position: those that `Session.add` gives."""


class Log(Sequence[Event]):
    """Events in the order in which they came.

    An append costs what the event is, not what the log is: the exchange it joins is found by
    its call id, and every index grows at its end. Nothing is ever changed or removed, so a
    reader that remembers a position sees the same log for ever, whatever other threads append.
    """

    memo: Any = None  # what was worked out for it (engine.prepare.memo_of), while it lives

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.family = Family()
        self._lock = threading.Lock()
        self._events: list[Event | bytes] = []  # as JSON until somebody looks
        # of the newest exchange what came out of JSON, to be kept as that
        self._decoded: list[tuple[int, bytes]] = []
        self._ids: dict[str, int] = {}  # of the ids that do not say their position
        self._says_place = bytearray()  # position -> whether its id does
        self._digests, self._link = bytearray(), b""  # hash chain, a link an event; the newest
        self._exchange_at = array("I")  # position -> exchange
        self._begun = array("I")  # position -> exchanges begun, this event's included
        self._starts = array("I")  # exchange -> its first position
        self._exchanges: list[Exchange | None] = []  # None until somebody looks
        self._late: dict[int, list[int]] = {}  # exchange -> positions that joined it out of turn
        self._late_joins: list[int] = []  # those exchanges, one entry for every such event
        self.joins = 0  # how many there are
        self._calls: dict[str, tuple[int, int]] = {}  # call id -> where it was made last
        self._waiting: set[str] = set()  # calls of the newest exchange that may have no answer
        self.turns = Turns()
        self._outcomes = CallOutcomes()
        self._judges = True  # whether what comes is looked at for failures
        self._called: dict[tuple[str, str], int] = {}  # (author, tool) -> first call
        self._index, self.landmark = EventIndex(), -1  # the newest one that stands out
        self.extend(events)

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return list(map(opened, self._events[index]))
        return self._event(index)

    def _event(self, position: int) -> Event:
        event = self._events[position]
        if isinstance(event, bytes):
            event = self._events[position] = opened(event)
        return event

    def __iter__(self) -> Iterator[Event]:
        return map(opened, self._events)

    def extend(self, events: Iterable[Event], *, decoded: bool = False) -> None:
        """Append several events; `decoded` as `append` has it."""
        for event in events:
            self.append(event, decoded=decoded)

    def before(self, position: int) -> "Log":
        """A log of its own that begins with the events in front of a position. What failed and
        what succeeded is not found out again."""
        log = Log()
        log.family, log._judges = self.family, False
        with self._lock:
            for event, body in zip(self._events[:position], self.bodies(0, position), strict=True):
                log._append(opened(event), body, isinstance(event, bytes))
            log._judges = True
            log._outcomes = self._outcomes.before(position)
        return log

    def __reduce__(self) -> tuple[object, ...]:
        with self._lock:
            return Log._of, (list(map(portable, self._events)),)

    @classmethod
    def _of(cls, events: Iterable[tuple[bytes, Event | None]]) -> "Log":
        log = cls()
        for body, event in events:
            log._append(event or opened(body), body, event is None)
        return log

    def append(self, event: Event, *, decoded: bool = False, body: bytes = b"") -> int:
        """Append an event and give its position. The same event again changes nothing.

        Args:
            decoded: whether it came out of JSON, so that its JSON says all of it and is kept
                until somebody looks: a third of the memory.
            body: its bytes, where `encodable` made both already.

        Raises:
            SessionError: another event of this id is in the log already, or it is none.
        """
        event, body = (event, body) if body else encodable(event)
        with self._lock:
            says_place = event.id == f"e{len(self._events)}"
            is_next = says_place and event.id not in self._ids
            if is_next or (known := self.position_of(event.id)) is None:
                return self._append(event, body, decoded, says_place=says_place)
            if self[known] == event:
                return known
            raise SessionError(
                f"two events have the id {event.id!r}",
                where=f"positions {known} and {len(self._events)}",
                fix="give every event of a session its own id",
            )

    def _append(
        self, event: Event, body: bytes, decoded: bool, *, says_place: bool | None = None
    ) -> int:
        position = len(self._events)
        self._link = sha256(self._link + body).digest()
        self._digests += self._link
        results = event.results if event.role == "tool" else ()
        owner = self._owner(results) if results else None
        speakers = speakers_in(event.parts) if event.role == "user" else NEITHER
        if owner is None:
            owner = len(self._exchanges)
            self._begin(event, position, speakers)
        else:
            self._join(results, owner, position)
        self._exchange_at.append(owner)
        self._begun.append(len(self._exchanges))
        self.landmark = position if self._index.note(event, position, speakers) else self.landmark
        says_place = event.id == f"e{position}" if says_place is None else says_place
        self._says_place.append(says_place)
        if not says_place:
            self._ids[event.id] = position
        self._events.append(event)
        if decoded:
            self._decoded.append((position, body))
        return position

    def _owner(self, results: Iterable[ToolResult]) -> int | None:
        """The exchange whose call is answered, if all that an event holds are results."""
        for result in results:
            caller = self._calls.get(result.call_id)
            if caller is not None:
                return self._exchange_at[caller[0]]
        return None

    def _begin(self, event: Event, position: int, speakers: Speakers) -> None:
        index = len(self._exchanges)
        self.turns.note(event, index, spoken=speakers.user)
        if self._waiting:
            self._settle(index - 1, position)
            self._waiting.clear()
        for place, body in self._decoded:
            self._keep(place, body)
        self._decoded.clear()
        self._exchanges.append(None)
        self._starts.append(position)
        if event.role == "tool":
            self._index.note_orphan(position)
        if event.role == "assistant":
            for place, part in enumerate(event.parts):
                if isinstance(part, ToolCall):
                    if part.id in self._calls:
                        self._index.note_repeated(position)
                    self._waiting.add(part.id)
                    self._calls[part.id] = position, place
                    self._called.setdefault((event.speaker, part.name), position)

    def pack(self) -> None:
        """Keep as JSON what nobody looked at yet, the newest exchange apart: a third of the
        memory. What JSON does not say, such as a tuple in metadata, stays an object."""
        with self._lock:
            for position in range(self._starts[-1] if self._starts else 0):
                event = self._events[position]
                if isinstance(event, Event) and (whole := portable(event))[1] is None:
                    self._keep(position, whole[0])
            # made anew side by side: what stays does not hold the pages of what goes
            self._calls = {(id + " ")[:-1]: (at + 0, n) for id, (at, n) in self._calls.items()}

    def _keep(self, position: int, body: bytes) -> None:
        if self._exchanges[self._exchange_at[position]] is None:
            # a copy: the encoder leaves room behind what it wrote
            self._events[position] = bytes(memoryview(body))

    def _join(self, results: Iterable[ToolResult], owner: int, position: int) -> None:
        # built when somebody looks: a call with a thousand results is not built a thousand times
        self._exchanges[owner] = None
        if owner != len(self._exchanges) - 1:
            self._late.setdefault(owner, []).append(position)
            self._late_joins.append(owner)
            self.joins += 1
        for result in results:
            # one that says it was interrupted leaves its call waiting, whatever came before it
            note = self._waiting.add if result.status == "interrupted" else self._waiting.discard
            note(result.call_id)
            if self._judges:
                call = self._call_of(result.call_id, owner)
                self._outcomes.note(result, call, position, owner)

    def _call_of(self, call_id: str, exchange: int) -> ToolCall | None:
        """The call of this id, if it is of this exchange."""
        position, place = self._calls.get(call_id, (-1, 0))
        if position < 0 or self._exchange_at[position] != exchange:
            return None
        call = self._event(position).parts[place]
        return call if isinstance(call, ToolCall) else None

    def _settle(self, index: int, position: int) -> None:
        """An exchange is no longer the newest: what waits in it was interrupted."""
        exchange, self._exchanges[index] = self._exchange(index), None
        for call in exchange.calls if self._judges else ():
            if call.id in exchange.open_calls:
                self._outcomes.note_interrupted(call, position, index)

    def _members(self, index: int) -> tuple[int, ...]:
        """The positions of an exchange's events."""
        start, last = self._starts[index], index + 1 == len(self._starts)
        stop = len(self._exchange_at) if last else self._starts[index + 1]
        if stop == start + 1 and index not in self._late:  # most are one message
            return (start,)
        near = [at for at in range(start + 1, stop) if self._exchange_at[at] == index]
        return (start, *near, *self._late.get(index, ()))

    def _exchange(self, index: int) -> Exchange:
        """An exchange with all that joined it."""
        exchange = self._exchanges[index]
        if exchange is None:
            positions = self._members(index)
            events = tuple(map(self._event, positions))
            newest = index == len(self._exchanges) - 1
            fails = self._outcomes.has_failing(positions)
            turn = self.turns.of(index)
            exchange = exchange_of(index, turn, positions, events, newest=newest, fails=fails)
            self._exchanges[index] = exchange
        return exchange

    def has_call(self, id: str) -> bool:
        """Whether a tool call of this id was made."""
        return id in self._calls

    def called_tools(self, before: int) -> list[tuple[str, str]]:
        """Each author with each tool that it called below `before`, in the order of first calls."""
        if before >= len(self._events):
            return list(self._called)
        return [key for key, position in list(self._called.items()) if position < before]

    def position_of(self, event_id: str) -> int | None:
        """Where the event of this id stands, if it is here."""
        known = self._ids.get(event_id)
        if known is not None or not _PLACE.fullmatch(event_id):
            return known
        place = int(event_id[1:])
        return place if place < len(self._events) and self._says_place[place] else None

    def ends(self, attribute: str, value: str, before: int) -> tuple[int, int] | None:
        """The first and the last position below `before` of the events with this role, author,
        type, tool or tag; None where there is none."""
        with self._lock:
            positions = self._index.positions(attribute, value)
            if positions and positions[-1] < before:  # as where nothing came meanwhile
                return positions[0], positions[-1]
            count = bisect_left(positions, before)
            return (positions[0], positions[count - 1]) if count else None

    def positions(self, attribute: str, value: str, before: int) -> list[int]:
        """Positions below `before` of the events with this role, author, type, tool or tag."""
        with self._lock:
            positions = self._index.positions(attribute, value)
            return positions[: bisect_left(positions, before)].tolist()

    def holding(self, attribute: str, value: str, positions: Iterable[int]) -> set[int]:
        """Those of the positions whose events have this role, author, type, tool or tag."""
        with self._lock:
            return set(filter(partial(holds, self._index.positions(attribute, value)), positions))

    def exchanges_with(self, attribute: str, value: str, start: int, stop: int) -> list[Exchange]:
        """Exchanges from `start` to `stop` that have an event with this, in the whole log."""
        with self._lock:
            positions = self._index.positions(attribute, value)
            stop = min(stop, len(self._exchanges))
            if not positions or start >= stop:
                return []
            if len(positions) <= len(self._late):  # fewer than what came late
                wanted = {self._exchange_at[position] for position in positions}
                return [self._exchange(index) for index in sorted(wanted) if start <= index < stop]
            low = bisect_left(positions, self._starts[start])
            last = stop == len(self._starts)
            high = len(positions) if last else bisect_left(positions, self._starts[stop])
            wanted = {self._exchange_at[position] for position in positions[low:high]}
            for index in self._joined_late(start, stop):
                if any(map(partial(holds, positions), self._late[index])):
                    wanted.add(index)
            return [self._exchange(index) for index in sorted(wanted) if start <= index < stop]

    def _joined_late(self, start: int, stop: int) -> list[int]:
        """The exchanges from `start` to `stop` that were joined after another had begun."""
        if len(self._late) > stop - start:
            return [index for index in range(start, stop) if index in self._late]
        return [index for index in self._late if start <= index < stop]

    def newest_failures(self, before: int) -> Iterator[tuple[str, int, int]]:
        """Each kind of call that failed before a position, the newest place, and its exchange."""
        return self._outcomes.newest_failures(before)

    def unmended_failures(self, before: int) -> list[tuple[str, Exchange]]:
        """Each kind of call that failed before a position, and none of which succeeded between the
        exchange of the newest failure and there, with that exchange as it stood then."""
        with self._lock:
            if before >= len(self._events):
                return self._outcomes.unmended(self._exchange)
        failures: list[tuple[str, Exchange]] = []
        for kind, _, index in self.newest_failures(before):
            exchange = self.exchanges(index, index + 1, before)[0]
            if not self._outcomes.succeeded_between(kind, exchange.positions[-1], before):
                failures.append((kind, exchange))
        return failures

    def owner_of(self, call_id: str) -> int | None:
        """The exchange whose call has this id; of several the last."""
        caller = self._calls.get(call_id)
        return self.exchange_index(caller[0]) if caller is not None else None

    def values(self, attribute: str) -> tuple[str, ...]:
        """The values that an attribute takes in this log, in order of first appearance."""
        return self._index.values(attribute)

    def exchange_index(self, position: int) -> int:
        """The exchange that the event at this position belongs to."""
        with self._lock:
            return self._exchange_at[position]

    def exchange_indices(self, positions: Iterable[int]) -> list[int]:
        """The exchange that each event at these positions belongs to."""
        with self._lock:
            return list(map(self._exchange_at.__getitem__, positions))

    def exchanges(self, start: int, stop: int, before: int) -> list[Exchange]:
        """Exchanges `start` to `stop` as they stood when the log had `before` events."""
        with self._lock:  # not in the middle of an append, which changes exchanges of before
            some = self._exchanges[start:stop]
            for place, exchange in enumerate(some) if None in some else ():
                if exchange is None:
                    some[place] = self._exchange(start + place)
            exchanges: list[Exchange] = some  # pyright: ignore[reportAssignmentType]
            if before >= len(self._events):
                return exchanges
            newest = self._begun[before - 1] - 1 if before else -1
            changed = {newest, *self._joined_late(start, stop)}
        for index in changed:
            if start <= index < start + len(exchanges):
                exchanges[index - start] = self._as_of(exchanges[index - start], before)
        return exchanges

    def events_of(self, start: int, stop: int) -> list[tuple[Event, ...]]:
        """The events of each exchange from `start` to `stop`, for one look: JSON stays that."""
        with self._lock:
            events, starts, stop = self._events, self._starts, min(stop, len(self._starts))
            if self._late:
                members = map(self._members, range(start, stop))
                return [tuple([opened(events[at]) for at in positions]) for positions in members]
            spans = map(slice, starts[start:stop], [*starts[start + 1 : stop + 1], len(events)])
            return [tuple(map(opened, events[span])) for span in spans]

    def _as_of(self, exchange: Exchange, before: int) -> Exchange:
        newest = exchange.index == self.exchange_count(before) - 1
        known = sum(position < before for position in exchange.positions)
        return exchange_of(
            exchange.index,
            exchange.turn,
            exchange.positions[:known],
            exchange.events[:known],
            newest=newest,
            fails=self._outcomes.has_failing(exchange.positions[:known]),
        )

    def late_joins(self, known: int = 0) -> list[int]:
        """The exchanges that events joined out of turn, in order, but for the first `known`."""
        return self._late_joins[known:]

    def exchange_count(self, before: int) -> int:
        """How many exchanges had begun when the log had `before` events."""
        with self._lock:
            return self._begun[before - 1] if before else 0

    def turn_count(self, before: int) -> int:
        """How many turns had begun when the log had `before` events."""
        return self.turns.count(self.exchange_count(before))

    def turn_of(self, exchange: int) -> int:
        """The turn that an exchange belongs to."""
        return self.turns.of(exchange)

    def age(self, exchange: int, turn: int, count: int) -> int:
        """How far back an exchange of a turn is, where the log had `count` exchanges."""
        return self.turns.age(exchange, turn, count)

    def bodies(self, start: int, stop: int) -> list[bytes]:
        """The events from `start` to `stop` as the JSON that the digest covers."""
        return [e if isinstance(e, bytes) else event_json(e) for e in self._events[start:stop]]

    def ids(self, start: int, stop: int) -> list[str]:
        """The ids of the events from `start` to `stop`."""
        return self._ids_at(range(start, min(stop, len(self._events))))

    def exchange_ids(self, start: int, stop: int) -> list[str]:
        """The ids of the events of exchanges `start` to `stop`, one exchange behind the other."""
        with self._lock:
            last = stop >= len(self._starts)
            near = range(self._starts[start], len(self._events) if last else self._starts[stop])
            if not self._late:
                return self._ids_at(near)
            late = (at for index in self._joined_late(start, stop) for at in self._late[index])
            own = [at for at in sorted({*near, *late}) if self._exchange_at[at] >= start]
            return self._ids_at(sorted(own, key=self._exchange_at.__getitem__))

    def _ids_at(self, places: Iterable[int]) -> list[str]:
        return [f"e{n}" if self._says_place[n] else self._id(n) for n in places]

    def _id(self, position: int) -> str:
        event = self._events[position]
        return event_id_in(event) if isinstance(event, bytes) else event.id

    def digest(self, before: int) -> str:
        """The sha256 of the first `before` events, chained: each link covers those before it."""
        with self._lock:
            return self._digests[(before - 1) * _LINK : before * _LINK].hex()
