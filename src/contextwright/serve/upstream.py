"""The provider behind the proxy: one request, and its answer chunk by chunk, with every byte as it
came."""

import asyncio
import io
from collections import deque
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from contextwright.errors import ProxyError
from contextwright.serve.content_codings import decoder_of
from contextwright.serve.http_headers import Header, value_of
from contextwright.serve.outward_proxy import outward_proxy

CONNECT_S = 30.0
_LONGEST_HEADER = 256 * 1024
_LONGEST_PIECE = 16 * 1024 * 1024
_OWN_HEADERS = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""Headers that the client would add."""
_BREAKS = (aiohttp.ClientError, HttpProcessingError, OSError)
"""What an answer that breaks off raises; the second where its chunks are none."""
_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)
"""What a request raises over a connection that the server closed, or reset, while it waited."""


class UpstreamReset(Exception):
    """The upstream broke its answer off: the caller's is broken off as well."""


class UpstreamAnswer:
    """An answer whose head has come.

    Attributes:
        status: as it came.
        headers: as they came, their names in lower case.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._start: deque[bytes] = deque()
        _break_off_with_connection(response)
        self.status = response.status
        self.headers: list[Header] = [(n.lower(), value) for n, value in response.raw_headers]

    async def next_chunk(self) -> bytes:
        """The next part of the body, as soon as it is here; empty at its end.

        Raises:
            UpstreamReset: it broke off.
        """
        if self._start:
            return self._start.popleft()
        try:
            return await self._response.content.readany()
        except _BREAKS as error:
            raise UpstreamReset(str(error)) from error

    async def plain_chunks(self) -> AsyncIterator[bytes]:
        """The same, uncoded, from a server that codes its answer though none was asked to be.

        Raises:
            UpstreamReset: it broke off, or is coded as nobody reads here.
        """
        coding = value_of(self.headers, b"content-encoding")
        decode = decoder_of(coding)
        if decode is None:
            raise UpstreamReset(f"the answer is coded as {coding!r}, though it was asked for plain")
        while chunk := await self.next_chunk():
            try:
                yield decode(chunk, _LONGEST_PIECE)
            except ValueError as error:
                raise UpstreamReset("the answer is not coded as it says") from error

    async def start(self, limit: int) -> bytes:
        """The first bytes of the body, `limit` or some more; `next_chunk` gives them again."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < limit and (chunk := await self.next_chunk()):
                parts.append(chunk)
                size += len(chunk)
        except UpstreamReset:  # `next_chunk` will find out as well
            pass
        self._start.extend(parts)
        return b"".join(parts)

    def close(self) -> None:
        """Hang up, where it has not ended."""
        self._response.close()


class Upstream:
    """Sends requests to one server, and to no other.

    Args:
        url: as `ProxySettings.upstream`.

    Raises:
        ProxyError: the environment names a proxy that nobody here speaks to.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.root = f"{parts.scheme}://{parts.netloc}"
        self.path = parts.path.rstrip("/")
        self._proxy = _proxy_options(outward_proxy(self.root))
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Begin."""
        trace = aiohttp.TraceConfig()
        trace.on_connection_reuseconn.append(_reused)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_OWN_HEADERS,
            auto_decompress=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
            trace_configs=[trace],
            **self._proxy,
        )

    async def close(self) -> None:
        """End; open answers are broken off."""
        if self._session is not None:
            await self._session.close()

    def url_of(self, target: bytes) -> URL:
        """Where a request goes: its path behind the upstream's own, as it was written. Where the
        one ends as the other begins (`/v1`), that stands once."""
        path = target.decode("latin-1")
        last = self.path.rpartition("/")[2]
        own = self.path
        if last and path.startswith((f"/{last}/", f"/{last}?")):
            own = own.removesuffix(f"/{last}")
        return URL(f"{self.root}{own}{path}", encoded=True)

    async def send(
        self,
        method: str,
        target: bytes,
        headers: Sequence[Header],
        body: bytes | AsyncIterator[bytes] | None,
    ) -> UpstreamAnswer:
        """The answer to a request, as soon as its head is here. A connection that the server closed
        or reset while it waited for work is replaced once.

        Raises:
            ProxyError: the server can not be reached, or hung up before it answered.
        """
        for is_second in (False, True):
            traced = SimpleNamespace(reused=False)
            try:
                return await self._sent(method, target, headers, body, traced)
            except _CLOSED as error:
                again = traced.reused and not is_second and not isinstance(body, AsyncIterator)
                if not again:
                    raise self._unreachable(error) from error
            except (TimeoutError, aiohttp.ClientError, OSError) as error:
                raise self._unreachable(error) from error
        raise AssertionError("unreachable")

    def broken_off(self, reset: UpstreamReset) -> ProxyError:
        """What a caller is told of an answer that broke off before anything of it was passed on."""
        return ProxyError(
            f"the upstream broke its answer off: {reset}",
            where=self.root,
            fix="try again; if it goes on, look at the upstream, and at what lies in front of it",
        )

    async def _sent(
        self, method: str, target: bytes, headers: Sequence[Header], body: Any, traced: object
    ) -> UpstreamAnswer:
        assert self._session is not None, "open first"
        response = await self._session.request(
            method,
            self.url_of(target),
            headers=CIMultiDict((_text(name), _text(value)) for name, value in headers),
            # of large bytes at once the client warns
            data=io.BytesIO(body) if isinstance(body, bytes) else body,
            allow_redirects=False,
            trace_request_ctx=traced,
        )
        return UpstreamAnswer(response)

    def _unreachable(self, error: BaseException) -> ProxyError:
        return ProxyError(
            f"the upstream did not answer: {type(error).__name__}: {error}",
            where=self.root,
            fix="look whether it runs, and whether this machine reaches it; then try again",
        )


def _break_off_with_connection(response: aiohttp.ClientResponse) -> None:
    """Let a body break off where its connection closes before its end. Where its chunks are none,
    the client closes the connection and tells nobody who reads: they would wait for ever."""
    connection = response.connection
    protocol = connection.protocol if connection is not None else None
    closed = protocol.closed if protocol is not None else None
    if closed is None:  # all of it is here
        return
    content = response.content

    def break_off(closed: asyncio.Future[None]) -> None:
        if not closed.cancelled():
            closed.exception()  # it is read, or the loop complains of it
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("it is not what it says"))

    closed.add_done_callback(break_off)


def _proxy_options(named: str | None) -> dict[str, Any]:
    """A proxy for the client, its credentials apart: errors name its URL."""
    if named is None:
        return {}
    url = URL(named)
    login = aiohttp.BasicAuth(url.user, url.password or "") if url.user else None
    return {"proxy": url.with_user(None), "proxy_auth": login}


async def _reused(session: object, context: Any, params: object) -> None:
    context.trace_request_ctx.reused = True


def _text(value: bytes) -> str:
    """Bytes of a header so that the same bytes are sent."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
