"""What a forked process begins anew: it has the locks of the one before, and none of the threads
that hold them."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class Renewed(Protocol):
    """What holds a lock for long, or waits for another thread."""

    def renew(self) -> None:
        """Begin anew, as the only thread there is."""
        ...


_RENEWED: "WeakSet[Renewed]" = WeakSet()


def renewed_in_a_fork(owner: Renewed) -> None:
    """Have `owner.renew()` called in each process that is forked off this one while it lives."""
    _RENEWED.add(owner)


def _renew() -> None:
    for owner in list(_RENEWED):
        owner.renew()


if sys.platform != "win32" and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class HeldLock(Protocol):
    """A lock, which its thread may hold twice."""

    def acquire(self) -> bool:
        """Wait for it, and hold it."""
        ...

    def release(self) -> None:
        """Let go of it."""
        ...


def held_over_a_fork(lock: HeldLock) -> None:
    """Fork only while nobody else holds a lock: the forked process has not the thread that does."""
    if sys.platform != "win32" and hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )


class made_once(Generic[T]):  # noqa: N801 -- a decorator
    """What a function without arguments gives at first, for all threads: such as an event loop with
    a thread that runs it. A forked process has none of its threads, and makes it anew."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.renew()
        renewed_in_a_fork(self)

    def renew(self) -> None:
        """Make it anew when it is asked for next."""
        self._lock = threading.RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]
