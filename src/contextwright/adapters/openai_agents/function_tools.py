"""Tools and answers of OpenAI Agents, as a body shows them, and the tools that read back what was
shortened."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from agents import FunctionTool, Handoff
from agents.tool_context import ToolContext

from contextwright.adapters.answer_schemas import answer_schema
from contextwright.adapters.answered_tools import is_our_tool
from contextwright.adapters.port import Body, ContextPort
from contextwright.adapters.redacted_tools import hosted_tools


def schemas(tools: Iterable[Any] | None, handoffs: Iterable[Any] | None) -> list[dict[str, Any]]:
    """The tools whose schemas are known before they are asked for, and the handoffs; ours are left
    out, as the context adds them itself."""
    functions = [tool for tool in tools or () if isinstance(tool, FunctionTool)]
    others = [each for each in handoffs or () if isinstance(each, Handoff)]
    shown = [
        *((t.name, t.description, t.params_json_schema) for t in functions),
        *((h.tool_name, h.tool_description, h.input_json_schema) for h in others),
    ]
    definitions = [{"name": n, "description": d, "parameters": p} for n, d, p in shown]
    return [{"type": "function", **each} for each in definitions if not is_our_tool(each)]


def tool_fields(tools: Iterable[Any] | None, handoffs: Iterable[Any] | None) -> Body:
    """What a body says of the tools and the handoffs; those that run at the provider stand beside
    its functions."""
    shown, own = schemas(tools, handoffs), tools or ()
    others = [tool for tool in own if not isinstance(tool, FunctionTool)]
    return {"tools": shown, **hosted_tools(others, shown)}


def answer_format(output: Any) -> Body:
    """What a body says of the shape of an answer.

    Args:
        output: as an agent, or a request, has it; None for a text.
    """
    if (shape := answer_schema(output)) is None:
        return {}
    shown = {"name": shape.name, "schema": shape.schema}
    return {"text": {"format": {"type": "json_schema", **shown}}}


def port_for(port: ContextPort, tools: Iterable[Any] | None) -> ContextPort:
    """The port for a request with these tools."""
    functions = [tool for tool in tools or () if isinstance(tool, FunctionTool)]
    return port.for_tools(reads_back=len(schemas(functions, ())) < len(functions))


def function_tools(port: ContextPort) -> list[FunctionTool]:
    """The tools with which an agent's model reads back; none where the context has none."""

    async def answer(name: str, context: ToolContext[Any], arguments: str) -> str:
        return await port.aanswer(name, arguments)

    return [
        FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=tool.parameters,
            on_invoke_tool=partial(answer, tool.name),
            strict_json_schema=False,
        )
        for tool in port.tools()
    ]
