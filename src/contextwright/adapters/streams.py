"""Streamed answers of frameworks: a refusal comes with the first piece, not with the call."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from contextwright.adapters.port import Bill, Body, ContextPort
from contextwright.adapters.stream_bills import aheard, heard


def stream(
    port: ContextPort, body: Body, request: Callable[[Body], Iterator[Any]], bill: Bill
) -> Iterator[Any]:
    """The pieces of the answer to a compiled body; of a smaller one where that is too long.

    Args:
        port: of the adapter.
        body: as the user would send it.
        request: sends a body, and gives the pieces.
        bill: of a piece.

    Raises:
        ContextOverflowError: there is no smaller one. Whatever else `request` raises, and
            everything that it raises behind the first piece.
    """
    sent = port.bare(body)
    while True:
        begun = False
        try:
            for piece in heard(port, body, request(sent), bill):
                begun = True
                yield piece
            return
        except Exception as error:
            if begun:
                raise
            sent = port.smaller(body, error)


async def astream(
    port: ContextPort,
    body: Body,
    request: Callable[[Body], AsyncIterator[Any]],
    bill: Bill,
    compiled: Body | None = None,
) -> AsyncIterator[Any]:
    """The same beside an event loop.

    Args:
        port, body, request, bill: as in `stream`.
        compiled: the body as the port has compiled it, where it has.
    """
    sent = await port.compiled(body) if compiled is None else compiled
    while True:
        begun = False
        try:
            async for piece in aheard(port, body, request(sent), bill):
                begun = True
                yield piece
            return
        except Exception as error:
            if begun:
                raise
            sent = await port.asmaller(body, error)
