"""The requests by which an answer goes on, once calls of our tools are answered; and what is sent
where the upstream refuses one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from contextwright.errors import ProxyError
from contextwright.formats.fields import Json, object_if
from contextwright.serve.http_headers import Header, value_of
from contextwright.serve.upstream import UpstreamAnswer

PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
"""Seconds after which what is busy is asked again, where it does not say, and at most."""
_LONGEST_REFUSAL = 1024 * 1024

GoOn = Callable[[bytes], Awaitable[UpstreamAnswer]]
"""Sends a body to the same place as the first one."""


class InnerRefusal(Exception):
    """The upstream gave no answer by which the client's goes on.

    Attributes:
        status, headers, body: what it said; 502 where it could not be reached.
    """

    def __init__(self, status: int, headers: list[Header], body: bytes) -> None:
        super().__init__(f"the upstream answered {status} where it was to go on")
        self.status, self.headers, self.body = status, headers, body

    @property
    def error(self) -> Json:
        """The error in the upstream's words: an object with a `message`."""
        try:
            decoded: Any = msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            decoded = None
        error = object_if(object_if(decoded).get("error"))
        return error if isinstance(error.get("message"), str) else {"message": str(self)}


class InnerAnswer(msgspec.Struct, frozen=True, eq=False):
    """An answer that goes on.

    Args:
        is_to_original: whether it is one to the body as the client sent it, all anew.
        has_our_usage: whether its usage is there because it was asked for here.
    """

    answer: UpstreamAnswer
    is_to_original: bool = False
    has_our_usage: bool = False


class InnerRequests:
    """Sends them.

    Args:
        send: to the upstream.
        original: the body as the client sent it; None where it may not leave.
    """

    def __init__(self, send: GoOn, original: bytes | None) -> None:
        self._send, self._original = send, original

    async def answer(self, format: str, body: Json) -> InnerAnswer:
        """The answer to a body. What is busy is asked twice; where a body is refused, the original
        is sent in its place, once.

        Raises:
            InnerRefusal: that was refused as well.
        """
        billable = _with_usage(format, body)
        ours = billable is not body
        try:
            return InnerAnswer(await self._patient(billable), has_our_usage=ours)
        except InnerRefusal as first:
            refusal = first
        if ours and refusal.status < 500:  # who speaks OpenAI's language may not know the wish
            try:
                return InnerAnswer(await self._patient(body))
            except InnerRefusal as second:
                refusal = second
        if self._original is None:
            raise refusal
        return InnerAnswer(await self._once(self._original), is_to_original=True)

    async def _patient(self, body: Json) -> UpstreamAnswer:
        encoded = msgspec.json.encode(body)
        try:
            return await self._once(encoded)
        except InnerRefusal as refusal:
            if refusal.status != 429 and refusal.status < 500:
                raise
            await asyncio.sleep(_pause_s(refusal.headers))
        return await self._once(encoded)

    async def _once(self, body: bytes) -> UpstreamAnswer:
        try:
            answer = await self._send(body)
        except ProxyError as error:
            raise InnerRefusal(502, [], b"") from error
        if answer.status == 200:
            return answer
        try:
            text = await answer.start(_LONGEST_REFUSAL)
        finally:
            answer.close()
        raise InnerRefusal(answer.status, answer.headers, text)


def _with_usage(format: str, body: Json) -> Json:
    """A body that asks for the usage of its answer; the same one where it does, or need not."""
    options = object_if(body.get("stream_options"))
    if format != "openai-chat" or not body.get("stream") or options.get("include_usage"):
        return body
    return {**body, "stream_options": {**options, "include_usage": True}}


def _pause_s(headers: list[Header]) -> float:
    text = value_of(headers, b"retry-after")
    return min(float(text), LONGEST_PAUSE_S) if text.isdecimal() else PAUSE_S
