"""A breakpoint behind the task: what a step moves stands behind it, so a cache still has what
stands in front (rules.md#caching, ADR 126)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from contextwright.blocks.block import Block
from contextwright.memo.by_identity import NEWEST
from contextwright.memo.ownership import owned_table
from contextwright.render.breakpoints import MARKABLE, MarkedTask, with_mark
from contextwright.render.known_wires import tokens_of_tools, wires_alone
from contextwright.render.wire import Wire

if TYPE_CHECKING:
    from contextwright.render.alternate import AlternatingRenderer
    from contextwright.render.target import Target


class _Known(msgspec.Struct, frozen=True, eq=False):
    """What was made for the newest request, and what that followed from."""

    first: Wire
    frame: tuple[list[Wire], Any]  # tools, and system text
    task: MarkedTask | None


def marked_task(
    renderer: "AlternatingRenderer", blocks: Sequence[Block], request: Wire, target: "Target"
) -> MarkedTask | None:
    """The first message with the task marked; None where no message of the user's leads a request,
    or a cache takes none as short as what is up to there.

    Args:
        blocks: that the messages were made of.
        request: its messages, system text and tools, without breakpoints of ours.
    """
    messages: list[Wire] = request["messages"]
    if not messages:
        return None
    first, frame = messages[0], _frame(request)
    key = ("behind the task", target.format, target.model, target.counter.id)
    table = owned_table(key, brief=True)
    known: _Known | None = None if table is None else table.known(NEWEST)
    if known is not None and known.first is first and known.frame == frame:
        return known.task
    task = _made(renderer, blocks, request, target)
    if table is not None:
        table[NEWEST] = _Known(first, frame, task)
    return task


def _frame(request: Wire) -> tuple[list[Wire], Any]:
    """Tools and system text as they are now: breakpoints are written into these later."""
    system: Any = request.get("system")
    if isinstance(system, list):
        system = [{**part} for part in cast("list[Wire]", system)]
    return [*(request.get("tools") or ())], system


def _made(
    renderer: "AlternatingRenderer", blocks: Sequence[Block], request: Wire, target: "Target"
) -> MarkedTask | None:
    first: Wire = request["messages"][0]
    parts = renderer.parts_in(first)
    count = _parts_of_task(renderer, blocks, target)
    if not 0 < count <= len(parts) or parts[count - 1].get("type") not in MARKABLE:
        return None
    if _tokens(renderer, request, parts[:count], target) < target.cache_rules.minimum:
        return None
    marked = {**first, renderer.body: with_mark(parts, count - 1)}
    return MarkedTask(count - 1, marked)


def _parts_of_task(
    renderer: "AlternatingRenderer", blocks: Sequence[Block], target: "Target"
) -> int:
    """Parts up to the end of the first message of the user's; 0 where another speaks before."""
    count = 0
    for block in blocks:
        wires = [wire for _, wire in wires_alone(renderer, block, target).pairs]
        if any(wire.get("role") != "user" for wire in wires):
            return 0
        count += sum(len(renderer.parts_in(wire)) for wire in wires)
        if block.order >= 0 and block.messages[0].role == "user":
            return count
    return 0


def _tokens(
    renderer: "AlternatingRenderer", request: Wire, parts: list[Wire], target: "Target"
) -> int:
    """Tokens of a request up to these parts of its first message."""
    count, tools = target.counter.counting(), renderer.tools_of(request)
    tokens = renderer.overhead.request + renderer.measure_system(request, count)
    tokens += renderer.measure_wire({"role": "user", renderer.body: parts}, count)
    if tools:
        each = renderer.overhead.tool * len(tools) + sum(tokens_of_tools(tools, target))
        tokens += renderer.overhead.tools + each
    return tokens
