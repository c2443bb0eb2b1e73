"""`C.tools(...)`: only the tools that the step needs, in a fixed order (document 001)."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, cast

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layer import CacheClass, Layer
from contextwright.errors import StepError
from contextwright.session.event import Tool
from contextwright.session.snapshot import Snapshot
from contextwright.session.step import PLAN, TOOLS
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb

EXAMPLE = "\ne.g. "
"""What stands between a tool's signature and an example of its arguments."""


class StepTools(Atom, frozen=True, kw_only=True):
    """Of the session's tools, those in scope, in the session's order: others are not sent.

    The scope is what is named here; else what the state key `tools` names; else the tools of
    the step; with none of them, all.

    Args:
        names: the tools in scope.
        examples: whether examples from their schemas stand beside their signatures; they are
            the first to go where room is short.
    """

    word: ClassVar[str] = "tools"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    variadic: ClassVar[str] = "names"

    names: tuple[str, ...] = ()
    examples: bool = True

    def bring(self, inputs: Inputs) -> Blocks:
        """A block a tool in a payload: its signature, and an example where its schema has one.
        Elsewhere the request's own list of tools says it all."""
        if not inputs.framed:
            return ()
        given = inputs.tools
        sent = scoped(given, self.scope(inputs.snapshot))
        return tuple(self._block(tool) for tool in sent)

    def scope(self, snapshot: Snapshot) -> frozenset[str] | None:
        """The names in scope; None for all."""
        if self.names:
            return frozenset(self.names)
        plan: Any = snapshot.state.get(PLAN)
        named: Any = snapshot.state.get(TOOLS)
        if named is None and isinstance(plan, Mapping):
            named = cast("Mapping[str, Any]", plan).get("tools")
        return None if named is None else _names(named)

    def _block(self, tool: Tool) -> Block:
        text = signature(tool)
        example = _example(tool) if self.examples else ""
        return Block(
            id=f"tool:{tool.name}",
            source="tools",
            layer=Layer.TOOLS,
            text=text + (EXAMPLE + example if example else ""),
            tier=1,
            cache=CacheClass.DYNAMIC,
            lineage=(f"tool:{tool.name}",),
        )


def _names(named: Any) -> frozenset[str]:
    """The names that a state value gives: a name, names, or schemas by or with their names.

    Raises:
        StepError: it is none of these; then no scope can be read, and nothing is let through.
    """
    items: list[Any] = [named] if isinstance(named, str) else []
    if isinstance(named, (list, tuple, Mapping)):
        items = list(cast("Iterable[Any]", named))
    elif not items:
        raise StepError(
            f"a {type(named).__name__} is no scope of tools",
            where=f"state {TOOLS!r}",
            fix="give a list of names; [] for no tool, None for all",
        )
    names = [cast("Any", item).get("name") if isinstance(item, Mapping) else item for item in items]
    return frozenset(name for name in names if isinstance(name, str))


def scoped(tools: Iterable[Tool], scope: frozenset[str] | None) -> tuple[Tool, ...]:
    """The tools in scope, in their order."""
    return tuple(tool for tool in tools if scope is None or tool.name in scope)


def signature(tool: Tool) -> str:
    """`search_web(query, max_results?)`: the names of its arguments."""
    properties: Any = tool.parameters.get("properties", {})
    required: Any = tool.parameters.get("required", properties)
    if not isinstance(properties, dict):
        return f"{tool.name}()"
    required = required if isinstance(required, (list, tuple, dict)) else ()
    names = [name if name in required else f"{name}?" for name in properties]
    return f"{tool.name}({', '.join(names)})"


def without_example(text: str) -> str:
    """A tool's line without its example."""
    return text.partition(EXAMPLE)[0]


def _example(tool: Tool) -> str:
    examples: Any = tool.parameters.get("examples")
    if not isinstance(examples, (list, tuple)) or not examples:
        return ""
    try:
        return msgspec.json.encode(examples[0], order="sorted").decode()  # pyright: ignore
    except UnicodeEncodeError:
        return ""
