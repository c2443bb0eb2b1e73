"""A request that is its caller's own body, with only the context replaced."""

from collections.abc import Mapping
from itertools import islice, zip_longest
from typing import Any

import msgspec

from contextwright.blocks.block import Block
from contextwright.formats.fields import Json, object_if
from contextwright.render.idle_choice import without_idle_choice
from contextwright.render.message_layout import Layout, Section
from contextwright.render.source_messages import SourceMessages
from contextwright.render.source_wires import SourceWire


class Instruction(msgspec.Struct, frozen=True):
    """What a request's system part is made of.

    Args:
        own: blocks of the system text that stood in a field of the body.
        messages: blocks of system messages that stood among the others, in front of them all.
        context: what the engine puts behind them.
    """

    own: tuple[Block, ...]
    messages: tuple[Block, ...]
    context: tuple[Section, ...]


def instruction_of(layout: Layout, sources: SourceMessages, *, field: bool) -> Instruction:
    """The system part of a layout.

    Args:
        field: whether the body has a field for its system text: then that is its first event.
    """
    own: list[Block] = []
    messages: list[Block] = []
    shown: set[str] = set()
    for block in layout.instruction:
        source = sources.of_event(block.id)
        if source is None:
            continue
        shown.add(block.id)
        (own if field and source.message.at == 0 else messages).append(block)
    context = tuple(one for one in layout.system if not shown.intersection(one.ids))
    return Instruction(tuple(own), tuple(messages), context)


def with_context(
    sources: SourceMessages, context: Mapping[str, Any], keys: tuple[str, ...], model: str
) -> Json:
    """The body with its context replaced, its keys in their order.

    Args:
        context: the fields that are sent now; of `keys`, those that are not in it go.
        keys: the fields that hold context.
        model: whom it is for.
    """
    request: Json = {}
    for key, value in sources.body.fields.items():
        if key not in keys:
            own = sources.redaction.parameter(key, value, sources.body.format)
            request[key] = own if key != "model" else model
        elif key in context:
            request[key] = context[key]
    request |= {key: item for key, item in context.items() if key not in request}
    return without_idle_choice(request) if _lost_tools(sources, request) else request


def _lost_tools(sources: SourceMessages, request: Json) -> bool:
    return bool(sources.body.fields.get("tools")) and not request.get("tools")


def with_moving_breakpoints(wires: list[Any], sources: SourceMessages) -> list[Any]:
    """The messages with the breakpoints that their caller's newest list has."""
    if not sources.breakpoints:
        return wires
    return [
        sources.marked(wire, wire.source.at) if isinstance(wire, SourceWire) else wire
        for wire in wires
    ]


def in_order_of_body(wires: list[Any]) -> list[Any]:
    """The messages in the order in which the body has them: where a provider lets calls and
    their results stand among others', exchanges come apart. What is not of the body stays behind
    what it stood behind."""
    places: list[int] = []
    for wire in wires:
        at = wire.source.at if isinstance(wire, SourceWire) else (places[-1] if places else -1)
        places.append(at)
    order = sorted(range(len(wires)), key=places.__getitem__)
    return [wires[n] for n in order]


def is_as_it_came(wires: list[Any], sources: SourceMessages, *, skipped: int) -> bool:
    """Whether the messages are the body's, all of them, untouched.

    Args:
        skipped: how many of the body's first messages stand in a field of their own.
    """
    # both end at the first that is another: what a step made stands among the first
    if not all(isinstance(wire, SourceWire) and wire.as_it_came for wire in wires):
        return False
    places = dict.fromkeys(wire.source.at for wire in wires)
    whole = islice((message.at for message in sources.all()), skipped, None)
    return all(one == other for one, other in zip_longest(places, whole))


def is_touched(wire: Json) -> bool:
    """Whether a message is not as it came."""
    return not isinstance(wire, SourceWire) or wire.touched


def deep(request: Json, path: tuple[str, ...]) -> Any:
    """What stands in a field of a field; None where nothing does."""
    value: Any = request
    for key in path:
        value = object_if(value).get(key)
    return value


def merged(request: Json, fields: Mapping[str, Any]) -> Json:
    """The request with these fields; what holds fields itself keeps those that are not said."""
    for key, value in fields.items():
        before = request.get(key)
        inner = object_if(before) if isinstance(value, dict) else {}
        request[key] = {**inner, **value} if inner else value
    return request
