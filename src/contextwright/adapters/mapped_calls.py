"""Calls of a framework's model with its own messages, compiled in between: answered whole or in
pieces, synchronously or not."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic

from contextwright.adapters.message_mapping import MappedRequest, MessageT
from contextwright.adapters.port import Bill, Body, ContextPort
from contextwright.adapters.streams import astream, stream


class MappedCall(Generic[MessageT]):
    """One call.

    Args:
        port: of the adapter.
        request: with the framework's messages.
        bill: what an answer, or a piece of one, says that it cost.
        run: as `ContextPort` says.
        sent: what of a compiled body goes to the model; by default the framework's messages
            alone, whose tools stay as they are.
    """

    def __init__(
        self,
        port: ContextPort,
        request: MappedRequest[MessageT],
        bill: Bill,
        run: str = "",
        sent: Callable[[Body], Any] | None = None,
    ) -> None:
        self._port = port.for_tools(reads_back=request.reads_back)
        self._request, self._bill, self._run = request, bill, run
        self._sent = sent or request.messages_alone

    def answer(self, send: Callable[[Any], Any]) -> Any:
        """What `send` gives for what is sent."""
        body, sent = self._request.body, self._sent
        return self._port.send(body, lambda new: send(sent(new)), self._run, self._bill)

    async def aanswer(self, send: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        body, sent = self._request.body, self._sent
        return await self._port.asend(body, lambda new: send(sent(new)), self._run, self._bill)

    def pieces(self, send: Callable[[Any], Iterator[Any]]) -> Iterator[Any]:
        """The pieces that `send` gives for what is sent."""
        body, sent = self._request.body, self._sent
        return stream(self._port, body, lambda new: send(sent(new)), self._bill)

    def apieces(self, send: Callable[[Any], AsyncIterator[Any]]) -> AsyncIterator[Any]:
        """The same beside an event loop."""
        body, sent = self._request.body, self._sent
        return astream(self._port, body, lambda new: send(sent(new)), self._bill)
