"""A middleware for `create_agent` and `create_deep_agent`. Tested with langchain 1.4, deepagents
0.7."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.tools import BaseTool, ToolRuntime
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from contextwright.adapters.answered_tools import (
    ReadingTool,
    reading_tools,
    run_of,
    run_of_call,
)
from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.langchain.chat_messages import MESSAGES
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.provider_blocks import block_texts, with_texts
from contextwright.adapters.response_chains import LANGCHAIN
from contextwright.tokens.usage import Usage, usage_of

_SCHEMAS = {"function", "parameters"}


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
        self.tools = _read_back_tools(self.port)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """The model's answer to the compiled request."""
        return self._call(request).answer(handler)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same beside an event loop."""
        return await self._call(request).aanswer(handler)

    def _call(self, request: Any) -> MappedCall[Any]:
        shown, run = _mapped(request), run_of(request.state["messages"])
        return MappedCall(self.port, shown, _bill, run, partial(_request, request, shown))


def _bill(answer: Any) -> Usage | None:
    """What a model's answer cost; None where it does not say."""
    messages = getattr(getattr(answer, "model_response", answer), "result", [answer])
    usages = (getattr(each, "usage_metadata", None) for each in messages)
    return usage_of(next(filter(None, usages), None))


def _mapped(request: Any) -> MappedRequest[Any]:
    """A request of LangChain's as a body; a provider's own tools have no schema to read."""
    model, system = request.model, request.system_message
    known = (t for t in request.tools if not isinstance(t, dict) or t.keys() & _SCHEMAS)
    return MappedRequest(
        MESSAGES, request.messages,
        model=str(getattr(model, "model_name", None) or getattr(model, "model", "")),
        system=block_texts(system.content) if system is not None else None,
        tools=[convert_to_openai_tool(tool)["function"] for tool in known],
        options={"tools": request.tools},
        output=request.response_format,
    )  # fmt: skip


def _request(request: Any, shown: MappedRequest[Any], body: Body) -> Any:
    """The request with the messages of a compiled body."""
    changes: dict[str, Any] = {"messages": LANGCHAIN.unchained(shown, body, request.model)}
    changes["tools"] = shown.tools_of(body, request.tools)
    changes["response_format"] = shown.output_of(body)
    if shown.system_of(body) is not None:
        content = with_texts(request.system_message.content, shown.system_parts_of(body))
        changes["system_message"] = request.system_message.model_copy(update={"content": content})
    return request.override(**changes)


def _read_back_tools(port: ContextPort) -> list[BaseTool]:
    """A tool of LangChain's for each of the port's."""
    return [_tool(tool) for tool in reading_tools(port)]


def _tool(tool: ReadingTool) -> BaseTool:
    def read(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return tool.of_run(_run(runtime))[0](**arguments)

    async def aread(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return await tool.of_run(_run(runtime))[1](**arguments)

    options: Any = {"name": tool.name, "description": tool.description, "infer_schema": False}
    return StructuredTool.from_function(read, aread, args_schema=tool.parameters, **options)


def _run(runtime: ToolRuntime[Any, Any]) -> str:
    return run_of_call(runtime.state["messages"], runtime.tool_call_id)
