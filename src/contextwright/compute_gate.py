"""Which threads compute: those that work beside an event loop take turns.

Under the GIL a thread that computes holds up a loop for up to a switch interval (5 ms) whenever
the loop wants to go on; of two that do, each may go before it several times. So one computes at a
time, whatever waits beside it. What takes long gives way to turns that wait.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

import msgspec

AT_LAST_S = 1.0
"""Seconds after which what takes long begins, however many turns wait."""
GIVEN_WAY_S = 0.05
"""Seconds after which it goes on: who waits may wait for what it holds."""
GONE_AHEAD = 20
"""Times that it does not give way then, so that it is done at last where turns never end."""


class Gate:
    """Lets so many threads compute at a time, turns before what takes long.

    Args:
        most: threads that compute at a time.

    Attributes:
        turns_waiting: threads that wait with a turn.
    """

    def __init__(self, most: int) -> None:
        self._most, self._computing = most, 0
        self.turns_waiting = 0
        lock = threading.Lock()
        self._turns, self._long = threading.Condition(lock), threading.Condition(lock)

    @contextmanager
    def place(self, *, long: bool) -> Generator[None]:
        """A place, once there is one, in which this thread computes."""
        self.enter(long=long)
        _thread.gate, _thread.long = self, long
        try:
            yield
        finally:
            _thread.gate = None
            self.leave()

    def enter(self, *, long: bool, patience_s: float = AT_LAST_S) -> bool:
        """Wait for a place and take it; whether there was one in time."""
        with self._turns:
            had_room = True
            if long:
                had_room = self._long.wait_for(self._has_room_for_long, patience_s)
            else:
                self.turns_waiting += 1
                self._turns.wait_for(self._has_room)
                self.turns_waiting -= 1
            self._computing += 1
            return had_room

    def enter_again(self) -> None:
        """Take a place at once, after a wait: who waited may hold what the others wait for."""
        with self._turns:
            self._computing += 1

    def leave(self) -> None:
        """Give a place to another thread."""
        with self._turns:
            self._computing -= 1
            (self._turns if self.turns_waiting else self._long).notify()

    def _has_room(self) -> bool:
        return self._computing < self._most

    def _has_room_for_long(self) -> bool:
        return self._has_room() and not self.turns_waiting


class _Thread(threading.local):
    """The gate that this thread computes behind, whether it takes long, and how often it still
    goes ahead of turns."""

    gate: Gate | None = None
    long: bool = False
    ahead: int = 0


_thread = _Thread()


@contextmanager
def waiting() -> Generator[None]:
    """Around a call that waits for a disk, a network, or code of the user's that may: another
    thread computes meanwhile. Does nothing in a thread that is behind no gate."""
    gate = _thread.gate
    if gate is None:
        yield
        return
    _thread.gate = None
    gate.leave()
    try:
        yield
    finally:
        gate.enter_again()
        _thread.gate = gate


class holding(msgspec.Struct, eq=False):  # noqa: N801 -- read as a word: with holding(lock)
    """Hold a lock; while it is waited for, another thread computes."""

    lock: "threading.RLock"

    def __enter__(self) -> None:
        if not self.lock.acquire(False):
            with waiting():
                self.lock.acquire()

    def __exit__(self, *error: object) -> None:
        self.lock.release()


def give_way() -> None:
    """In the middle of what takes long: let turns that wait go first. Costs next to nothing where
    none does."""
    gate = _thread.gate
    if gate is None or not _thread.long or not gate.turns_waiting:
        return
    if _thread.ahead:
        _thread.ahead -= 1
        return
    gate.leave()
    if not gate.enter(long=True, patience_s=GIVEN_WAY_S):
        _thread.ahead = GONE_AHEAD
