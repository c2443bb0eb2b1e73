"""A request that goes out once more, smaller, where the model says that it is too long."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

AnswerT = TypeVar("AnswerT")
RequestT = TypeVar("RequestT")


def answered(
    send: Callable[[RequestT], AnswerT],
    request: RequestT,
    smaller: Callable[[Exception], RequestT],
) -> AnswerT:
    """The answer to a request, or to a smaller one.

    Args:
        send: sends a request.
        request: the first one.
        smaller: makes a smaller one, after this error; raises it again where it is no overflow.
    """
    while True:
        try:
            return send(request)
        except Exception as error:  # noqa: BLE001 what is no overflow is raised again
            request = smaller(error)


async def aanswered(
    send: Callable[[RequestT], Awaitable[AnswerT]],
    request: RequestT,
    smaller: Callable[[Exception], Awaitable[RequestT]],
) -> AnswerT:
    """The same beside an event loop."""
    while True:
        try:
            return await send(request)
        except Exception as error:  # noqa: BLE001 what is no overflow is raised again
            request = await smaller(error)
