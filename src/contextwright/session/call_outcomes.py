"""What became of the calls of a log, as their results come."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from contextwright.session.call_kind import CallKind, call_kind, kind_of
from contextwright.session.event import ToolCall, ToolResult
from contextwright.session.exchange import Exchange
from contextwright.session.failure import has_failed


class CallOutcomes:
    """Which kinds of calls failed and which succeeded, and where. Each result is judged once."""

    def __init__(self) -> None:
        self._failures: dict[str, list[tuple[int, int]]] = {}  # kind -> (known since, exchange)
        self._successes: dict[str, array[int]] = {}  # kind -> positions
        self._failing: set[int] = set()  # positions of events with a result that says so
        # kinds whose newest failure may stand; exchange -> those that a success behind it made good
        self._open: set[str] = set()
        self._mended: dict[int, list[str]] = {}

    def before(self, position: int) -> "CallOutcomes":
        """Those that were known in front of a position."""
        outcomes = CallOutcomes()
        outcomes._failing = {at for at in self._failing if at < position}
        for kind, known in self._failures.items():
            if count := bisect_left(known, (position, -1)):
                outcomes._failures[kind] = known[:count]
                outcomes._open.add(kind)
        for kind, positions in self._successes.items():
            if count := bisect_left(positions, position):
                outcomes._successes[kind] = positions[:count]
        return outcomes

    def note(self, result: ToolResult, call: ToolCall | None, position: int, exchange: int) -> None:
        """Judge a result of an exchange, by the call that asked for it."""
        if exchange in self._mended:  # its end is no longer where it was
            self._open.update(self._mended.pop(exchange))
        is_known = call is not None
        called = kind_of(call.name, call.arguments) if is_known else CallKind((result.name,))
        fails = has_failed(result, reads=called.reads)
        if fails:
            self._failing.add(position)
        if result.status == "ok" and not fails:
            for kind in called.made_good:
                self._successes.setdefault(kind, array("I")).append(position)
        elif result.status != "pending":
            self._fail(called.made_good[-1], position, exchange)

    def note_interrupted(self, call: ToolCall, position: int, exchange: int) -> None:
        """A call got no result until the session went on at a position."""
        self._fail(call_kind(call), position, exchange)

    def _fail(self, kind: str, position: int, exchange: int) -> None:
        self._failures.setdefault(kind, []).append((position, exchange))
        self._open.add(kind)

    def unmended(self, exchange_at: Callable[[int], Exchange]) -> list[tuple[str, Exchange]]:
        """Each kind of call that failed, with the exchange of the newest failure, where none
        succeeded behind that exchange. What was made good is not looked at again."""
        unmended: list[tuple[str, Exchange]] = []
        for kind in tuple(self._open):
            index, successes = self._failures[kind][-1][1], self._successes.get(kind)
            exchange = exchange_at(index)
            if successes and successes[-1] > exchange.positions[-1]:
                self._open.discard(kind)
                self._mended.setdefault(index, []).append(kind)
            else:
                unmended.append((kind, exchange))
        return unmended

    def has_failing(self, positions: Iterable[int]) -> bool:
        """Whether one of the events at these positions has a result that says that it failed."""
        return not self._failing.isdisjoint(positions)

    def succeeded_between(self, kind: str, after: int, before: int) -> bool:
        """Whether a call of this kind succeeded after one position and before another."""
        positions = self._successes.get(kind, ())
        place = bisect_right(positions, after)
        return place < len(positions) and positions[place] < before

    def newest_failures(self, before: int) -> Iterator[tuple[str, int, int]]:
        """Each kind of call that failed, with the newest place where one did, before a position,
        and the exchange of it."""
        for kind, known in list(self._failures.items()):
            place = bisect_left(known, (before, -1))
            if place:
                yield kind, *known[place - 1]
