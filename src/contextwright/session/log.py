"""The append-only log of events, which indexes as it grows."""

import math
import re
import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, overload

import msgspec

from contextwright.errors import SessionError
from contextwright.session.call_kind import call_kind, call_kinds
from contextwright.session.event import ROLES, Event, ToolCall
from contextwright.session.exchange import Exchange, exchange_of
from contextwright.session.failure import is_failure

LONG_TURN = 5
"""Exchanges from which on a turn counts by its exchanges: a question, up to three calls and the
answer are one turn of a chat; an agent that was given a task makes hundreds of calls in one."""


class Log(Sequence[Event]):
    """Events in the order in which they came.

    An append costs what the event is, not what the log is: the exchange it joins is found by
    its call id, and every index grows at its end. Nothing is ever changed or removed, so a
    reader that remembers a position sees the same log for ever, whatever other threads append.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._ids: dict[str, int] = {}
        self._exchanges: list[Exchange] = []
        self._joined: dict[int, list[int]] = {}  # exchange to be built anew -> its positions
        self._exchange_at: list[int] = []  # position -> exchange
        self._begun: list[int] = []  # position -> exchanges begun, this event's included
        # call id -> the exchange that asked last, and the call
        self._callers: dict[str, tuple[int, ToolCall]] = {}
        self._late: set[int] = set()  # exchanges that were joined after another had begun
        self._late_joins: list[int] = []  # the same, one entry for every such event
        self._turn_starts: list[int] = []  # turn -> first exchange
        self._aged: list[int] = []  # turn -> ages that all turns before it add up to
        self._failures: dict[str, list[tuple[int, int]]] = {}  # kind -> (known since, exchange)
        self._user_spoke = False
        self._preamble = 0  # exchanges that are system messages, at the very beginning
        self._called: dict[tuple[str, str], int] = {}  # (author, tool) -> first call
        self._by: dict[tuple[str, str], list[int]] = {}  # (attribute, value) -> positions
        self._with: dict[tuple[str, str], list[int]] = {}  # (attribute, value) -> exchanges
        self._digests: list[bytes] = []  # hash chain
        self.extend(events)

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        return self._events[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def extend(self, events: Iterable[Event]) -> None:
        """Append several events."""
        for event in events:
            self.append(event)

    def append(self, event: Event) -> int:
        """Append an event and give its position. The same event again changes nothing.

        Raises:
            SessionError: another event of this id is in the log already, or it is none.
        """
        event, body = encodable(event)
        with self._lock:
            known = self._ids.get(event.id)
            if known is not None and self._events[known] == event:
                return known
            if known is not None:
                raise SessionError(
                    f"two events have the id {event.id!r}",
                    where=f"positions {known} and {len(self._events)}",
                    fix="give every event of a session its own id",
                )
            return self._append(event, body)

    def _append(self, event: Event, body: bytes) -> int:
        position = len(self._events)
        link = sha256(self._digests[-1] if self._digests else b"")
        link.update(body)
        self._digests.append(link.digest())
        owner = self._owner(event)
        self._index(event, position, len(self._exchanges) if owner is None else owner)
        if owner is None:
            self._begin(event, position)
        else:
            self._join(event, position, owner)
        self._begun.append(len(self._exchanges))
        self._ids[event.id] = position
        self._events.append(event)
        return position

    def _owner(self, event: Event) -> int | None:
        """The exchange whose call this event answers, if all it holds are results."""
        if event.role != "tool":
            return None
        for result in event.results:
            caller = self._callers.get(result.call_id)
            if caller is not None:
                return caller[0]
        return None

    def _begin(self, event: Event, position: int) -> None:
        index = len(self._exchanges)
        if not self._turn_starts or (event.role == "user" and self._user_spoke):
            self._begin_turn(index)
        self._user_spoke = self._user_spoke or event.role == "user"
        if event.role == "system" and self._preamble == index:
            self._preamble = index + 1
        if index:
            self._settle(index - 1, position)
        turn = len(self._turn_starts) - 1
        self._exchanges.append(exchange_of(index, turn, (position,), (event,), newest=True))
        self._exchange_at.append(index)
        for call in event.calls if event.role == "assistant" else ():
            self._callers[call.id] = (index, call)
            self._called.setdefault((event.speaker, call.name), position)

    def _begin_turn(self, index: int) -> None:
        if self._turn_starts:
            length = self._length(len(self._turn_starts) - 1, index)
            self._aged.append(self._aged[-1] + (length if length > LONG_TURN else 1))
        else:
            self._aged.append(0)
        self._turn_starts.append(index)

    def _join(self, event: Event, position: int, owner: int) -> None:
        if owner != len(self._exchanges) - 1:
            self._late.add(owner)
            self._late_joins.append(owner)
        # built when somebody looks: a call with a thousand results is not built a thousand times
        if owner not in self._joined:
            self._joined[owner] = list(self._exchanges[owner].positions)
        self._joined[owner].append(position)
        self._exchange_at.append(owner)
        self._note_success(event, owner, position)

    def _note_success(self, event: Event, exchange: int, position: int) -> None:
        for result in event.results:
            asked_by, call = self._callers.get(result.call_id, (-1, None))
            call = call if asked_by == exchange else None
            kinds = call_kinds(call) if call is not None else (result.name,)
            if result.status == "ok" and not is_failure(result, call):
                for kind in kinds:
                    self._by.setdefault(("success", kind), []).append(position)
            elif result.status != "pending":
                self._failures.setdefault(kinds[-1], []).append((position, exchange))

    def _settle(self, index: int, position: int) -> None:
        """An exchange is no longer the newest: what waits in it was interrupted."""
        before = self._exchange(index)
        if before.mark != "open":
            return
        self._exchanges[index] = exchange_of(
            index, before.turn, before.positions, before.events, newest=False
        )
        waiting = set(before.open_calls)
        for call in before.calls:
            if call.id in waiting:
                self._failures.setdefault(call_kind(call), []).append((position, index))

    def _exchange(self, index: int) -> Exchange:
        """An exchange with all that joined it."""
        joined = self._joined.pop(index, None)
        if joined is not None:
            newest = index == len(self._exchanges) - 1
            events = tuple(map(self._events.__getitem__, joined))
            turn = self._exchanges[index].turn
            self._exchanges[index] = exchange_of(index, turn, tuple(joined), events, newest=newest)
        return self._exchanges[index]

    def _index(self, event: Event, position: int, exchange: int) -> None:
        keys = {("role", event.role), ("author", event.speaker)}
        keys.update(("type", str(part.__struct_config__.tag)) for part in event.parts)
        keys.update(("tag", tag) for tag in event.tags)
        if event.is_pinned:
            keys.add(("pinned", "yes"))
        if event.metadata.get("kind") == "summary":
            keys.add(("kind", "summary"))
        keys.update(("tool", part.name) for part in (*event.calls, *event.results) if part.name)
        for key in keys:
            self._by.setdefault(key, []).append(position)
            having = self._with.setdefault(key, [])
            if not having or having[-1] < exchange:
                having.append(exchange)
            elif having[-1] != exchange and having[bisect_left(having, exchange)] != exchange:
                insort(having, exchange)

    def has_call(self, id: str) -> bool:
        """Whether a tool call of this id was made."""
        return id in self._callers

    def called_tools(self, before: int) -> Iterator[tuple[str, str]]:
        """Each author with each tool that it called below `before`, in the order of the first
        calls: a tool that is called later stands behind those that were."""
        for key, position in list(self._called.items()):
            if position < before:
                yield key

    def position_of(self, event_id: str) -> int | None:
        """Where the event of this id stands, if it is here."""
        return self._ids.get(event_id)

    def ends(self, attribute: str, value: str, before: int) -> tuple[int, int] | None:
        """The first and the last position below `before` of the events with this role, author,
        type, tool or tag; None where there is none."""
        positions = self._by.get((attribute, value), [])
        count = bisect_left(positions, before)
        return (positions[0], positions[count - 1]) if count else None

    def positions(self, attribute: str, value: str, before: int) -> list[int]:
        """Positions below `before` of the events with this role, author, type, tool or tag."""
        positions = self._by.get((attribute, value), [])
        return positions[: bisect_left(positions, before)]

    def exchanges_with(self, attribute: str, value: str, start: int, stop: int) -> list[Exchange]:
        """Exchanges from `start` to `stop` that have an event with this, in the whole log."""
        with self._lock:
            having = self._with.get((attribute, value), [])
            low, high = bisect_left(having, start), bisect_left(having, stop)
            return list(map(self._exchange, having[low:high]))

    def succeeded_between(self, kind: str, after: int, before: int) -> bool:
        """Whether a call of this kind succeeded after one position and before another."""
        positions = self._by.get(("success", kind), [])
        place = bisect_right(positions, after)
        return place < len(positions) and positions[place] < before

    def newest_failures(self, before: int) -> Iterator[tuple[str, int]]:
        """Each kind of call that failed, and the exchange of its newest failure, before a
        position."""
        for kind, known in list(self._failures.items()):
            place = bisect_left(known, (before, -1))
            if place:
                yield kind, known[place - 1][1]

    def owner_of(self, call_id: str) -> int | None:
        """The exchange whose call has this id; of several the last."""
        caller = self._callers.get(call_id)
        return caller[0] if caller is not None else None

    def values(self, attribute: str) -> tuple[str, ...]:
        """The values that an attribute takes in this log, in order of first appearance."""
        return tuple(value for name, value in list(self._by) if name == attribute)

    def exchange_index(self, position: int) -> int:
        """The exchange that the event at this position belongs to."""
        return self._exchange_at[position]

    def exchanges(self, start: int, stop: int, before: int) -> list[Exchange]:
        """Exchanges `start` to `stop` as they stood when the log had `before` events."""
        with self._lock:  # not in the middle of an append, which changes exchanges of before
            stop = min(stop, len(self._exchanges))
            if len(self._joined) > stop - start:
                unbuilt = [index for index in range(start, stop) if index in self._joined]
            else:
                unbuilt = [index for index in self._joined if start <= index < stop]
            for index in unbuilt:
                self._exchange(index)
            exchanges = self._exchanges[start:stop]
            if before >= len(self._events):
                return exchanges
            changed = {self.exchange_count(before) - 1, *self._late}
        for index in changed:
            if start <= index < start + len(exchanges):
                exchanges[index - start] = self._as_of(exchanges[index - start], before)
        return exchanges

    def _as_of(self, exchange: Exchange, before: int) -> Exchange:
        newest = exchange.index == self.exchange_count(before) - 1
        known = sum(position < before for position in exchange.positions)
        return exchange_of(
            exchange.index,
            exchange.turn,
            exchange.positions[:known],
            exchange.events[:known],
            newest=newest,
        )

    def late_joins(self, known: int = 0) -> list[int]:
        """The exchanges that events joined after another exchange had begun, in the order of these
        events, but for the first `known`."""
        return self._late_joins[known:]

    def exchange_count(self, before: int) -> int:
        """How many exchanges had begun when the log had `before` events."""
        return self._begun[before - 1] if before else 0

    def preamble(self, count: int) -> int:
        """How many of the first `count` exchanges are the system's, before anyone else spoke."""
        return min(self._preamble, count)

    def turn_count(self, before: int) -> int:
        """How many turns had begun when the log had `before` events."""
        return bisect_left(self._turn_starts, self.exchange_count(before))

    def turn_of(self, exchange: int) -> int:
        """The turn that an exchange belongs to."""
        return self._exchanges[exchange].turn

    def turn_start(self, turn: int) -> int:
        """The first exchange of a turn."""
        return self._turn_starts[turn]

    def age(self, exchange: int, turn: int, count: int) -> int:
        """How far back an exchange of a turn is, where the log had `count` exchanges."""
        newest = bisect_left(self._turn_starts, count) - 1
        length = self._length(newest, count)
        if turn == newest:
            return count - 1 - exchange if length > LONG_TURN else 0
        behind = (length if length > LONG_TURN else 1) + self._aged[newest] - self._aged[turn + 1]
        stop = self._turn_starts[turn + 1]
        return behind + (stop - 1 - exchange if self._length(turn, stop) > LONG_TURN else 0)

    def _length(self, turn: int, stop: int) -> int:
        """Exchanges of a turn up to one, without the instructions in front of the first."""
        return stop - max(self._turn_starts[turn], self._preamble)

    def digest(self, before: int) -> str:
        """The sha256 of the first `before` events, chained: each link covers those before it."""
        return self._digests[before - 1].hex() if before else ""


