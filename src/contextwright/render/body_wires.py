"""The messages of a block whose session was read from a body of the target's own format."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.source_messages import EventSource, SourceMessages
from contextwright.render.source_wires import Entry, entries_of, source_wire, takes_new_parts
from contextwright.render.wire import Wire

if TYPE_CHECKING:
    from contextwright.render.renderer import Renderer
    from contextwright.render.target import Target


def body_wires(
    renderer: "Renderer",
    block: Block,
    draft: RequestDraft,
    target: "Target",
    sources: SourceMessages,
) -> Iterator[tuple[str, Wire]]:
    """The messages of a block, each with the event that it comes from: what came with the body as
    it came, what was touched made anew in its place, and what came later as for any session."""
    calls = draft.calls(block, as_they_came=sources.of_event(block.id) is not None)
    for message in block.messages:
        where = message.event_id or block.id
        if message.role == "tool":
            wires = _results(renderer, block, message, calls, draft, target, sources)
        else:
            wires = _message(renderer, message, where, calls, draft, target, sources)
        for wire in wires:
            yield where, wire


def _message(
    renderer: "Renderer",
    message: Message,
    where: str,
    calls: BlockCalls,
    draft: RequestDraft,
    target: "Target",
    sources: SourceMessages,
) -> Iterator[Wire]:
    source = sources.of_event(message.event_id)
    entries = entries_of(source, message.parts) if source is not None else []
    put_in = any(entry.place < 0 for entry in entries)
    if source is None or (put_in and not takes_new_parts(source.message)):
        wires = renderer.message_wires(message, where, calls, draft, target)
        yield from (_named(wire, message, source) for wire in wires)
        return
    made = partial(renderer.part_wires, message=message, where=where, calls=calls, draft=draft)
    wire = source_wire(source.message, entries, sources.form, made)
    if wire is not None:
        yield wire


def _named(wire: Wire, message: Message, source: EventSource | None) -> Wire:
    """A message made anew, with the name of who speaks where it came with one."""
    came: Any = source.message.data if source is not None else None
    is_named = isinstance(came, dict) and {"role", "name"}.issubset(came)
    return {**wire, "name": message.author} if is_named and message.author else wire


def _results(
    renderer: "Renderer",
    block: Block,
    message: Message,
    calls: BlockCalls,
    draft: RequestDraft,
    target: "Target",
    sources: SourceMessages,
) -> Iterator[Wire]:
    known = sources.of_results(block, message)
    made = partial(renderer.part_wires, message=message, where=block.id, calls=calls, draft=draft)
    for _, group in groupby(known, key=lambda each: each[2].message.at):
        results = list(group)
        source = results[0][2].message
        entries = [
            Entry(place, part, touched=source.parts[place] != part) for part, place, _ in results
        ]
        wire = source_wire(source, entries, sources.form, made)
        if wire is not None:
            yield wire
    came = {id(part) for part, _, _ in known}
    rest = tuple(part for part in message.parts if id(part) not in came)
    if rest:
        later = msgspec.structs.replace(message, parts=rest)
        yield from renderer.message_wires(later, block.id, calls, draft, target)
