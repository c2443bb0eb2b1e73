"""The tools of an ADK request, and only those of the step in it (context-packs.md#tools)."""

from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from contextwright.session.event import Tool

OWN = frozenset({"transfer_to_agent", "set_model_response"})
"""Tools that ADK itself adds: no scope of ours takes them away."""


def tools_of(request: LlmRequest) -> tuple[Tool, ...]:
    """The functions that a request declares, each name once."""
    tools: dict[str, Tool] = {}
    for declared in _declarations(request):
        if declared.name and declared.name not in tools and declared.name not in OWN:
            tools[declared.name] = Tool(
                name=declared.name,
                description=declared.description or "",
                parameters=_schema(declared),
            )
    return tuple(tools.values())


def keep_only(request: LlmRequest, names: tuple[str, ...]) -> None:
    """Take the functions that are not named out of a request; what is no function stays."""
    allowed = {*names, *OWN}
    tools: list[Any] = []
    for tool in (request.config.tools if request.config else None) or []:
        left = _left(tool, allowed) if isinstance(tool, types.Tool) else tool
        tools += [left] if left is not None else []
    if request.config:
        request.config.tools = tools or None
    request.tools_dict = {
        name: tool
        for name, tool in request.tools_dict.items()
        if name in allowed or not _declares(tool)
    }


def _left(tool: types.Tool, allowed: set[str]) -> types.Tool | None:
    """A tool with these functions only; None where nothing is left of it."""
    if not tool.function_declarations:
        return tool
    left = [one for one in tool.function_declarations if one.name in allowed]
    bare = tool.model_copy(update={"function_declarations": left or None})
    return bare if bare.model_dump(exclude_none=True) else None


def _declares(tool: Any) -> bool:
    return tool._get_declaration() is not None


def _declarations(request: LlmRequest) -> list[types.FunctionDeclaration]:
    tools = (request.config.tools if request.config else None) or []
    return [
        one
        for tool in tools
        if isinstance(tool, types.Tool)
        for one in tool.function_declarations or ()
    ]


def _schema(declared: types.FunctionDeclaration) -> dict[str, Any]:
    """Its arguments as JSON Schema."""
    if isinstance(declared.parameters_json_schema, dict):
        return declared.parameters_json_schema
    if declared.parameters is None:
        return {}
    dumped = declared.parameters.model_dump(mode="json", exclude_none=True)
    return _lowered(dumped)


def _lowered(schema: Any) -> Any:
    """Gemini's `OBJECT` as JSON Schema's `object`."""
    if isinstance(schema, dict):
        pairs: dict[str, Any] = schema
        return {
            key: value.lower() if key == "type" and isinstance(value, str) else _lowered(value)
            for key, value in pairs.items()
        }
    if isinstance(schema, list):
        items: list[Any] = schema
        return [_lowered(item) for item in items]
    return schema
