"""The tools with which a model reads back what was shortened, as LangChain's tools."""

from collections.abc import Sequence
from typing import Any

from langchain.tools import BaseTool, ToolRuntime
from langchain_core.tools import StructuredTool

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.port import ContextPort


def run_of(messages: Sequence[Any]) -> str:
    """What tells one call of the model from all others: the messages of a graph's state when it was
    made, by their ids and what the last says. An application that gives ids may count in each
    conversation from one."""
    ids = [message.id for message in messages]
    return repr((messages[-1].text, ids)) if any(ids[-1:]) else ""


def read_back_tools(port: ContextPort) -> list[BaseTool]:
    """A tool of LangChain's for each of the port's."""
    return [_tool(tool) for tool in reading_tools(port)]


def _tool(tool: ReadingTool) -> BaseTool:
    def read(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return tool.of_run(_run_that_called(runtime))[0](**arguments)

    async def aread(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        return await tool.of_run(_run_that_called(runtime))[1](**arguments)

    options: Any = {"name": tool.name, "description": tool.description, "infer_schema": False}
    return StructuredTool.from_function(read, aread, args_schema=tool.parameters, **options)


def _run_that_called(runtime: ToolRuntime[Any, Any]) -> str:
    """The run whose answer holds the call that a tool is run for."""
    messages, id = runtime.state["messages"], runtime.tool_call_id
    for place in reversed(range(len(messages))):
        if any(call["id"] == id for call in getattr(messages[place], "tool_calls", ())):
            return run_of(messages[:place])
    return ""
