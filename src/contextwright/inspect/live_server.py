"""The page live, on this machine only: a server of the standard library on the loopback, behind a
token in the address; it reads and compiles, and writes nothing."""

import secrets
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from contextwright.errors import address_error
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.page import page

LOOPBACK = "127.0.0.1"
BEAT_S = 2.0
"""Seconds without news after which it is seen whether somebody still listens."""
REST_S = 0.2
"""Seconds between two words of news: an agent's calls that come faster are told as one."""
LARGEST = 20_000
"""Characters of an address that is read."""


class LiveServer(ThreadingHTTPServer):
    """Serves one session.

    Args:
        port: 0 for one that is free.

    Raises:
        ProxyError: the port is taken, or is none.
    """

    daemon_threads = True

    def __init__(self, live: LiveSession, port: int = 0) -> None:
        self.live = live
        self.token = secrets.token_urlsafe(16)
        self.is_closing = False
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise address_error(error, LOOPBACK, port) from error

    @property
    def address(self) -> str:
        """Where the page is; whoever has the address may read the session."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def server_close(self) -> None:
        """Stop following, and close the socket."""
        self.is_closing = True
        self.live.close()
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version = "contextwright"
    sys_version = ""

    def do_GET(self) -> None:
        """The page, its data, a compile, or a stream of events."""
        parts = urlsplit(self.path)
        _, token, name = (*parts.path.split("/", 2), "", "")[:3]
        hosts = {f"{host}:{self.server.server_port}" for host in (LOOPBACK, "localhost")}
        # another site's page can not know the token, nor a name of its own lead here
        known = secrets.compare_digest(token.encode(), self.server.token.encode())
        if not known or self.headers.get("Host") not in hosts or len(self.path) > LARGEST:
            self._send(404, "text/plain; charset=utf-8", b"nothing here\n")
            return
        fields = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        live = self.server.live
        if not name:
            html = page(live.data(), live="'self'")
            self._send(200, "text/html; charset=utf-8", html.encode())
        elif name == "data":
            self._json({**live.data(), "live": True})
        elif name == "try":
            budget = _whole(fields.get("budget"))
            self._json(
                live.attempt(fields.get("spec", ""), _whole(fields.get("call")) or 0, budget)
            )
        elif name == "text":
            self._json({"entry": live.text(fields.get("sha256", ""))})
        elif name == "find":
            self._json({"texts": live.matches(fields.get("q", ""))})
        elif name == "points":
            self._stream(live.points(fields.get("spec", "")))
        elif name == "measured":
            self._stream(live.measured(fields.get("spec", "")))
        elif name == "events":
            self._stream(self._changes())
        else:
            self._send(404, "text/plain; charset=utf-8", b"nothing here\n")

    def _changes(self) -> Iterator[dict[str, Any] | None]:
        """A word whenever the session has changed; None to see whether somebody listens."""
        live = self.server.live
        seen = live.seen
        while not self.server.is_closing:
            now = live.wait(seen, BEAT_S)
            yield {"changed": True} if now != seen else None
            if now != seen:
                time.sleep(REST_S)
            seen = now

    def _json(self, value: Any) -> None:
        self._send(200, "application/json", msgspec.json.encode(value))

    def _headers(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in (
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self._headers(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, values: Iterator[dict[str, Any] | None]) -> None:
        self._headers(200, "text/event-stream")
        self.end_headers()
        try:
            for value in values:
                text = b": \n\n" if value is None else b"data: %b\n\n" % msgspec.json.encode(value)
                self.wfile.write(text)
                self.wfile.flush()
            self.wfile.write(b"event: done\ndata: {}\n\n")
        except OSError:
            return  # whoever listened has gone

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: an address holds the token."""


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 12 else None
