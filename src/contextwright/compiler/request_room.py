"""What a request may have: the limit of its spec, or the window shared out among layers, less what
is no block."""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.layout import layout_of
from contextwright.compiler.plan import Plan
from contextwright.compiler.trace import Tracer
from contextwright.errors import StepError
from contextwright.memo.by_identity import NEWEST, same_objects
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import LayerShares, Terminal
from contextwright.tasks.allocation import Allocation, allocate
from contextwright.tasks.layers import least_needs, needs_of
from contextwright.tasks.payload import cost_of_form
from contextwright.tasks.signals import signals_of, window_of

_MESSAGES = attrgetter("messages")


class _Bare(NamedTuple):
    """Tokens of a request without blocks, by the very objects that it is made of, and by the names
    of what the session called."""

    parts: tuple[object, ...]
    called: tuple[str, ...]
    tokens: int


def limit_of(terminal: Terminal | None, target: Target) -> int:
    """Tokens that a request may have: what the spec allows, if the model takes as many, without
    what its caller puts into this very request."""
    most = target.max_input
    if terminal is None:
        return most
    return max(1, min(most, terminal.limit(most), terminal.limit(target.window) - _added(target)))


def _added(target: Target) -> int:
    """Tokens of what others put into the request within the limit that the spec names."""
    return target.reserved_system if "reserved_system" in target.overrides else 0


def room_of(
    planned: Plan,
    assembled: Assembled,
    inputs: Inputs,
    tracer: Tracer,
    target: Target,
    renderer: Renderer,
) -> BudgetState:
    """What the blocks of a request may have."""
    with_tools = _tokens_of_no_block(assembled, inputs, target, renderer)
    form = cost_of_form(target) if assembled.payload else 0
    markers = inputs.markers(assembled.blocks)
    fixed = with_tools + renderer.margin(target) + form + markers
    terminal = planned.terminal
    layers = terminal.layers if terminal is not None else None
    if terminal is None or layers is None:
        limit, later = limit_of(terminal, target), inputs.after(0)
        room = BudgetState(limit, fixed, later, tracer, with_tools, markers)
        if terminal is None or not (added := _added(target)):
            return room
        return msgspec.structs.replace(room, named=terminal.limit(target.window), added=added)
    toolless = msgspec.structs.replace(assembled, tools=(), called=())
    bare = _measured(toolless, inputs, target, renderer)
    parts = _markers_by_layer(assembled.blocks, inputs)
    parts |= {"system": bare, "tools": with_tools - bare}
    parts["task"] = parts.get("task", 0) + fixed - with_tools - markers
    signals = signals_of(inputs.snapshot, assembled.blocks, inputs.now_ms)
    shared = _sharing(layers, assembled.blocks, inputs, target, parts, signals, repr(terminal))
    allocation = shared(_window(layers, inputs, target))
    limit = min(allocation.limit, target.max_input)
    space = limit, fixed, inputs.after(0), tracer, with_tools, markers
    return BudgetState(*space, allocation, shared, parts, signals)


def _markers_by_layer(blocks: Blocks, inputs: Inputs) -> dict[str, int]:
    """Tokens of the markers that texts of each layer share: they go with the last of them."""
    layers = dict.fromkeys(block.layer for block in blocks if not block.messages)
    of_layer = {one: tuple(block for block in blocks if block.layer is one) for one in layers}
    return {layer.label: inputs.markers(texts) for layer, texts in of_layer.items()}


def _tokens_of_no_block(
    assembled: Assembled, inputs: Inputs, target: Target, renderer: Renderer
) -> int:
    """Tokens of a request that has no block but the instruction, measured once while it is the
    same."""
    table = inputs.memo.table("request without blocks", brief=True)
    known: _Bare | None = table.known(NEWEST)
    words = map(_MESSAGES, assembled.system)
    parts = (target, len(assembled.system), *words, *assembled.tools)
    if known is not None and known.called == assembled.called and same_objects(known.parts, parts):
        return known.tokens
    tokens = _measured(assembled, inputs, target, renderer)
    if target.sources is None:  # else it would hold its session's log
        table[NEWEST] = _Bare(parts, assembled.called, tokens)
    return tokens


def _measured(assembled: Assembled, inputs: Inputs, target: Target, renderer: Renderer) -> int:
    empty = layout_of(assembled, (), inputs, target)
    return renderer.measure(renderer.request(empty, target), target)


def _window(layers: LayerShares, inputs: Inputs, target: Target) -> int:
    named = window_of(layers.max_tokens, inputs.snapshot.state)
    return min(named or target.window, target.window)


def _sharing(
    layers: LayerShares,
    blocks: Blocks,
    inputs: Inputs,
    target: Target,
    parts: dict[str, int],
    signals: dict[str, int],
    where: str,
) -> Callable[[int], Allocation]:
    """Shares a window out; a step that only fits once its examples and its background are
    shortened is not refused.

    Args:
        parts: tokens of what is not a block, by layer.
        signals: what shifts the shares, in millionths.
        where: the terminal as code, for an error.
    """
    reserved = target.reserved_output + target.reserved_system

    def shared(window: int, needs: dict[str, int]) -> Allocation:
        return allocate(
            window,
            signals,
            profile=layers.profile,
            preset=layers.preset,
            needs=needs,
            least_slack=max(0, reserved - (target.window - window)),
            where=where,
        )

    def sharing(window: int) -> Allocation:
        try:
            return shared(window, needs_of(blocks, inputs.cost, parts))
        except StepError:
            return shared(window, least_needs(blocks, inputs.cost, parts))

    return sharing
