"""The turns of a log: where each begins, and how far back its exchanges are."""

from bisect import bisect_left, bisect_right

from contextwright.session.event import Event

LONG_TURN = 5
"""Exchanges from which on a turn counts by its exchanges: a question, up to three calls and the
answer are one turn of a chat; an agent that was given a task makes hundreds of calls in one."""


class Turns:
    """Which exchanges each turn has; it grows at its end.

    Attributes:
        preamble: exchanges that are system messages, at the very beginning.
    """

    def __init__(self) -> None:
        self.preamble = 0
        self._starts: list[int] = []  # turn -> first exchange
        self._aged: list[int] = []  # turn -> ages that all turns before it add up to
        self._user_spoke = False

    def note(self, first: Event, exchange: int, *, spoken: bool) -> None:
        """Take the exchange that begins behind all before, with this event: what a harness says in
        its user's name begins no turn.

        Args:
            spoken: whether it is a user's, who says something in it.
        """
        if not self._starts or (spoken and self._user_spoke):
            self._begin(exchange)
        self._user_spoke = self._user_spoke or spoken
        if first.role == "system" and self.preamble == exchange:
            self.preamble = exchange + 1

    def _begin(self, exchange: int) -> None:
        if self._starts:
            length = self._length(len(self._starts) - 1, exchange)
            self._aged.append(self._aged[-1] + (length if length > LONG_TURN else 1))
        else:
            self._aged.append(0)
        self._starts.append(exchange)

    def count(self, exchanges: int) -> int:
        """How many have begun where the log has so many exchanges."""
        starts = self._starts
        if starts and starts[-1] < exchanges:  # as where nothing came meanwhile
            return len(starts)
        return bisect_left(starts, exchanges)

    def of(self, exchange: int) -> int:
        """The turn that an exchange belongs to."""
        starts = self._starts
        if starts and starts[-1] <= exchange:
            return len(starts) - 1
        return bisect_right(starts, exchange) - 1

    def start(self, turn: int) -> int:
        """The first exchange of a turn."""
        return self._starts[turn]

    def settled(self, count: int) -> int:
        """As `Snapshot.settled`, where the log has so many exchanges."""
        turn = self.count(count) - 1
        start = max(min(self.preamble, count), self._starts[turn] if turn >= 0 else 0)
        return start + max(0, count - start - 1) // LONG_TURN * LONG_TURN

    def age(self, exchange: int, turn: int, count: int) -> int:
        """How far back an exchange of a turn is, where the log has `count` exchanges."""
        newest = self.count(count) - 1
        length = self._length(newest, count)
        if turn == newest:
            return count - 1 - exchange if length > LONG_TURN else 0
        behind = (length if length > LONG_TURN else 1) + self._aged[newest] - self._aged[turn + 1]
        stop = self._starts[turn + 1]
        return behind + (stop - 1 - exchange if self._length(turn, stop) > LONG_TURN else 0)

    def _length(self, turn: int, stop: int) -> int:
        """Exchanges of a turn up to one, without the instructions in front of the first."""
        return stop - max(self._starts[turn], self.preamble)
