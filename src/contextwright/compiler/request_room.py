"""What a request may have: the limit of its spec, or the window shared out among layers, less what
is no block."""

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.layout import layout_of
from contextwright.compiler.plan import Plan
from contextwright.compiler.trace import Tracer
from contextwright.errors import StepError
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import LayerShares, Terminal
from contextwright.tasks.allocation import Allocation, allocate
from contextwright.tasks.layers import least_needs, needs_of
from contextwright.tasks.payload import cost_of_form
from contextwright.tasks.signals import signals_of, window_of


def limit_of(terminal: Terminal | None, target: Target) -> int:
    """Tokens that a request may have: what the spec allows, if the model takes as many, without
    what its caller puts into this very request."""
    most = target.max_input
    if terminal is None:
        return most
    added = target.reserved_system if "reserved_system" in target.overrides else 0
    return max(1, min(most, terminal.limit(most), terminal.limit(target.window) - added))


def room_of(
    planned: Plan,
    assembled: Assembled,
    inputs: Inputs,
    tracer: Tracer,
    target: Target,
    renderer: Renderer,
) -> BudgetState:
    """What the blocks of a request may have."""
    empty = layout_of(assembled, (), inputs, target)
    with_tools = renderer.measure(renderer.request(empty, target), target)
    form = cost_of_form(target) if assembled.payload else 0
    fixed = with_tools + renderer.margin(target) + form
    terminal = planned.terminal
    layers = terminal.layers if terminal is not None else None
    if terminal is None or layers is None:
        return BudgetState(limit_of(terminal, target), fixed, inputs.after(0), tracer, with_tools)
    toolless = msgspec.structs.replace(empty, tools=(), called=())
    bare = renderer.measure(renderer.request(toolless, target), target)
    parts = {"system": bare, "tools": with_tools - bare, "task": fixed - with_tools}
    signals = signals_of(inputs.snapshot, assembled.blocks, inputs.now_ms)
    allocation = _allocation(
        layers, assembled.blocks, inputs, target, parts, signals, repr(terminal)
    )
    limit = min(allocation.limit, target.max_input)
    later = inputs.after(0)
    return BudgetState(limit, fixed, later, tracer, with_tools, allocation, parts, signals)


def _allocation(
    layers: LayerShares,
    blocks: Blocks,
    inputs: Inputs,
    target: Target,
    parts: dict[str, int],
    signals: dict[str, int],
    where: str,
) -> Allocation:
    """The window shared out; a step that only fits once its examples and its background are
    shortened is not refused.

    Args:
        parts: tokens of what is not a block, by layer.
        signals: what shifts the shares, in millionths.
        where: the terminal as code, for an error.
    """
    window = min(
        window_of(layers.max_tokens, inputs.snapshot.state) or target.window, target.window
    )
    reserved = target.reserved_output + target.reserved_system

    def shared(needs: dict[str, int]) -> Allocation:
        return allocate(
            window,
            signals,
            profile=layers.profile,
            preset=layers.preset,
            needs=needs,
            least_slack=max(0, reserved - (target.window - window)),
            where=where,
        )

    try:
        return shared(needs_of(blocks, inputs.cost, parts))
    except StepError:
        return shared(least_needs(blocks, inputs.cost, parts))
