"""An answer on its way to its caller, which may hang up, and may read nothing."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from contextwright.serve.http_headers import Header, forwarded_answer, own_headers, value_of
from contextwright.serve.inner_requests import InnerRefusal
from contextwright.serve.stream_read_back import StreamReadBack
from contextwright.serve.upstream import UpstreamAnswer, UpstreamReset
from contextwright.serve.usage_reader import UsageReader

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
NextChunk = Callable[[], Awaitable[bytes]]

_LENGTH = b"content-length"
_OF_BYTES = (_LENGTH, b"content-encoding")
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
    answer: UpstreamAnswer, own: list[Header], line: CallerLine, reader: UsageReader | None
) -> None:
    """Pass an answer back, each chunk as it comes.

    Args:
        own: headers of ours.
        reader: of its bill.
    """
    await line.send(_start(answer.status, [*forwarded_answer(answer.headers), *own]))
    await line.send_each(answer.next_chunk, reader.feed if reader is not None else _unread)
    await line.send({"type": "http.response.body", "body": b"", "more_body": False})


async def relay_read_back(
    answer: UpstreamAnswer, own: list[Header], line: CallerLine, held: StreamReadBack
) -> None:
    """Pass an answer back without the calls that are answered here."""
    # nobody knows how long it will be, and it is plain
    headers = [pair for pair in forwarded_answer(answer.headers) if pair[0] not in _OF_BYTES]
    if "event-stream" in value_of(answer.headers, b"content-type"):
        await line.send(_start(answer.status, [*headers, *own]))
        async for chunk in held.events(answer):
            await line.send({"type": "http.response.body", "body": chunk, "more_body": True})
        body = b""
    else:
        status = answer.status
        try:
            body = await held.whole(answer)
        except InnerRefusal as refusal:
            status, body = refusal.status, refusal.body
            headers = [pair for pair in forwarded_answer(refusal.headers) if pair[0] != _LENGTH]
            held.note = str(refusal)
        await line.send(_start(status, [*headers, *own, *own_headers(read_back=held.note)]))
        if held.rest is not None:
            await line.send({"type": "http.response.body", "body": body, "more_body": True})
            async for chunk in held.rest:
                await line.send({"type": "http.response.body", "body": chunk, "more_body": True})
            body = b""
    await line.send({"type": "http.response.body", "body": body, "more_body": False})


def _start(status: int, headers: list[Header]) -> Message:
    return {"type": "http.response.start", "status": status, "headers": headers}


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
