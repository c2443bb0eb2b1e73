"""A session at one position: O(1) to take, immutable, all that a compile may see of it."""

from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Generic, TypeVar

import msgspec

from contextwright.memo.ownership import cached_text
from contextwright.session.call_kind import call_kind
from contextwright.session.event import NO_FIELDS, Event, Text, Tool
from contextwright.session.exchange import Exchange
from contextwright.session.failure import is_failure
from contextwright.session.lineage import root_id
from contextwright.session.log import Log
from contextwright.session.state import RESOLVED_PREFIX, TAG_PREFIX, State

SIGN = 6
"""Letters of a sign: a thousand million signs."""
T = TypeVar("T")


class _Once(Generic[T]):
    """A property that is worked out once, as `functools.cached_property` has it, without the lock
    that takes longer than the work: two threads work out the same."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self._name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> T:
        value = owner.__dict__[self._name] = self._make(owner)
        return value


class Snapshot(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What had happened when the log was `position` events long.

    Args:
        session_id: the session's id.
        log: the shared log; only its first `position` events count.
        state: the state at that moment.
        tools: what the agent may call.
    """

    session_id: str
    log: Log
    position: int
    state: State
    tools: tuple[Tool, ...] = ()
    metadata: Mapping[str, Any] = {}

    @_Once
    def turn(self) -> int:
        """The running turn, counted from 0; -1 where nothing happened yet."""
        return self.log.turns.count(self.exchange_count) - 1

    @_Once
    def exchange_count(self) -> int:
        """How many exchanges there are."""
        return self.log.exchange_count(self.position)

    @_Once
    def preamble(self) -> int:
        """How many exchanges at the very beginning are system instructions."""
        return min(self.log.turns.preamble, self.exchange_count)

    @_Once
    def has_summaries(self) -> bool:
        """Whether a framework put a summary into the log."""
        return self.log.ends("kind", "summary", self.position) is not None

    @property
    def open_failures(self) -> frozenset[int]:
        """Places of the exchanges that hold the newest failed or interrupted call of its kind
        (`call_kind`), where none of the kind succeeded since and nobody said that it is settled
        (`Session.resolve`). Earlier failures of the kind are history: the newest tells what is
        the matter now (rules.md#what-stays)."""
        failures: set[int] = set()
        for kind, exchange in self.log.unmended_failures(self.position):
            if not exchange.failed or kind not in _failed_kinds(exchange):
                continue
            if RESOLVED_PREFIX + exchange.first.id not in self.state:
                failures.add(exchange.index)
        return frozenset(failures)

    def newest_failed(self, count: int, start: int, stop: int) -> list[Exchange]:
        """So many exchanges from `start` up to `stop` that failed or were interrupted, the newest
        of all, oldest first; found without a look at the others."""
        failed: dict[int, Exchange] = {}
        before = self.position
        while failures := [(at, index) for _, at, index in self.log.newest_failures(before)]:
            before, index = max(failures)
            newest = sorted(failed, reverse=True)[:count]
            # what failed at a place began before it as well
            if len(newest) == count and newest[-1] > self.log.exchange_index(before):
                break
            if start <= index < stop and index not in failed:
                exchange = self.exchanges(index, index + 1)[0]
                if exchange.failed:
                    failed[index] = exchange
        return [failed[index] for index in sorted(failed)[-count:]]

    def age(self, exchange: int, turn: int) -> int:
        """How far back an exchange is: turns since its turn; of a turn that is longer than
        `LONG_TURN`, each exchange counts as one. 0 in a running turn that is not."""
        return self.log.age(exchange, turn, self.exchange_count)

    def first_within(self, age: int) -> int:
        """The first exchange whose age is at most so much."""
        low, high = self.preamble, max(self.preamble, self.exchange_count - 1)
        while low < high:
            middle = (low + high) // 2
            if self.age(middle, self.log.turn_of(middle)) > age:
                low = middle + 1
            else:
                high = middle
        return low

    @property
    def begins_log(self) -> bool:
        """Whether its exchanges, but for the newest, are those that the log begins with: no result
        that came late has joined any since."""
        log = self.log
        if self.position == len(log) or not (joined := log.late_joins()[-1:]):
            return True
        newest = log.exchanges(joined[0], joined[0] + 1, len(log))[0]
        return newest.positions[-1] < self.position

    @property
    def as_it_was(self) -> "Snapshot":
        """The same, with a log of its own where results that came since have joined exchanges of
        it: then all that its log tells is as it was told at that moment."""
        if self.begins_log:
            return self
        return msgspec.structs.replace(self, log=self.log.before(self.position))

    @property
    def settled(self) -> int:
        """The first exchange that is not history yet: the first of the running turn; in one
        that is long, so far in that whole strides of `LONG_TURN` lie behind it. It moves rarely,
        so that what is rewritten behind it keeps its bytes in between."""
        return self.log.turns.settled(self.exchange_count)

    def exchanges(self, start: int = 0, stop: int | None = None) -> list[Exchange]:
        """The exchanges from `start` up to `stop`, as they stand here."""
        count = self.exchange_count
        if stop is None or stop > count:
            stop = count
        return self.log.exchanges(start, stop, self.position)

    def exchanges_at(self, places: Iterable[int]) -> list[Exchange]:
        """The exchanges at these places, one by one."""
        return [self.exchanges(at, at + 1)[0] for at in places]

    def turn_start(self, turn: int) -> int:
        """The first exchange of a turn, counted from 0."""
        return self.log.turns.start(turn) if 0 <= turn <= self.turn else 0

    def exchanges_of(self, positions: Iterable[int]) -> list[Exchange]:
        """The exchanges that hold these positions, each once, in order."""
        indices = sorted({self.log.exchange_index(position) for position in positions})
        if not indices:
            return []
        exchanges = self.exchanges(indices[0], indices[-1] + 1)
        return [exchanges[index - indices[0]] for index in indices]

    def exchanges_with(self, attribute: str, value: str, start: int, stop: int) -> list[Exchange]:
        """The exchanges from `start` to `stop` that have an event with this role, author, type,
        tool or tag."""
        if attribute == "tag":  # a state may have others
            exchanges = self.exchanges_of(self.positions(attribute, value))
            return [exchange for exchange in exchanges if start <= exchange.index < stop]
        stop = min(stop, self.exchange_count)
        exchanges = self.log.exchanges_with(attribute, value, start, stop)
        if self.position == len(self.log):  # nobody appended meanwhile
            return exchanges
        then = self.exchanges_at(exchange.index for exchange in exchanges)
        return [one for one in then if self.log.holding(attribute, value, one.positions)]

    def event(self, event_id: str) -> Event | None:
        """The event of this id, if it had happened."""
        position = self.log.position_of(event_id)
        return None if position is None or position >= self.position else self.log[position]

    def positions(self, attribute: str, value: str) -> list[int]:
        """Positions of the events with this role, author, type, tool or tag."""
        positions = self.log.positions(attribute, value, self.position)
        if attribute != "tag":
            return positions
        return sorted({*positions, *self._tagged_in_state(value)})

    def newest(self, attribute: str, value: str) -> Iterator[int]:
        """Positions of the events with this role, author, type or tool, the newest first: each is
        looked up when it is asked for."""
        before = self.position
        while (ends := self.log.ends(attribute, value, before)) is not None:
            before = ends[1]
            yield before

    def holding(self, attribute: str, value: str, positions: Iterable[int]) -> set[int]:
        """Those of the positions whose events have this role, author, type, tool or tag."""
        among = {position for position in positions if position < self.position}
        having = self.log.holding(attribute, value, among)
        if attribute == "tag":
            having |= among.intersection(self._tagged_in_state(value))
        return having

    def _tagged_in_state(self, tag: str) -> Iterable[int]:
        for key, tags in self.state.items():
            if key.startswith(TAG_PREFIX) and tag in tags:
                position = self.log.position_of(key.removeprefix(TAG_PREFIX))
                if position is not None and position < self.position:
                    yield position

    @property
    def root_id(self) -> str:
        """The id of the session that this one was forked from in the first place; its own where
        it was not. It is the same for all that began as one conversation."""
        return root_id(self.metadata, self.session_id)

    @_Once
    def sign(self) -> str:
        """What marks of the engine carry where they stand beside what others said: told from the
        session's id and its first event, so it is the same in every request of the session, and
        of its forks."""
        first = self.log.digest(min(1, self.position))
        digest = sha256(f"{self.root_id}\n{first}".encode("utf-8", "surrogatepass")).digest()
        return b32encode(digest)[:SIGN].decode().lower()

    @property
    def digest(self) -> str:
        """sha256 of the events up to here; the state has its own in the manifest."""
        return self.log.digest(self.position)


