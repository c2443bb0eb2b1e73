"""What every adapter does: a body through the context, on to the model, and once more where it
does not fit."""

from collections.abc import Awaitable, Callable
from typing import Any

Body = dict[str, Any]
"""A provider's request body."""


def context_of(spec: Any, options: dict[str, Any]) -> Any:
    """The context that an adapter was given, or one of this spec and these options."""
    from contextwright import Context

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
        """What the model answers to the compiled body.

        Args:
            body: as the user would send it.
            request: sends a body.
        """
        return request(self.context(body, id=self.id))

    async def asend(self, body: Body, request: Callable[[Body], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        return await request(await self.compiled(body))

    def will_shrink(self, error: Exception) -> bool:
        """Whether the next request will be smaller, after an error of the model's."""
        return False
