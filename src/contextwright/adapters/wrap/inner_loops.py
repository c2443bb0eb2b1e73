"""Agents with the loop inside: what their models are sent is reached by the framework's own hook,
or not at all, and then they are refused."""

import copy
import functools
from collections.abc import Callable
from typing import Any

from contextwright.adapters.wrap.intake import Intake
from contextwright.errors import SpecError

_FILTER = (
    "Runner.run(agent, ..., run_config=RunConfig(call_model_input_filter=...)) is its own hook, "
    "before every request"
)
_UNREACHABLE = (
    ("Pregel", "langgraph.", "a LangGraph graph", "create_agent(Cooled(model), tools)"),
    ("AgentExecutor", "langchain", "an AgentExecutor", "give it Cooled(model)"),
    ("AgentBase", "agents.", "an agent of the OpenAI Agents SDK", _FILTER),
)
"""Class, the beginning of its module, what it is, and the way that works."""
_RUNNERS = ("agents.run.", "Runner.run")


def expect_reachable(inner: Any) -> None:
    """Refuse what asks its model many times where nobody here sees it: only the first input would
    be cooled, and the report would say that all is well.

    Raises:
        SpecError: it is such an agent; names the way that works.
    """
    for name, module, what, fix in _UNREACHABLE:
        if _is_a(inner, name, module):
            raise _refusal(what, fix)
    module = f"{getattr(inner, '__module__', '')}."
    if module.startswith(_RUNNERS[0]) and _RUNNERS[1] in getattr(inner, "__qualname__", ""):
        raise _refusal("a run of the OpenAI Agents SDK", _FILTER)


def _refusal(what: str, fix: str) -> SpecError:
    return SpecError(
        f"expected an agent whose requests pass here, got {what}: its loop is inside, and only "
        "what it is first given would be cooled",
        where="Cooled(...)",
        fix=fix,
    )


def is_pydantic_agent(inner: Any) -> bool:
    """Whether it is an agent of pydantic-ai."""
    return _is_a(inner, "AbstractAgent", "pydantic_ai.")


def with_cooled_requests(call: Callable[..., Any], intake: Intake) -> Callable[..., Any]:
    """A pydantic-ai agent's method, each of its requests to the model cooled, tool results of the
    run included. What the run keeps as its messages is whole."""
    from pydantic_ai.capabilities import AbstractCapability

    class CooledRequests(AbstractCapability[Any]):
        """Cools what the model is sent."""

        async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
            arguments = {"message_history": request_context.messages}
            cooled = copy.copy(request_context)
            cooled.messages = list((await intake.later(arguments))["message_history"])
            return await handler(cooled)

    @functools.wraps(call)
    def wrapped(*args: Any, capabilities: Any = None, **kwargs: Any) -> Any:
        return call(*args, capabilities=[*(capabilities or ()), CooledRequests()], **kwargs)

    return wrapped


def _is_a(inner: Any, name: str, module: str) -> bool:
    return any(
        kind.__name__ == name and f"{kind.__module__}.".startswith(module)
        for kind in type(inner).__mro__
    )
