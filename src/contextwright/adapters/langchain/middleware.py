"""A middleware for `create_agent` and `create_deep_agent`, and a hook for graphs made by hand.
Tested with langchain 1.4, langgraph 1.2, deepagents 0.7."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from contextwright.adapters.langchain.chat_messages import ChatMessages
from contextwright.adapters.langchain.reading_tools import read_back_tools, run_of
from contextwright.adapters.message_mapping import ForeignBody, foreign_body, framework_messages
from contextwright.adapters.port import Body, ContextPort, context_of

_MAPPING = ChatMessages()


class ContextMiddleware(AgentMiddleware[Any, Any]):
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

    @property
    def context(self) -> Any:
        """The context: its newest pack, session and manifest."""
        return self.port.context

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """The model's answer to the compiled request."""
        foreign, run = _shown(request), run_of(request.state["messages"])
        answer = self.port.send(
            foreign.body, lambda body: handler(_request(request, foreign, body)), run
        )
        self.port.billed(foreign.body, _usage(answer))
        return answer

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        foreign, run = _shown(request), run_of(request.state["messages"])
        answer = await self.port.asend(
            foreign.body, lambda body: handler(_request(request, foreign, body)), run
        )
        await self.port.abilled(foreign.body, _usage(answer))
        return answer


def pre_model_hook(spec: Any = None, **options: Any) -> Callable[[Mapping[str, Any]], Any]:
    """A `pre_model_hook` of LangGraph, or a step in front of a model of your own graph: it gives
    `llm_input_messages` and leaves the state's `messages` alone.

    Args:
        spec: what requests hold, or a `Context`.
        options: of `Context`, where none is given: it needs `model=...`.
    """
    context = context_of(spec, options)

    def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        messages = state["messages"]
        foreign = foreign_body(_MAPPING, messages, model=str(options.get("model", "")))
        compiled = context(foreign.body)["messages"]
        return {"llm_input_messages": framework_messages(_MAPPING, messages, foreign, compiled)[1]}

    return hook


def _usage(answer: Any) -> Any:
    """What a model's answer cost; None where it does not say."""
    messages = getattr(getattr(answer, "model_response", answer), "result", [answer])
    return next((u for each in messages if (u := getattr(each, "usage_metadata", None))), None)


def _shown(request: Any) -> ForeignBody:
    """A request of LangChain's as a body."""
    system = request.system_message
    tools = [convert_to_openai_tool(tool)["function"] for tool in request.tools if _is_ours(tool)]
    return foreign_body(
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


def _request(request: Any, foreign: ForeignBody, body: Body) -> Any:
    """The request with the messages of a compiled body."""
    system, messages = framework_messages(_MAPPING, request.messages, foreign, body["messages"])
    changes: dict[str, Any] = {"messages": messages}
    if system is not None and system != foreign.body["messages"][0]["content"]:
        changes["system_message"] = SystemMessage(content=system)
    return request.override(**changes)
