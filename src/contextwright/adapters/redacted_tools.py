"""What a spec makes of the tools that a framework hands over with its request: what is said of them
is redacted, and those that are not in scope are left out; what it makes of other arguments."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from contextwright.adapters.opaque_parts import data_of, part_with
from contextwright.adapters.port import Body
from contextwright.errors import SpecError
from contextwright.formats.record_copies import copy_with, with_method
from contextwright.render.parameters import OWN

HOSTED = "framework_tools"
"""Where a body has what its framework's tools say that are no functions."""


_OPTIONS = "framework_options"
"""Where it has what other arguments say."""
_PARAMETERS = OWN["openai-chat"] | {"model", "tools", "instructions", "conversation_id"}
"""Arguments that a body has already, or whose words are the provider's."""


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
    show at all stays.

    Args:
        body: as it was given to be compiled.
    """
    out, changed = _differences(body, compiled)
    left = [tool for tool in tools if not out or _name(tool) not in out]
    if compiled.get(HOSTED) != (own := body.get(HOSTED)):
        pairs = list(zip(own or (), compiled.get(HOSTED) or (), strict=True))
        left = [_hosted_with(tool, pairs) for tool in left]
    return [_with_changes(tool, changed) for tool in left] if changed else left


def hosted_tools(tools: Iterable[Any], shown: Iterable[Mapping[str, Any]]) -> Body:
    """What of a framework's tools a body does not show as functions, such as a provider's own: as
    data beside its messages, where nobody counts it and a redaction looks at it.

    Args:
        shown: the functions, each with its name.
    """
    names = {str(each.get("name")) for each in shown}
    others = [data_of(tool) for tool in tools if _name(tool) not in names]
    return {HOSTED: others} if others else {}


def _hosted_with(tool: Any, pairs: Sequence[tuple[Any, Any]]) -> Any:
    own = data_of(tool)
    return next((part_with(tool, now) for was, now in pairs if was == own), tool)


def words_of_options(options: Mapping[str, Any] | None, shown: Iterable[Mapping[str, Any]]) -> Body:
    """What a framework's arguments beside its messages say and no field of a body shows, as data.

    Args:
        options: those that may hold words, `tools` among them. shown: as `hosted_tools` says.
    """
    own = options or {}
    body = hosted_tools(own.get("tools") or (), shown)
    words = {key: data_of(item) for key, item in own.items() if key not in _PARAMETERS}
    return {**body, _OPTIONS: words} if words else body


def with_words_of_options(options: Mapping[str, Any], compiled: Body) -> dict[str, Any]:
    """The arguments with what a compiled body says in them; without tools, where there are some."""
    new = {key: options[key] for key in options if key != "tools" or not options[key]}
    words = compiled.get(_OPTIONS) or {}
    return new | {key: part_with(new[key], words[key]) for key in words.keys() & new.keys()}


def expect_same_tools(body: Body, compiled: Body, fix: str = "") -> Body:
    """The compiled body, where its tools are the same, for a hook that hands over messages alone.

    Args:
        body: as it was given to be compiled.
        fix: what does it instead; by default what to do about the tools.

    Raises:
        SpecError: it leaves tools out, or says something else of them.
    """
    out, changed = _differences(body, compiled)
    if compiled.get(HOSTED) != body.get(HOSTED):
        changed = {**changed, "that run at a provider": ("", None)}
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
