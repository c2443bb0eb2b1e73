"""An answer on its way to its caller, which may hang up, and may read nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from contextwright.serve.http_headers import Header, forwarded_answer
from contextwright.serve.upstream import UpstreamAnswer, UpstreamReset
from contextwright.serve.usage_reader import UsageReader

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
NextChunk = Callable[[], Awaitable[bytes]]

_OF_BYTES = (b"content-length", b"content-encoding")
"""Headers of the bytes that came."""
_AGAIN_S = 0.5
"""Seconds after which what goes on in spite of a caller that hung up is cancelled again."""


class CallerLine:
    """The way to one caller.

    Args:
        send: of the server; it waits while the caller reads nothing.

    Attributes:
        passed: messages that went out. is_waiting: whether one waits for the caller to read.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self.passed, self.is_waiting = 0, False

    async def send(self, message: Message) -> None:
        """Pass one message on."""
        self.is_waiting = True
        await self._send(message)
        self.is_waiting = False
        self.passed += 1

    async def send_each(self, next_chunk: NextChunk, seen: Callable[[bytes], None]) -> None:
        """Pass chunks of a body on until there are no more, as `send` does: a stream has many, so
        nothing stands between them.

        Args:
            next_chunk: the next one, as soon as it is here; empty at the end.
            seen: is given each of them first.
        """
        send = self._send
        while chunk := await next_chunk():
            seen(chunk)
            self.is_waiting = True
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            self.is_waiting = False
            self.passed += 1


async def relay(
    answer: UpstreamAnswer,
    own: list[Header],
    line: CallerLine,
    reader: UsageReader | None,
    chunks: AsyncIterator[bytes] | None = None,
) -> None:
    """Pass an answer back, each chunk as it comes.

    Args:
        own: headers of ours.
        reader: of its bill.
        chunks: of its body, where they are others than those that came.
    """
    headers = [*forwarded_answer(answer.headers), *own]
    if chunks is not None:  # nobody knows how long it will be, and it is plain
        headers = [pair for pair in headers if pair[0] not in _OF_BYTES]
    await line.send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if chunks is None:
        await line.send_each(answer.next_chunk, reader.feed if reader is not None else _unread)
    else:
        async for chunk in chunks:
            await line.send({"type": "http.response.body", "body": chunk, "more_body": True})
    await line.send({"type": "http.response.body", "body": b"", "more_body": False})


def _unread(chunk: bytes) -> None:
    pass


async def until_hung_up(
    work: Awaitable[None], receive: Receive, line: CallerLine, patience_s: float
) -> None:
    """Do work until it is done, or the caller hangs up; then it is ended, whatever it does.

    Args:
        patience_s: seconds, up to twice, that a caller may read nothing of what waits for it.

    Raises:
        UpstreamReset: the caller reads nothing.
    """
    working = asyncio.ensure_future(work)
    hanging = asyncio.ensure_future(_hung_up(receive))
    both, ended, passed = {working, hanging}, set[asyncio.Future[None]](), -1
    try:
        while not ended:
            if line.is_waiting and line.passed == passed:
                raise UpstreamReset("the caller reads nothing")
            passed = line.passed
            ended, _ = await asyncio.wait(
                both, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED
            )
        if working.done():
            working.result()
    finally:
        hanging.cancel()
        while not working.done():  # a library may swallow a cancellation: it is told again
            working.cancel()
            await asyncio.wait({working}, timeout=_AGAIN_S)


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
