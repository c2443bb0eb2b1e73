"""Where a live page's session comes from: a file that grows, a proxy that runs, an engine in this
process, or a session that stands still. Each is read anew when its stamp is another one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from contextwright.engine.engine import Engine
from contextwright.errors import SessionError
from contextwright.formats import read_session
from contextwright.session.session import Session

TIMEOUT_S = 10
"""Seconds in which a proxy answers."""


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


class _SameServer(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None: a credential goes to no other server."""


class ProxySource:
    """A conversation of a running `ctx serve`, by its `/sessions`.

    Args:
        url: the proxy's address.
        id: the conversation's; empty for the one whose newest call is the newest.
        key: of the proxy, where it asks for one.
        credential: the agent's: who has another one sees none of its conversations.
    """

    def __init__(self, url: str, id: str = "", key: str = "", credential: str = "") -> None:
        self.url, self._id = url.rstrip("/"), id
        self._headers = {"x-contextwright-key": key} if key else {}
        if credential:
            self._headers["authorization"] = f"Bearer {credential}"
        self._open: Callable[..., Any] = build_opener(_SameServer).open
        self._newest: object = None
        self._id = id or self._rows()[0]["id"]

    def session(self) -> Session:
        """The conversation as its newest call had it."""
        return read_session(self._bytes(f"/sessions/{quote(self._id, safe='')}"))

    def stamp(self) -> object:
        """The id of the newest pack; the one before while the proxy does not answer."""
        try:
            rows = self._rows()
        except SessionError:
            return self._newest
        packs = [row["pack"] for row in rows if row["id"] == self._id]
        self._newest = packs[0] if packs else self._newest
        return self._newest

    def _rows(self) -> list[dict[str, Any]]:
        rows = msgspec.json.decode(self._bytes("/sessions"))["sessions"]
        if not rows:
            raise SessionError(
                "the proxy has seen no call of this credential's",
                where=self.url,
                fix="make one through the proxy first; --credential NAME names the environment "
                "variable of the key that the agent sends",
            )
        return rows

    def _bytes(self, path: str) -> bytes:
        request = Request(self.url + path, headers=self._headers)  # noqa: S310 http by `is_address`
        try:
            with self._open(request, timeout=TIMEOUT_S) as answer:
                return answer.read()
        except HTTPError as error:
            raise SessionError(
                f"the proxy answered {error.code}",
                where=self.url + path,
                fix="--key is the proxy's own key, --credential the environment variable of the "
                "agent's, --session one of its conversations",
            ) from error
        except (URLError, OSError, msgspec.DecodeError) as error:
            raise SessionError(
                f"no proxy answers: {error}", where=self.url, fix="start it with ctx serve"
            ) from error


def is_address(text: str) -> bool:
    """Whether a text is the address of a server."""
    parts = urlsplit(text)
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


class EngineSource:
    """A session that an engine in this process compiles; known anew with every pack."""

    def __init__(self, engine: Engine, session: Session) -> None:
        self._session, self._packs = session, 0
        engine.on("compile", self._count)

    def _count(self, event: Any) -> None:
        if event.session == self._session.id:
            self._packs += 1

    def session(self) -> Session:
        """A copy: the engine's own goes on while the page is made."""
        return self._session.fork(id=f"{self._session.id} (seen)")

    def stamp(self) -> object:
        """How many packs were made of it, and how long it is."""
        return self._packs, len(self._session)