_encode = msgspec.json.Encoder(order="sorted").encode
_SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(event: Event) -> tuple[Event, bytes]:
    """The event and its bytes; with U+FFFD for lone surrogates, and None for numbers that JSON
    does not have, which nothing can store.

    Raises:
        SessionError: it is no event of a known role, or has something else that is no JSON.
    """
    if not isinstance(event, Event) or event.role not in ROLES:
        raise SessionError(
            f"not an event with a known role: {event!r}"[:200],
            where=f"event {getattr(event, 'id', '')!r}",
            fix=f"give an Event of role {', '.join(ROLES)}",
        )
    try:
        body = _encode(event)
        # NaN and the infinities are encoded as null
        if b"null" not in body or _all_finite(event):
            return event, body
    except UnicodeEncodeError:
        pass
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_json(event, error) from error
    try:
        clean = msgspec.convert(_cleaned(msgspec.to_builtins(event)), Event)
        return clean, _encode(clean)
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_json(event, error) from error


def _no_json(event: Event, error: Exception) -> SessionError:
    return SessionError(
        f"an event that is no JSON data: {error}"[:300],
        where=f"event {event.id!r}",
        fix="give strings, numbers, booleans, lists and dicts in metadata and parts",
    )


def _all_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(_all_finite(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, dict):
        return all(map(_all_finite, value.values()))
    return not isinstance(value, (list, tuple)) or all(map(_all_finite, value))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, (list, tuple)) else value
