"""A running proxy as the source of a live page: it tells of each call over a connection that stays
open, and is asked only for what is shown."""

import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from threading import Condition, Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from contextwright.errors import SessionError
from contextwright.formats import read_session
from contextwright.session.session import Session

EVENTS = "text/event-stream"
TIMEOUT_S = 10
"""Seconds in which a proxy answers."""
SILENT_S = 45
"""Seconds without a word, not even that the connection stands, behind which it is made anew."""
AGAIN_S = 1.0
"""Seconds before a proxy that did not answer is asked again."""


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
        self._news, self._is_told, self._is_closed = Condition(), False, False
        self._listener: Thread | None = None
        self._id = id or self._rows()[0]["id"]

    def session(self) -> Session:
        """The conversation as its newest call had it."""
        return read_session(self._bytes(f"/sessions/{quote(self._id, safe='')}"))

    def stamp(self) -> object:
        """The id of the newest pack; the one before while the proxy does not answer."""
        if not self._is_told:
            with suppress(SessionError):
                self._read(self._rows())
        return self._newest

    def wait(self, seen: object, seconds: float) -> object:
        """Told by the proxy, which is listened to from the first wait on."""
        with self._news:
            if self._listener is None:
                self._listener = Thread(target=self._listen, daemon=True)
                self._listener.start()
            self._news.wait_for(lambda: self._newest != seen, seconds)
            return self._newest

    def close(self) -> None:
        """Listen no longer; a connection that is open ends with its next word."""
        self._is_closed = True

    def _listen(self) -> None:
        """Hear of calls until it is closed; a connection that ends is made anew."""
        request = Request(  # noqa: S310 http by `is_address`
            f"{self.url}/sessions", headers={**self._headers, "accept": EVENTS}
        )
        while not self._is_closed:
            try:
                with self._open(request, timeout=SILENT_S) as answer:
                    self._hear(answer)
            except (HTTPError, URLError, OSError, HTTPException, msgspec.DecodeError):
                pass  # it has ended, or begins again
            self._is_told = False
            time.sleep(AGAIN_S)

    def _hear(self, answer: Any) -> None:
        for line in answer:
            if self._is_closed:
                return
            if line.startswith(b"data: "):
                self._read(msgspec.json.decode(line[6:])["sessions"])
                self._is_told = True

    def _read(self, rows: list[dict[str, Any]]) -> None:
        packs = [row["pack"] for row in rows if row["id"] == self._id]
        with self._news:
            self._newest = packs[0] if packs else self._newest
            self._news.notify_all()

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
