"""The proxy as an ASGI application: who may come in, what is ours, and what goes through."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from contextwright.errors import ContextwrightError, ProxyError, StoreError
from contextwright.serve.compiled_calls import CallCompiler
from contextwright.serve.compress_pages import compress_routes
from contextwright.serve.http_headers import host_of, own_headers, refuse_ambiguous, value_of
from contextwright.serve.proxy import Proxy, Receive, Scope, Send
from contextwright.serve.proxy_pages import HEALTH_PATHS, page_routes
from contextwright.serve.proxy_stores import proxy_stores
from contextwright.serve.recent_packs import RecentPacks
from contextwright.serve.settings import LOCAL_NAMES, ProxySettings, is_key, is_loopback
from contextwright.serve.upstream import Upstream, UpstreamReset
from contextwright.stores.sqlite import SQLiteSessions

_STATUSES = {
    "max_body": 413,
    "max_requests": 503,
    "stall_s": 408,
    "key": 401,
    "host": 421,
    "upgrade": 426,
    "the request's body": 400,
}
"""Statuses of our own refusals, by what they are about."""
_AT_STATUS = {426: {"upgrade": "HTTP/1.1"}, 503: {"retry-after": "1"}}
"""Headers that say when, or how, to ask again."""


class ProxyApp:
    """What a server of ASGI runs.

    Args:
        settings: of the proxy.

    Raises:
        ProxyError: they can not be. SpecError, ModelError: nor the spec. StoreError: nor its data.
    """

    def __init__(self, settings: ProxySettings) -> None:
        self.settings = settings
        self.upstream = Upstream(settings.upstream)
        ledger, sessions = proxy_stores(settings.data, settings.cache)
        self.ledger, self._sessions = ledger, sessions
        self.packs = RecentPacks(settings.max_bytes)
        self.proxy = Proxy(
            settings,
            CallCompiler(settings, sessions),
            ledger,
            self.packs,
            self.upstream,
            ledger.salt(),
        )
        routes = [*page_routes(self.proxy), *compress_routes(self.proxy)]
        self._own = {route.path.partition("{")[0] for route in routes}
        self._pages = Starlette(
            routes=routes,
            lifespan=self._lifespan,
            exception_handlers={ContextwrightError: self._page_refusal},
        )
        self._pages.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the beginning and the end of the server."""
        if scope["type"] == "lifespan":
            await self._pages(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun, noted = _noted(send)
        try:
            self._admit(scope)
            app: Callable[..., Any] = self._pages if self._is_own(scope) else self.proxy
            await app(scope, receive, noted)
        except UpstreamReset:
            if not begun:
                return  # the caller is the one who hung up
            raise
        except ContextwrightError as error:
            if begun:
                raise
            await _refusal(error, self.upstream.root)(scope, receive, send)

    async def _page_refusal(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, ContextwrightError)
        return _refusal(error, self.upstream.root)

    def _is_own(self, scope: Scope) -> bool:
        path = scope["path"]
        return path in self._own or any(
            len(own) > 1 and own.endswith("/") and path.startswith(own) for own in self._own
        )

    def _admit(self, scope: Scope) -> None:
        """Refuse what is not for us, or can not be told.

        Raises:
            ProxyError: names why.
        """
        headers, settings = scope["headers"], self.settings
        refuse_ambiguous(headers, scope["raw_path"])
        if scope["path"] in HEALTH_PATHS:  # who looks after machines has neither name nor key
            return
        known = (*LOCAL_NAMES, settings.host, *settings.names)
        if is_loopback(settings.host) and host_of(headers) not in known:
            raise ProxyError(
                "this proxy is for this machine, and was called by another name",
                where="host",
                fix="call it 127.0.0.1, or allow the name (--name)",
            )
        if not settings.key:
            return
        sent = value_of(headers, b"x-contextwright-key")
        if not is_key(sent, settings.key) and not is_key(sent, settings.admin_key):
            raise ProxyError(
                "this proxy asks for a key of its own",
                where="key",
                fix="send it as x-contextwright-key",
            )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncGenerator[None]:
        await self.upstream.open()
        try:
            yield
        finally:
            await self.upstream.close()
            await self.proxy.close()
            if isinstance(self._sessions, SQLiteSessions):  # a database is the ledger's as well
                self._sessions.close()
            self.ledger.close()


def _noted(send: Send) -> tuple[list[bool], Send]:
    """The same `send`, and whether an answer began by it."""
    begun: list[bool] = []

    def noted(message: Any) -> Awaitable[None]:  # it waits for nothing itself
        if not begun:
            begun.append(True)
        return send(message)

    return begun, noted


def _refusal(error: ContextwrightError, root: str) -> Response:
    """What is wrong, said as providers do."""
    where = error.where or ""
    status = 502 if where == root else _STATUSES.get(where, 400)
    if isinstance(error, StoreError):  # a disk that is full, a database that does not answer
        status = 503
    telling = {"type": type(error).__name__, "message": str(error), **error.as_dict()}
    body = msgspec.json.encode({"type": "error", "error": telling})
    answer = Response(body, status, _AT_STATUS.get(status), "application/json")
    answer.raw_headers += own_headers(action="refused", reason=error.what)
    return answer
