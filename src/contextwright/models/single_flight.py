"""One piece of work for all who want it at once, across threads and event loops."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Work by key. Who comes first does it, the others wait for the result; where the first
    one is cancelled or fails, one of those who wait does it instead."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[str, Future[T]] = {}

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
            try:
                return await asyncio.shield(asyncio.wrap_future(flying))
            except asyncio.CancelledError:
                if not flying.cancelled():
                    raise

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
