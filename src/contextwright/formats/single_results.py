"""Sessions whose tool messages hold one result each, as the messages of most formats do."""

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from contextwright.formats.provenance import FreeIds, origins
from contextwright.session.event import Event, File, Image, Opaque, Text, ToolResult
from contextwright.session.session import Session, StateChange


def with_single_results(session: Session, format: str) -> Session:
    """The session as a format writes it: an event of several results is one for each, and what a
    tool said beside its results is of the result in front of it. What answers no call is no
    result: it comes as the user's, as in all formats.

    Args:
        format: events that were read from it go back into their records as they are.
    """
    if all(_is_single(event, format) for event in session.log):
        return session
    ids = FreeIds(event.id for event in session.log)
    single = Session(session.id, tools=session.tools, metadata=session.metadata)
    places = [0]  # by the position of an event, how many events stand in front of it now
    events: list[Event] = []
    for event in session.log:
        events += [event] if _is_single(event, format) else _split(event, ids)
        places.append(len(events))
    single.extend(events)
    single.state = session.state
    single.changes = [StateChange(places[one.position], one.values) for one in session.changes]
    return single


def _is_single(event: Event, format: str) -> bool:
    if event.role != "tool" or origins(event, format):
        return True
    return len(event.parts) == 1 and isinstance(event.parts[0], ToolResult)


def _split(event: Event, ids: FreeIds) -> Iterator[Event]:
    results: list[ToolResult] = []
    front: list[Any] = []  # what stands in front of the first result
    others: list[Any] = []
    for part in event.parts:
        if isinstance(part, ToolResult):
            content = (*front, *part.content)
            results.append(structs.replace(part, content=content) if front else part)
            front = []
        elif not isinstance(part, Text | Image | File | Opaque):
            others.append(part)
        elif results:
            results[-1] = structs.replace(results[-1], content=(*results[-1].content, part))
        else:
            front.append(part)
    id = event.id
    for result in results:
        yield structs.replace(event, id=id, parts=(result,))
        id = ids.take(event.id)
    if front or others or not results:
        yield structs.replace(event, id=id, role="user", parts=(*front, *others))
