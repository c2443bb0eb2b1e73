"""Who said a block, and how it begins: what an id such as `e142` does not tell."""

from collections.abc import Callable, Mapping

import msgspec

from contextwright.compiler.plan import plan
from contextwright.session.event import Event
from contextwright.session.session import Session
from contextwright.spec.expr import Expr

WORDS = 200
"""Characters of a beginning; a table shows as many as it has room for."""
READ = 2_000
"""Characters that are redacted for it: more, so that no secret is cut before it is found."""


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


def labels_of(session: Session, *specs: Expr) -> Mapping[str, Label]:
    """A label for every exchange of a session, by the id of its first event, without what any of
    the specs redacts."""
    redactions = [one for spec in specs for one in plan(spec).every_redaction]

    def clean(text: str) -> str:
        text = text[:READ]
        for redaction in redactions:
            text = redaction.cleaned(text)
        return text[:WORDS]

    log = session.log
    snapshot = session.snapshot()
    labels: dict[str, Label] = {}
    for exchange in snapshot.exchanges(0):
        labels[log[exchange.positions[0]].id] = _label(exchange.events, clean)
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


def _label(events: tuple[Event, ...], clean: Callable[[str], str]) -> Label:
    first = events[0]
    calls = [call for event in events for call in event.calls]
    if calls:
        names = list(dict.fromkeys(call.name for call in calls))
        who = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"
        return Label(clean(who), clean(first.text or calls[0].arguments), "results")
    if first.results:
        result = first.results[0]
        return Label(clean(result.name or "tool"), clean(result.text), "results")
    return Label(clean(first.speaker), clean(first.text), "messages")
