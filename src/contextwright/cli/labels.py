"""Who said a block, and how it begins: what an id such as `e142` does not tell."""

from collections.abc import Mapping

import msgspec

from contextwright.session.event import Event
from contextwright.session.session import Session

WORDS = 200
"""Characters of a beginning; a table shows as many as it has room for."""


class Label(msgspec.Struct, frozen=True):
    """What a reader knows a block by.

    Args:
        who: the tools that were called, an agent, a role, or what kind of text it is.
        begins: the first words.
        noun: what several of them are called: results, messages, texts.
    """

    who: str
    begins: str
    noun: str


def labels_of(session: Session) -> Mapping[str, Label]:
    """A label for every exchange of a session, by the id of its first event."""
    log = session.log
    snapshot = session.snapshot()
    labels: dict[str, Label] = {}
    for exchange in snapshot.exchanges(0):
        labels[log[exchange.positions[0]].id] = _label(exchange.events)
    return labels


def label_of(id: str, labels: Mapping[str, Label]) -> Label:
    """The label of a block; one that is no exchange is known by its kind: `notes:case:3`, or
    `earlier/e2` for a note on what happened from `e2` on."""
    known = labels.get(id)
    if known is not None:
        return known
    kind, separator, name = id.partition("/")
    if separator:
        return Label("a note", f"what was {kind}, from {name} on", "texts")
    kind, _, name = id.partition(":")
    return Label(kind, name, "texts")


def _label(events: tuple[Event, ...]) -> Label:
    first = events[0]
    calls = [call for event in events for call in event.calls]
    if calls:
        names = list(dict.fromkeys(call.name for call in calls))
        who = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"
        return Label(who, first.text or calls[0].arguments[:WORDS], "results")
    if first.results:
        return Label(first.results[0].name or "tool", first.results[0].text[:WORDS], "results")
    return Label(first.speaker, first.text[:WORDS], "messages")
