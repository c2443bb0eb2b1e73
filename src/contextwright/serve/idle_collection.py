"""Collects cyclic garbage between calls: a whole collection takes as long as a call may.

What conversations hold is many small objects, and Python looks at all of them in the middle of
whatever call reaches its threshold. What was looked at once is set aside: a conversation of 1,500
messages takes 12 ms to look through, and a process may have hundreds.
"""

import asyncio
import gc
from collections.abc import Callable

PAUSE_S = 0.1
"""Seconds without a call after which a collection is made: an agent whose tool is quick asks again
at once, and would wait for it."""
ENOUGH = 10
"""Collections of the middle generation after which a whole one is due, as Python has it."""
AT_LAST = 200
"""After so many it is made though calls are open."""
MORE = 2
"""Times the objects that were left when all was looked at last from which on all is looked at
again: until then, cyclic garbage among what was set aside stays."""
_NEVER = 1_000_000


class _SetAside:
    """Objects that collections do not look at.

    Attributes:
        settled: how many there were when all was looked at last.
    """

    def __init__(self) -> None:
        self.settled = 0

    def collect(self) -> None:
        """Collect among what came since, or among all, and set aside what is left."""
        is_whole = gc.get_freeze_count() >= MORE * self.settled
        if is_whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        if is_whole:
            self.settled = gc.get_freeze_count()


_set_aside = _SetAside()


def collect_between_calls() -> None:
    """From now on whole collections are left to `collect_if_idle`. For a process of its own."""
    _set_aside.collect()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)


def collect_if_idle(open_calls: int) -> bool:
    """Make a whole collection where one is due and no call waits for it; whether one was made."""
    if gc.get_threshold()[2] != _NEVER:
        return False  # Python does it
    due = gc.get_count()[2]
    if due < ENOUGH or (open_calls and due < AT_LAST):
        return False
    _set_aside.collect()
    return True


class PauseCollection:
    """Makes whole collections in the pauses between calls. All of it runs in one event loop.

    Args:
        open_calls: how many calls are being answered.
    """

    def __init__(self, open_calls: Callable[[], int]) -> None:
        self._open_calls = open_calls
        self._timer: asyncio.TimerHandle | None = None

    def after_call(self) -> None:
        """A call ended: a pause may have begun."""
        if self._timer is not None:
            self._timer.cancel()
        collect_if_idle(self._open_calls() + 1)  # at last, where there is never a pause
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(PAUSE_S, lambda: collect_if_idle(self._open_calls()))

    def close(self) -> None:
        """Make no more."""
        if self._timer is not None:
            self._timer.cancel()
