"""The tools with which a model reads back what was shortened, as inspect_ai's tools."""

from inspect_ai.tool import Tool, ToolDef, ToolParams

from contextwright.adapters.port import ContextPort
from contextwright.session.event import Tool as ReadingTool


def tools_of(port: ContextPort) -> list[Tool]:
    """A tool of inspect_ai's for each of the port's."""
    return [_tool(port, tool) for tool in port.tools()]


def _tool(port: ContextPort, tool: ReadingTool) -> Tool:
    async def read(**arguments: object) -> str:
        return await port.aanswer(tool.name, arguments)

    parameters = ToolParams.model_validate(dict(tool.parameters))
    # the framework takes no argument without a description; what each is says the tool's own
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name
    return ToolDef(read, tool.name, tool.description, parameters).as_tool()
