"""One piece of work for all who want it at once, across threads and event loops."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from contextwright.forked_process import renewed_in_a_fork

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Work by key. Who comes first does it, the others wait for the result; where the first
    one is cancelled or fails, one of those who wait does it instead."""

    def __init__(self) -> None:
        # work that nobody awaits any more ends wherever it is collected: in here as well
        self._lock = threading.RLock()
        self._flying: dict[str, Future[T]] = {}
        renewed_in_a_fork(self)

    def renew(self) -> None:
        """Wait for nothing, in a forked process: nobody is there who does the work."""
        self._lock = threading.RLock()
        self._flying = {}

    async def do(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, its own or another's."""
        while True:
            own: Future[T] | None = None
            with self._lock:
                flying = self._flying.get(key)
                if flying is None:
                    flying = own = self._flying[key] = Future()
            if own is not None:
                return await self._lead(key, own, work)
            # no error of its own: who waits and is cancelled together with the first one ends
            await asyncio.wait((asyncio.wrap_future(flying),))
            if not flying.cancelled():
                return flying.result()

    async def _lead(self, key: str, own: Future[T], work: Callable[[], Awaitable[T]]) -> T:
        try:
            result = await work()
        except BaseException:
            with self._lock:
                del self._flying[key]
            own.cancel()
            raise
        with self._lock:
            del self._flying[key]
        own.set_result(result)
        return result
