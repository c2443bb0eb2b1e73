"""The tools with which a model reads back what was shortened, as LangChain's tools."""

from collections.abc import Sequence
from typing import Any

from langchain.tools import BaseTool, ToolRuntime
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool

from contextwright.adapters.port import ContextPort
from contextwright.session.event import Tool


def run_of(messages: Sequence[Any], call_id: str | None = None) -> str:
    """What tells one call of the model from all others: the id of the message that was the last
    when it was made.

    Args:
        messages: of a graph's state, before the model's answer or with it.
        call_id: of a call in the model's answer.
    """
    places = range(len(messages), 0, -1)
    if call_id is not None:
        places = (n for n in places if n < len(messages) and _calls(messages[n], call_id))
    return next((str(messages[n - 1].id or "") for n in places), "")


def _calls(message: Any, call_id: str) -> bool:
    return isinstance(message, AIMessage) and any(c["id"] == call_id for c in message.tool_calls)


def read_back_tools(port: ContextPort) -> list[BaseTool]:
    """A tool of LangChain's for each of the port's."""
    return [_tool(port, tool) for tool in port.tools()]


def _tool(port: ContextPort, tool: Tool) -> BaseTool:
    def read(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return port.answer(
            tool.name, arguments, run_of(runtime.state["messages"], runtime.tool_call_id)
        )

    async def aread(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return await port.aanswer(
            tool.name, arguments, run_of(runtime.state["messages"], runtime.tool_call_id)
        )

    return StructuredTool.from_function(
        read,
        aread,
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        infer_schema=False,
    )
