"""What every adapter does: a body through the context, on to the model, and once more where it
does not fit."""

from collections.abc import Awaitable, Callable
from typing import Any

Body = dict[str, Any]
"""A provider's request body."""


def context_of(spec: Any, options: dict[str, Any]) -> Any:
    """The context that an adapter was given, or one of this spec and these options."""
    from contextwright.engine.context import Context

    return spec if isinstance(spec, Context) else Context(spec, **options)


class ContextPort:
    """Sends bodies as a context has them.

    Args:
        context: the `Context`.
        id: of the conversation; by default told by its messages.
    """

    def __init__(self, context: Any, id: str | None = None) -> None:
        self.context = context
        self.id = id

    async def compiled(self, body: Body) -> Body:
        """The body as the context has it."""
        return await self.context.acall(body, id=self.id)

    def send(self, body: Body, request: Callable[[Body], Any]) -> Any:
        """What the model answers to the compiled body; to a smaller one where that is too long.

        Args:
            body: as the user would send it.
            request: sends a body.

        Raises:
            ContextOverflowError: there is no smaller one. Whatever else `request` raises.
        """
        sent = self.context(body, id=self.id)
        while True:
            try:
                return request(sent)
            except Exception as error:  # noqa: BLE001 what is no overflow is raised again
                sent = self.context.recover(body, error, id=self.id)

    async def asend(self, body: Body, request: Callable[[Body], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        sent = await self.compiled(body)
        while True:
            try:
                return await request(sent)
            except Exception as error:  # noqa: BLE001 what is no overflow is raised again
                sent = await self.context.arecover(body, error, id=self.id)
