"""Where a live page's session comes from: a file that grows, an engine in this process, or one that
stands still; a proxy is in `proxy_source`. Each is read anew when its stamp is another one."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Condition
from typing import Any, Protocol

from contextwright.engine.engine import Engine
from contextwright.session.session import Session

LOOK_S = 0.5
"""Seconds between looks at a file, which tells nobody that it grew."""


class LiveSource(Protocol):
    """A session that may grow."""

    def session(self) -> Session:
        """The session as it is now.

        Raises:
            SessionError: it can not be read.
        """
        ...

    def stamp(self) -> object:
        """What is another one when the session is; cheap to ask for, and never an error."""
        ...

    def wait(self, seen: object, seconds: float) -> object:
        """The stamp as soon as it is another one than what was seen; else after so long."""
        ...

    def close(self) -> None:
        """Follow no longer."""
        ...


class StillSource:
    """A session that does not change."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def session(self) -> Session:
        """It."""
        return self._session

    def stamp(self) -> object:
        """Always the same."""
        return 0

    def wait(self, seen: object, seconds: float) -> object:
        """It does not change."""
        time.sleep(seconds)
        return 0

    def close(self) -> None:
        """Nothing is open."""


class FileSource:
    """A session's file.

    Args:
        load: reads it.
    """

    def __init__(self, path: Path, load: Callable[[], Session]) -> None:
        self._path, self._load = path, load

    def session(self) -> Session:
        """What the file says now."""
        return self._load()

    def stamp(self) -> object:
        """The file's time and size."""
        try:
            stat = self._path.stat()
        except OSError:
            return (0, 0)
        return stat.st_mtime_ns, stat.st_size

    def wait(self, seen: object, seconds: float) -> object:
        """Looks at the file until it is another one."""
        end = time.monotonic() + seconds
        while (now := self.stamp()) == seen and time.monotonic() < end:
            time.sleep(LOOK_S)
        return now

    def close(self) -> None:
        """Nothing is open."""


class EngineSource:
    """A session that an engine in this process compiles; known anew with every pack."""

    def __init__(self, engine: Engine, session: Session) -> None:
        self._session, self._packs = session, 0
        self._news = Condition()
        engine.on("compile", self._count)

    def _count(self, event: Any) -> None:
        if event.session == self._session.id:
            with self._news:
                self._packs += 1
                self._news.notify_all()

    def session(self) -> Session:
        """A copy: the engine's own goes on while the page is made."""
        return self._session.fork(id=f"{self._session.id} (seen)")

    def stamp(self) -> object:
        """How many packs were made of it, and how long it is."""
        return self._packs, len(self._session)

    def wait(self, seen: object, seconds: float) -> object:
        """Told by the engine's hook; what is recorded behind a pack is seen when the time is up."""
        with self._news:
            self._news.wait_for(lambda: self.stamp() != seen, seconds)
        return self.stamp()

    def close(self) -> None:
        """Nothing is open."""
