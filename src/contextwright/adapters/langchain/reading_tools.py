"""The tools with which a model reads back what was shortened, as LangChain's tools."""

from typing import Any

from langchain.tools import BaseTool, ToolRuntime
from langchain_core.tools import StructuredTool

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.message_runs import run_of_call
from contextwright.adapters.port import ContextPort


def read_back_tools(port: ContextPort) -> list[BaseTool]:
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
