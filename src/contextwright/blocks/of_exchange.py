"""From an exchange of the log to the block that carries it."""

from collections.abc import Sequence

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.ref import event_ref
from contextwright.session.event import AnyPart, Event, Opaque, Text, ToolCall, ToolResult
from contextwright.session.exchange import Exchange

HISTORY = "history"
"""The source of an exchange as the log has it; so most specs bring it."""
INTERRUPTED = "[no result: the call was interrupted]"
PENDING = "[no result yet]"
_ELSEWHERE: dict[str, tuple[type[AnyPart], ...]] = {
    "assistant": (ToolResult,),
    "tool": (ToolCall,),
    "user": (ToolCall, ToolResult),
    "system": (ToolCall, ToolResult),
}
"""By role the parts that belong to another one."""


def block_of(exchange: Exchange) -> Block:
    """The raw block of an exchange: the assistant's message, then a result for every call.

    A call that nothing answered gets a result that says so
    (rules.md#whole-exchanges): no provider accepts a call without one. Results stand in the order
    of the calls, each once: the last that came.
    """
    first = exchange.events[0]
    is_words = len(exchange.events) == 1 and not (exchange.results or exchange.open_calls)
    calls = first.calls if not is_words and first.role == "assistant" else ()
    return Block(
        id=first.id,
        source=HISTORY,
        messages=_called(exchange, calls) if calls else (_message(first),),
        turn=exchange.turn,
        order=exchange.index,
        ref=event_ref(first.id),
        lineage=(first.id,) if is_words else exchange.ids,
        pinned=first.is_pinned if is_words else exchange.pinned,
        failed=not is_words and exchange.failed,
    )


def messages_of_events(events: Sequence[Event]) -> tuple[Message, ...] | None:
    """The messages of an exchange as its block has them, told from its events alone: of one message
    of words, or of calls that have one result each; None of any other."""
    if len(events) > 1:
        return messages_of_calls(events)
    first = events[0]
    is_words = not any(isinstance(part, (ToolCall, ToolResult)) for part in first.parts)
    return (_message(first),) if is_words else None


def messages_of_calls(events: Sequence[Event]) -> tuple[Message, Message] | None:
    """The messages of an exchange whose calls have one result each, as its block has them, told
    from its events alone; None of any other."""
    first, last = events[0], events[-1]
    results: dict[str, AnyPart] = {}
    for event in events[1:]:
        for part in event.parts:
            if not isinstance(part, ToolResult) or part.call_id in results:
                return None
            results[part.call_id] = part
    calls: list[str] = []
    for part in first.parts:
        if isinstance(part, ToolCall):
            calls.append(part.id)
        elif isinstance(part, ToolResult):
            return None
    if first.role != "assistant" or not calls:
        return None
    if len(calls) != len(results) or set(calls) != results.keys():
        return None
    answers = tuple([results[id] for id in calls])
    return (
        Message("assistant", first.parts, first.id, first.speaker),
        Message("tool", answers, last.id, last.speaker),
    )


def _message(event: Event) -> Message:
    """The message of an event. What stands in the wrong role's message, as an imported file may
    have it, is not sent as a call or a result; the manifest names it."""
    parts, wrong = event.parts, _ELSEWHERE[event.role]
    for part in parts:
        if isinstance(part, wrong):
            parts = tuple([_misplaced(p, event) if isinstance(p, wrong) else p for p in parts])
            break
    return Message(event.role, parts, event.id, event.author or event.role)


def _misplaced(part: AnyPart, event: Event) -> AnyPart:
    return Opaque(format="contextwright", kind=f"misplaced in a {event.role} message")


def _called(exchange: Exchange, calls: Sequence[ToolCall]) -> tuple[Message, Message]:
    """The assistant's message and the answers. Calls that share an id are told apart by their
    place, and take the results of that id in the order in which those came."""
    first, last = exchange.events[0], exchange.events[-1]
    newest = exchange.mark == "open"
    called, results = first.parts, exchange.results
    if len(calls) == 1 or len({call.id for call in calls}) == len(calls):
        answers = [results.get(call.id) for call in calls]
    else:
        called, answers = _told_apart(exchange)
        calls = [part for part in called if isinstance(part, ToolCall)]
    parts = [
        answer or _missing(call.id, call.name, newest)
        for call, answer in zip(calls, answers, strict=True)
    ]
    id = last.id if last is not first else ""
    speaker = last.speaker if last is not first else "tool"
    return (
        Message("assistant", called, first.id, first.speaker),
        Message("tool", tuple(parts), id, speaker),
    )


def _told_apart(exchange: Exchange) -> tuple[tuple[AnyPart, ...], list[ToolResult | None]]:
    waiting: dict[str, list[ToolResult]] = {}
    for event in exchange.events:
        for result in event.results:
            waiting.setdefault(result.call_id, []).append(result)
    parts: list[AnyPart] = []
    answers: list[ToolResult | None] = []
    for part in exchange.first.parts:
        if not isinstance(part, ToolCall):
            parts.append(part)
            continue
        id = part.id if len(answers) == 0 else f"{part.id}~{len(answers)}"
        results = waiting.get(part.id, [])
        answer = results.pop(0) if results else None
        parts.append(msgspec.structs.replace(part, id=id))
        answers.append(msgspec.structs.replace(answer, call_id=id) if answer else None)
    return tuple(parts), answers


def _missing(call_id: str, name: str, newest: bool) -> ToolResult:
    return ToolResult(
        call_id=call_id,
        name=name,
        content=(Text(text=PENDING if newest else INTERRUPTED),),
        status="pending" if newest else "interrupted",
    )
