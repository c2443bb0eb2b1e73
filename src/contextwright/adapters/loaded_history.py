"""A history that Agent Framework loads behind all chat middleware, for each call of the model."""

import inspect
from collections.abc import Callable
from typing import Any

from contextwright.errors import SpecError

_LOADER = "PerServiceCallHistoryPersistingMiddleware"
"""What loads it and stores what the middleware in front gave to it."""
_MARK = "agent_framework_local_history_persistence"
"""The conversation that its next requests go on from, which no provider knows."""


def refuse_loaded_history(call_next: Callable[[], Any], conversation: object) -> None:
    """Refuse a request of which only what is new is here: a result without its call would be
    dropped, no limit would hold, and what is shortened would be stored in the place of what was
    said.

    Args:
        call_next: what stands behind this middleware. conversation: what the request goes on from.

    Raises:
        SpecError: the agent has `require_per_service_call_history_persistence`.
    """
    if conversation == _MARK or any(map(_loads, _behind(call_next))):
        raise SpecError(
            "the agent's history is loaded behind its middleware, which sees what is new alone",
            where="Agent(middleware=[ContextChatMiddleware(...)], "
            "require_per_service_call_history_persistence=True)",
            fix="wrap the client in place of it: OpenAIChatCompletionClient("
            "async_client=contextwright.wrap(AsyncOpenAI(), spec))",
        )


def _behind(call_next: Callable[[], Any]) -> list[Any]:
    """The middleware that runs behind; nothing where this version has it elsewhere."""
    try:
        known = inspect.getclosurevars(call_next).nonlocals
    except TypeError:
        return []
    return list(getattr(known.get("self"), "_middleware", ()))


def _loads(middleware: object) -> bool:
    # where a service keeps the conversation, it is stored beside it alone
    is_loader = type(middleware).__name__ == _LOADER
    return is_loader and not getattr(middleware, "_service_stores_history", False)
