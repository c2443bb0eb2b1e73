"""Work off an event loop: in threads of which, under the GIL, one computes at a time."""

import os
import sys
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from contextwright.compute_gate import Gate
from contextwright.forked_process import made_once

if TYPE_CHECKING:
    from concurrent.futures import Future

THREADS = 32
"""Threads of a lane, those that wait for a disk or a network included."""
T = TypeVar("T")


class Lane:
    """Threads for turns, or for what takes long.

    Args:
        name: its threads are named after it.
        gate: lets some of them compute.
    """

    def __init__(self, name: str, gate: Gate, *, long: bool) -> None:
        # not needed, and not imported, where nothing is awaited
        from concurrent.futures import ThreadPoolExecutor

        self._pool = ThreadPoolExecutor(THREADS, f"contextwright-{name}")
        self._gate, self._long = gate, long

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Have work done once it is its turn; not at all if it is cancelled before."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        self._pool.submit(self._compute, future, work)
        return future

    def _compute(self, future: "Future[T]", work: Callable[[], T]) -> None:
        try:
            with self._gate.place(long=self._long):
                if future.set_running_or_notify_cancel():
                    future.set_result(work())
        except StopIteration as error:  # a future can not hold one: who awaits it would hang
            future.set_exception(RuntimeError(f"a StopIteration was raised: {error}"))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is awaited
            future.set_exception(error)
        finally:
            del future, work  # an error's traceback would hold them, and they hold the error


async def off_loop(work: Callable[..., T], *arguments: Any, long: bool = False) -> T:
    """The result of work that is done in a thread, with the context variables of who awaits it.

    Work whose await is cancelled before its turn is not done; work that has begun goes on to its
    end, and nobody hears of it.

    Args:
        long: whether it may take long, such as what is worked out from nothing: it then gives way
            to what does not.
    """
    return await _done(_lanes()[long], work, arguments)


async def answering_off_loop(work: Callable[..., T], *arguments: Any, long: bool = False) -> T:
    """As `off_loop`, of what an answer of a model takes: all threads of turns may wait for one. It
    may wait for no turn itself, nor for what a turn holds."""
    return await _done(_lanes()[2 + long], work, arguments)


async def _done(lane: Lane, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    # an event loop runs where this is awaited, so it is imported
    from asyncio import wrap_future

    return await wrap_future(lane.submit(partial(copy_context().run, work, *arguments)))


def has_gil() -> bool:
    """Whether one thread of this interpreter computes at a time."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


@made_once
def _lanes() -> tuple[Lane, ...]:
    """The lane of turns and the lane of what takes long, then those of answers to both."""
    gate = Gate(1 if has_gil() else os.cpu_count() or 1)
    lanes = (("turn", False), ("long", True), ("answer", False), ("long-answer", True))
    return tuple(Lane(name, gate, long=long) for name, long in lanes)
