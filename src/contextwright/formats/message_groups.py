"""Messages and events are not one to one: how each format's messages come back as they were.

A reader makes events of a message; its writer makes a message of those events; what the two
messages differ in is kept beside the first event, and laid over the written one on export.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.extras import residue, restored
from contextwright.session.event import Event

Json = dict[str, Any]
ToEvents = Callable[[Json, str], list[Event]]
"""A message and its place to its events, ids still empty or the source's own."""
ToMessage = Callable[[Sequence[Event]], Json]


def read_messages(
    format: str,
    messages: Iterable[tuple[Any, str]],
    to_events: ToEvents,
    to_message: ToMessage,
) -> Iterator[Event]:
    """The events of messages, each with what its message said beside."""
    taken: set[str] = set()
    named: dict[str, tuple[Any, str]] = {}
    count = 0
    found = [(to_events(message, where), message, where) for message, where in messages]
    given = {event.id for events, _, _ in found for event in events}
    for at, (events, message, where) in enumerate(found):
        if _seen(events[0].id, message, where, named):
            continue
        rest = residue(to_message(events), message)
        for place, event in enumerate(events):
            kept: Json = {"at": at}
            if rest and place == 0:
                kept["rest"] = rest
            id = event.id or f"e{count}"
            while not event.id and (id in taken or id in given):
                id += "_"
            taken.add(id)
            count += 1
            extra = {**event.extra, format: kept}
            yield msgspec.structs.replace(event, id=id, extra=extra)


def _seen(id: str, message: Any, where: str, named: dict[str, tuple[Any, str]]) -> bool:
    """Whether this very message was read already; a session may repeat one, not contradict."""
    if not id:
        return False
    known = named.setdefault(id, (message, where))
    if known[1] == where:
        return False
    if known[0] != message:
        raise MalformedRecord(
            f"two messages have the id {id!r} and differ",
            where=f"{known[1]} and {where}",
            fix="give every message its own id",
        )
    return True


def write_messages(
    format: str,
    events: Iterable[Event],
    to_message: ToMessage,
    together: Callable[[Event, Event], bool],
) -> list[Json]:
    """The messages of events. Events of this format go back into their messages; the others
    share one where `together` says so."""
    groups: list[list[Event]] = []
    for event in events:
        if groups and _joins(format, groups[-1][-1], event, together):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [
        restored(to_message(group), group[0].extra.get(format, {}).get("rest", {}))
        for group in groups
    ]


def _joins(
    format: str, before: Event, event: Event, together: Callable[[Event, Event], bool]
) -> bool:
    old, new = before.extra.get(format), event.extra.get(format)
    if old is None and new is None:
        return together(before, event)
    return old is not None and new is not None and old.get("at") == new.get("at")
