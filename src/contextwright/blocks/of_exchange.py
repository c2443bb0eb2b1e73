"""From an exchange of the log to the block that carries it."""

from contextwright.blocks.block import Block, Message
from contextwright.blocks.ref import event_ref
from contextwright.session.event import Event, Text, ToolResult
from contextwright.session.exchange import Exchange

INTERRUPTED = "[no result: the call was interrupted]"
PENDING = "[no result yet]"


def block_of(exchange: Exchange, source: str = "log") -> Block:
    """The raw block of an exchange: the assistant's message, then a result for every call.

    A call that nothing answered gets a result that says so (design §5.1): no provider accepts
    a call without one. Results stand in the order of the calls, each once: the last that came.
    """
    first = exchange.first
    messages = [_message(first)]
    if exchange.calls:
        messages.append(_answers(exchange))
    return Block(
        id=first.id,
        source=source,
        messages=tuple(messages),
        turn=exchange.turn,
        order=exchange.index,
        ref=event_ref(first.id),
        lineage=exchange.ids,
        pinned=exchange.pinned,
        failed=exchange.failed,
    )


def _message(event: Event) -> Message:
    return Message(event.role, event.parts, event.id, event.speaker)


def _answers(exchange: Exchange) -> Message:
    newest = exchange.mark == "open"
    parts = tuple(
        exchange.results.get(call.id) or _missing(call.id, call.name, newest)
        for call in {call.id: call for call in exchange.calls}.values()
    )
    last = exchange.events[-1]
    return Message("tool", parts, last.id if last is not exchange.first else "", last.speaker)


def _missing(call_id: str, name: str, newest: bool) -> ToolResult:
    return ToolResult(
        call_id=call_id,
        name=name,
        content=(Text(text=PENDING if newest else INTERRUPTED),),
        status="pending" if newest else "interrupted",
    )
