"""`C.tools(...)`: only the tools that the step needs, in a fixed order (context-packs.md#tools)."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, cast

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.errors import StepError
from contextwright.session.event import Tool
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.word_roles import ToolScope
from contextwright.tasks.plan_step import PLAN, TOOLS
from contextwright.tasks.tool_lines import EXAMPLE, example_of, scoped, signature


class StepTools(ToolScope, frozen=True, kw_only=True):
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
        sent = scoped(inputs.tools, self.scope(inputs.snapshot))
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
        example = example_of(tool) if self.examples else ""
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
