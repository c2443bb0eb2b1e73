"""What a spec redacts of the tools that a framework hands over with its request."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from contextwright.adapters.port import Body
from contextwright.formats.record_copies import copy_with, with_method


class ToolFields(NamedTuple):
    """Where a framework has what a model is shown of a tool."""

    name: str
    description: str
    parameters: str


_FIELDS = (
    ToolFields("name", "description", "args_schema"),  # LangChain
    ToolFields("name", "description", "parameters_json_schema"),  # pydantic-ai
    ToolFields("name", "description", "params_json_schema"),  # OpenAI Agents
    ToolFields("tool_name", "tool_description", "input_json_schema"),  # and its handoffs
    ToolFields("name", "description", "parameters"),  # Agent Framework, by a method
)


def redacted_tools(tools: Iterable[Any], body: Body, compiled: Body) -> list[Any]:
    """A framework's tools as a compiled body has them: copies, of their types, of those of which a
    model is shown something else.

    Args:
        body: as it was given to be compiled.
    """
    own, shown = dict(_tools(body)), dict(_tools(compiled))
    changed = {name: shown[name] for name in own.keys() & shown.keys() if own[name] != shown[name]}
    return [_with_changes(tool, changed) for tool in tools] if changed else list(tools)


def _with_changes(tool: Any, changed: Mapping[str, tuple[str, Any]]) -> Any:
    if isinstance(tool, dict):  # a provider's own form, as the framework passes it on
        function: Body = tool.get("function") or tool
        if new := changed.get(str(function.get("name"))):
            function = {**function, "description": new[0], "parameters": new[1]}
        return {**tool, "function": function} if "function" in tool else function
    for fields in _FIELDS:
        new = changed.get(str(getattr(tool, fields.name, None) or ""))
        own = getattr(tool, fields.parameters, None) if new else None
        if new and inspect.ismethod(own):
            described = copy_with(tool, {fields.description: new[0]})
            return with_method(described, fields.parameters, new[1])
        if new and hasattr(tool, fields.parameters):
            return copy_with(tool, {fields.description: new[0], fields.parameters: new[1]})
    return tool


def _tools(body: Body) -> Iterator[tuple[str, tuple[str, Any]]]:
    for tool in body.get("tools") or ():
        function = tool.get("function", tool)
        shown = function.get("description") or "", function.get("parameters")
        yield function.get("name", ""), shown
