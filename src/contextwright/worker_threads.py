"""Computing off the event loop, in threads that take turns.

Under the GIL a thread that computes holds up a loop for up to a switch interval (5 ms) whenever the
loop wants to go on, and each further one adds as much. So one computes at a time in each of two
lanes, whatever waits beside them; without a GIL, as many as there are processors.
"""

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

THREADS = 32
"""Threads of a lane, those that wait for a disk or a network included."""
T = TypeVar("T")


class Lane:
    """Threads of which only some compute at a time.

    Args:
        name: of the lane; its threads are named after it.
        most: threads that compute at a time.
    """

    def __init__(self, name: str, most: int) -> None:
        # not needed, and not imported, where nothing is awaited
        from concurrent.futures import ThreadPoolExecutor

        self._pool = ThreadPoolExecutor(THREADS, f"contextwright-{name}")
        self._most, self._computing = most, 0
        self._left = threading.Condition()

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Have work done once it is its turn; not at all if it is cancelled before."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        self._pool.submit(self._compute, future, work)
        return future

    def _compute(self, future: "Future[T]", work: Callable[[], T]) -> None:
        with self._left:
            self._left.wait_for(lambda: self._computing < self._most)
            self._computing += 1
        _thread.lane = self
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        except StopIteration as error:  # a future can not hold one: who awaits it would hang
            future.set_exception(RuntimeError(f"a StopIteration was raised: {error}"))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is awaited
            future.set_exception(error)
        finally:
            _thread.lane = None
            self.leave()
            del future, work  # an error's traceback would hold them, and they hold the error

    def leave(self) -> None:
        """Make room for another thread."""
        with self._left:
            self._computing -= 1
            self._left.notify()

    def enter(self) -> None:
        """Go on computing, at once: who waited may hold what the others wait for."""
        with self._left:
            self._computing += 1


class _Thread(threading.local):
    """The lane that this thread computes in."""

    lane: Lane | None = None


_thread = _Thread()


@contextmanager
def waiting() -> Generator[None]:
    """Around a call that waits for a disk, a network, or code of the user's that may: another
    thread computes meanwhile. In any other thread than a lane's it does nothing."""
    lane = _thread.lane
    if lane is None:
        yield
        return
    _thread.lane = None
    lane.leave()
    try:
        yield
    finally:
        lane.enter()
        _thread.lane = lane


async def off_loop(work: Callable[..., T], *arguments: Any, long: bool = False) -> T:
    """The result of work that is done in a thread, with the context variables of who awaits it.

    Work whose await is cancelled before its turn is not done; work that has begun goes on to its
    end, and nobody hears of it.

    Args:
        long: whether it may take long, such as what is worked out from nothing: it then holds up
            only others of its kind.
    """
    # an event loop runs where this is awaited, so it is imported
    from asyncio import wrap_future

    return await wrap_future(_lanes()[long].submit(partial(copy_context().run, work, *arguments)))


@cache
def _lanes() -> tuple[Lane, Lane]:
    """The lane of turns and the lane of what takes long."""
    has_gil: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    most = 1 if has_gil() else os.cpu_count() or 1
    return Lane("turn", most), Lane("long", most)


if hasattr(os, "register_at_fork"):  # a forked process has the lanes, and none of their threads
    os.register_at_fork(after_in_child=_lanes.cache_clear)