@cached_text
def _failed_kinds(exchange: Exchange) -> frozenset[str]:
    """The kinds of its calls that failed or were never answered."""
    return frozenset(
        call_kind(call)
        for call in exchange.calls
        if call.id in exchange.open_calls or is_failure(exchange.results[call.id], call)
    )


def conversation_view(snapshot: Snapshot) -> list[Exchange]:
    """The log as a clean conversation (message-compiler.md): without the tool trace; what was said
    beside calls stays."""
    plain = (_without_trace(exchange) for exchange in snapshot.exchanges())
    return [exchange for exchange in plain if exchange is not None]


def _without_trace(exchange: Exchange) -> Exchange | None:
    """The exchange without its calls and results; None where that says nothing."""
    first = exchange.first
    if not exchange.calls:
        return None if exchange.mark == "orphan" else exchange
    words = words_beside_calls(first.role, first.parts)
    if not words:
        return None
    return msgspec.structs.replace(
        exchange,
        positions=exchange.positions[:1],
        events=(msgspec.structs.replace(first, parts=words, extra=NO_FIELDS),),
        results={},
        open_calls=(),
        mark="complete",
    )


def words_beside_calls(role: str, parts: Sequence[object]) -> tuple[Text, ...]:
    """What an assistant says in a message that calls tools."""
    if role != "assistant":
        return ()
    return tuple(part for part in parts if isinstance(part, Text) and part.text.strip())


def reasoning_view(snapshot: Snapshot) -> list[Exchange]:
    """The log as a model reasons over it: with the tool trace."""
    return snapshot.exchanges()
