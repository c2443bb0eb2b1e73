"""The tools with which a model reads back what was shortened, as inspect_ai's tools."""

from inspect_ai.tool import Tool, ToolDef, ToolParams

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.port import ContextPort


def tools_of(port: ContextPort) -> list[Tool]:
    """A tool of inspect_ai's for each of the port's."""
    return [_tool(tool) for tool in reading_tools(port)]


def _tool(tool: ReadingTool) -> Tool:
    parameters = ToolParams.model_validate(tool.parameters)
    # the framework takes no argument without a description; what each is says the tool's own
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name
    return ToolDef(tool.aread, tool.name, tool.description, parameters).as_tool()
