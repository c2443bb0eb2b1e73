"""Calls that an export has twice: where a framework and the client that it calls are both traced,
one call of a model is a span within a span, with the same messages."""

from collections.abc import Iterator, Sequence

import msgspec

from contextwright.formats.fields import list_if, object_if
from contextwright.traces.recorded_call import RecordedCall, UnreadCall
from contextwright.traces.span import TraceSpan


def once_each(
    spans: Sequence[TraceSpan], calls: Sequence[tuple[TraceSpan, str, RecordedCall | UnreadCall]]
) -> Iterator[tuple[str, RecordedCall | UnreadCall]]:
    """Each call with its kind; of those that lie within one another and say the same, the outer
    one, and the others as what is not read."""
    parents = {(span.trace, span.id): span.parent for span in spans}
    read = {(span.trace, span.id): call for span, _, call in calls}
    for span, source, call in calls:
        outer = _outer(span, parents, read) if isinstance(call, RecordedCall) else None
        if outer is None:
            yield source, call
        else:
            yield source, UnreadCall(span.where, f"the same call as {outer.where}, around it")


def _outer(
    span: TraceSpan,
    parents: dict[tuple[str, str], str],
    read: dict[tuple[str, str], RecordedCall | UnreadCall],
) -> RecordedCall | None:
    call, place, seen = read[span.trace, span.id], (span.trace, span.parent), set[str]()
    while place in parents and place[1] not in seen:
        around = read.get(place)
        if isinstance(around, RecordedCall) and isinstance(call, RecordedCall):
            if _words(around) == _words(call):
                return around
        seen.add(place[1])
        place = (span.trace, parents[place])
    return None


def _words(call: RecordedCall) -> list[tuple[str, bytes]]:
    """Who said what, whatever else a tool keeps of a message."""
    messages = map(object_if, list_if(call.body.get("messages")))
    return [
        (str(each.get("role")), msgspec.json.encode(each.get("content") or "")) for each in messages
    ]
