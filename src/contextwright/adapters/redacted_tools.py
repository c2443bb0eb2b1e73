"""What a spec makes of the tools that a framework hands over with its request: what is said of them
is redacted, and those that are not in scope are left out."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from contextwright.adapters.port import Body
from contextwright.errors import SpecError
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
    """A framework's tools as a compiled body has them: without those that it leaves out, and with
    copies, of their types, of those of which a model is shown something else. What a body does not
    show, such as a provider's own tools, stays.

    Args:
        body: as it was given to be compiled.
    """
    out, changed = _differences(body, compiled)
    left = [tool for tool in tools if not out or _name(tool) not in out]
    return [_with_changes(tool, changed) for tool in left] if changed else left


def expect_same_tools(body: Body, compiled: Body, fix: str = "") -> Body:
    """The compiled body, where its tools are the same, for a hook that hands over messages alone.

    Args:
        body: as it was given to be compiled.
        fix: what does it instead; by default what to do about the tools.

    Raises:
        SpecError: it leaves tools out, or says something else of them.
    """
    out, changed = _differences(body, compiled)
    for names, what, other in (
        (out, "leaves out", "give the agent the tools in scope alone"),
        (changed, "redacts something of", "take it out of what is said of them"),
    ):
        if names:
            raise SpecError(
                f"the spec {what} tools, which this framework's hook can not change",
                where=f"the tools {', '.join(sorted(names))}",
                fix=fix or other,
            )
    return compiled


def answer_tools(tools: Iterable[Any], body: Body, compiled: Body) -> list[Any]:
    """`redacted_tools` of those by which an answer that is data comes: without them none does.

    Raises:
        SpecError: one is not in the spec's scope.
    """
    own = list(tools)
    left = redacted_tools(own, body, compiled)
    if len(left) < len(own):
        names = ", ".join(repr(_name(tool)) for tool in own)
        raise SpecError(
            f"the spec leaves out a tool by which the answer comes: {names}",
            where="C.tools(...)",
            fix=f"name it among the tools in scope: C.tools(..., {names})",
        )
    return left


def _differences(body: Body, compiled: Body) -> tuple[set[str], dict[str, tuple[str, Any]]]:
    """The names of tools that a compiled body leaves out, and what it says of others by theirs."""
    own, shown = dict(_tools(body)), dict(_tools(compiled))
    both = own.keys() & shown.keys()
    return own.keys() - both, {name: shown[name] for name in both if own[name] != shown[name]}


def _name(tool: Any) -> str:
    if isinstance(tool, dict):
        return str((tool.get("function") or tool).get("name") or "")
    names = (getattr(tool, fields.name, None) for fields in _FIELDS)
    return str(next(filter(None, names), ""))


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
