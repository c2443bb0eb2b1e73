"""A middleware for `create_agent` and `create_deep_agent`, and a hook for graphs made by hand.
Tested with langchain 1.4, langgraph 1.2, deepagents 0.7."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.langchain.chat_messages import ChatMessages
from contextwright.adapters.langchain.reading_tools import read_back_tools, run_of
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.tokens.usage import Usage, usage_of

_MAPPING = ChatMessages()


class ContextMiddleware(ContextOwner, AgentMiddleware[Any, Any]):
    """What each request of an agent holds; the state of the graph keeps all messages.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        super().__init__()
        self.port = ContextPort(context_of(spec, options))
        self.tools = read_back_tools(self.port)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """The model's answer to the compiled request."""
        shown, run = _mapped(request), run_of(request.state["messages"])
        return self.port.send(
            shown.body, lambda body: handler(_request(request, shown, body)), run, _bill
        )

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        shown, run = _mapped(request), run_of(request.state["messages"])
        return await self.port.asend(
            shown.body, lambda body: handler(_request(request, shown, body)), run, _bill
        )


def pre_model_hook(spec: Any = None, **options: Any) -> Callable[[Mapping[str, Any]], Any]:
    """A `pre_model_hook` of LangGraph, or a step in front of a model of your own graph: it gives
    `llm_input_messages` and leaves the state's `messages` alone.

    Args:
        spec: what requests hold, or a `Context`.
        options: of `Context`, where none is given: it needs `model=...`.
    """
    context = context_of(spec, options)

    def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        shown = MappedRequest(_MAPPING, state["messages"], model=str(options.get("model", "")))
        return {"llm_input_messages": shown.messages_of(context(shown.body))}

    return hook


def _bill(answer: Any) -> Usage | None:
    """What a model's answer cost; None where it does not say."""
    messages = getattr(getattr(answer, "model_response", answer), "result", [answer])
    usages = (getattr(each, "usage_metadata", None) for each in messages)
    return usage_of(next(filter(None, usages), None))


def _mapped(request: Any) -> MappedRequest[Any]:
    """A request of LangChain's as a body."""
    system = request.system_message
    tools = [convert_to_openai_tool(tool)["function"] for tool in request.tools if _is_ours(tool)]
    return MappedRequest(
        _MAPPING,
        request.messages,
        model=_model_name(request.model),
        system=system.text if system is not None else None,
        tools=tools,
    )


def _is_ours(tool: Any) -> bool:
    """Whether a tool has a schema that we can read; a provider's own has none."""
    return not isinstance(tool, dict) or "function" in tool or "parameters" in tool


def _model_name(model: Any) -> str:
    return str(getattr(model, "model_name", None) or getattr(model, "model", ""))


def _request(request: Any, shown: MappedRequest[Any], body: Body) -> Any:
    """The request with the messages of a compiled body."""
    changes: dict[str, Any] = {"messages": shown.messages_of(body)}
    if (system := shown.system_of(body)) is not None:
        changes["system_message"] = SystemMessage(content=system)
    return request.override(**changes)
