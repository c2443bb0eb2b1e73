"""Calls of a framework's model with its own messages, compiled in between: answered whole or in
pieces, synchronously or not."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic

from contextwright.adapters.message_mapping import MappedRequest, MessageT
from contextwright.adapters.port import Bill, ContextPort
from contextwright.adapters.streams import astream, stream


class MappedCall(Generic[MessageT]):
    """One call.

    Args:
        port: of the adapter.
        request: with the framework's messages.
        bill: what an answer, or a piece of one, says that it cost.
    """

    def __init__(self, port: ContextPort, request: MappedRequest[MessageT], bill: Bill) -> None:
        self._port, self._request, self._bill = port, request, bill

    def answer(self, send: Callable[[list[MessageT]], Any]) -> Any:
        """What `send` gives for the compiled messages."""
        body, messages = self._request.body, self._request.messages_of
        return self._port.send(body, lambda new: send(messages(new)), bill=self._bill)

    async def aanswer(self, send: Callable[[list[MessageT]], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        body, messages = self._request.body, self._request.messages_of
        return await self._port.asend(body, lambda new: send(messages(new)), bill=self._bill)

    def pieces(self, send: Callable[[list[MessageT]], Iterator[Any]]) -> Iterator[Any]:
        """The pieces that `send` gives for the compiled messages."""
        body, messages = self._request.body, self._request.messages_of
        return stream(self._port, body, lambda new: send(messages(new)), self._bill)

    def apieces(self, send: Callable[[list[MessageT]], AsyncIterator[Any]]) -> AsyncIterator[Any]:
        """The same beside an event loop."""
        body, messages = self._request.body, self._request.messages_of
        return astream(self._port, body, lambda new: send(messages(new)), self._bill)
