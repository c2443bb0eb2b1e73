"""Who listens for new calls over an open connection; each is told of its own tenant's only."""

import asyncio
from collections.abc import AsyncGenerator

BEAT_S = 15.0
"""Seconds without a call after which a listener hears that the connection stands."""
MOST = 16
"""Listeners of one tenant."""


class CallFollowers:
    """Tells of calls as they are sent. All of it runs in one event loop."""

    def __init__(self) -> None:
        self._news: dict[str, set[asyncio.Event]] = {}
        self._is_closed = False

    def announce(self, tenant: str) -> None:
        """A call of the tenant's was sent. Who still tells of the one before tells of both."""
        for news in self._news.get(tenant, ()):
            news.set()

    def close(self) -> None:
        """End all listening: a server that stops waits for no page."""
        self._is_closed = True
        for tenant in self._news:
            self.announce(tenant)

    def is_full(self, tenant: str) -> bool:
        """Whether as many as may listen do."""
        return len(self._news.get(tenant, ())) >= MOST

    async def calls(self, tenant: str) -> AsyncGenerator[bool]:
        """True at once and with every call, False where none came for a while."""
        news = asyncio.Event()
        news.set()
        listening = self._news.setdefault(tenant, set())
        listening.add(news)
        try:
            while not self._is_closed:
                try:
                    async with asyncio.timeout(BEAT_S):
                        await news.wait()
                except TimeoutError:
                    yield False
                    continue
                news.clear()
                if not self._is_closed:
                    yield True
        finally:
            listening.discard(news)
            if not listening:
                self._news.pop(tenant, None)
