"""What a session loses in a format: it is written, read back, and what does not come back is lost.

No format lists what it has no place for. Its reader tells: a list would be wrong as soon as
either side of the format learns something.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from contextwright.errors import ContextwrightError, LossyFormat
from contextwright.formats.fields import object_if
from contextwright.formats.message_facts import MessageFact, facts_of, notes_of
from contextwright.formats.sequence_match import matches
from contextwright.session.event import Event
from contextwright.session.session import Session

_LONGEST = 40
"""Characters of a value that are shown."""
_NAMED = 8
"""Keys of metadata that are named."""
_SHORT = {"status", "name", "media_type", "provider", "detail", "arguments"}
"""Fields whose values are shown: what a field of another's holds may be long, or secret."""


class Loss(msgspec.Struct, frozen=True):
    """One thing that is not as it was once a session is written in a format.

    Args:
        event: the id of the event; empty for what the session itself says.
        part: the kind of the part (`thinking`, `image`, `tool_result`), `event`, or `session`.
        field: what of it; empty where all of the part is lost.
        reason: what became of it.
        kind: `content` is what a model is shown; a `note` is what only a record holds: ids,
            times, tags, where one message ends and the next begins.
    """

    event: str
    part: str
    field: str
    reason: str
    kind: Literal["content", "note"] = "content"

    @property
    def name(self) -> str:
        """What is lost: `thinking`, `tool_result.status`, `tools`."""
        if self.part in ("event", "session"):
            return self.field or self.part
        return f"{self.part}.{self.field}" if self.field else self.part


def losses_in(session: Session, format: str, data: bytes) -> tuple[Loss, ...]:
    """What is lost of a session that was written, in the order of its events.

    Args:
        data: the file.
    """
    from contextwright.formats import read_session

    try:
        again = read_session(data, format=format)
    except ContextwrightError as error:
        if len(session.log):
            return (Loss("", "session", "", f"{format} can not read what it wrote: {error.what}"),)
        again = Session(session.id)  # what says nothing is no file of most formats
    events, events_again = list(session.log), list(again.log)
    round_trip = RoundTrip(events, events_again, format)
    return (*round_trip.losses(), *_session_losses(session, again, format))


def expect_no_loss(losses: tuple[Loss, ...], session: Session, format: str) -> None:
    """Refuse what would lose something that a model is shown.

    Raises:
        LossyFormat: it names the first.
    """
    lost = tuple(loss for loss in losses if loss.kind == "content")
    if not lost:
        return
    first, more = lost[0], len(lost) - 1
    place = f"event {first.event!r}" if first.event else f"session {session.id!r}"
    count = f", and {more} more" if more else ""
    raise LossyFormat(
        f"{first.name} would be lost in {format}: {first.reason}{count}",
        lost,
        where=place,
        fix="write it without strict, or as contextwright, which has a place for everything",
    )


Change = tuple[MessageFact | None, MessageFact | None]
"""A fact that is not there any more, and what stands there instead: one of the two, or both."""
Place = tuple[int, int]
"""Of a part: its event's position, and where it stands in the event."""


class RoundTrip:
    """The events of a session beside those that were read back."""

    def __init__(self, events: list[Event], events_again: list[Event], format: str) -> None:
        self._events, self._again, self._format = events, events_again, format
        self._facts, self._facts_again = facts_of(events), facts_of(events_again)
        self._counts = Counter(fact.place for fact in self._facts)
        whole = [fact.whole for fact in self._facts]
        self._pairs = matches(whole, [fact.whole for fact in self._facts_again])

    def losses(self) -> Iterator[Loss]:
        """Of each event what is lost of its parts, then its notes."""
        by_event: dict[int, list[Loss]] = defaultdict(list)
        for place, changes in self._changes().items():
            by_event[place[0]] += self._of_part(place, changes)
        for position, notes in self._notes():
            by_event[position] += notes
        for position in sorted(by_event):
            yield from by_event[position]

    def _changes(self) -> dict[Place, list[Change]]:
        """What is not as it was, by part."""
        first, second = {one for one, _ in self._pairs}, {other for _, other in self._pairs}
        lacking = [fact for at, fact in enumerate(self._facts) if at not in first]
        new = {at: one for at, one in enumerate(self._facts_again) if at not in second}
        changes: dict[Place, list[Change]] = defaultdict(list)
        for same in (_whole, _but_role, _but_value, _but_locator):
            alike: dict[Any, list[int]] = defaultdict(list)
            for at in reversed(new):
                alike[same(new[at])].append(at)
            left: list[MessageFact] = []
            for fact in lacking:
                if alike[same(fact)]:
                    changes[fact.place].append((fact, new.pop(alike[same(fact)].pop())))
                else:
                    left.append(fact)
            lacking = left
        for fact in lacking:
            changes[fact.place].append((fact, None))
        for at, fact in new.items():
            changes[self._in_front_of(at)].append((None, fact))
        return dict(sorted(changes.items()))

    def _in_front_of(self, at: int) -> Place:
        """The part behind which a fact came up that was not there."""
        pair = bisect_left(self._pairs, at, key=lambda pair: pair[1]) - 1
        return self._facts[self._pairs[pair][0]].place if pair >= 0 else (0, -1)

    def _of_part(self, place: Place, changes: list[Change]) -> Iterator[Loss]:
        event = self._events[place[0]]
        lost = [fact for fact, other in changes if fact is not None and other is None]
        if lost and len(lost) == self._counts[place] and place[1] >= 0:
            yield Loss(event.id, lost[0].key[0], "", f"{self._format} has no place for it")
            changes = [change for change in changes if change[0] is None]
        if place[1] < 0 and event.parts:  # what speaks in another role are its parts
            changes = [change for change in changes if None in change]
        named: dict[str, Loss] = {}
        for fact, other in changes:
            loss = self._loss(event, fact, other)
            named.setdefault(loss.name, loss)
        yield from named.values()

    def _loss(self, event: Event, fact: MessageFact | None, other: MessageFact | None) -> Loss:
        one = fact or other
        assert one is not None
        part, _, field, _ = one.key
        if part == "event" and not (fact and other):
            return Loss(event.id, part, "boundary", _boundary(event, fact), "note")
        if fact is None:
            return Loss(event.id, part, field, f"comes back with{_shown(one)}")
        if other is None:
            return Loss(event.id, part, field, f"{self._format} has no place for{_shown(one)}")
        if fact.role != other.role:
            reason = f"{fact.role!r} comes back as {other.role!r}"
            return Loss(event.id, part, "role", reason)
        if fact.key == other.key:
            return Loss(event.id, part, "place", "comes back in another place")
        if fact.key[1] != other.key[1]:
            reason = f"{_cut(fact.key[1])} comes back as {_cut(other.key[1])}"
            return Loss(event.id, part, "id", reason)
        return Loss(event.id, part, field, f"{_value(fact)} comes back as {_value(other)}")

    def _notes(self) -> Iterator[tuple[int, list[Loss]]]:
        partner: dict[int, int] = {}
        for one, other in self._pairs:
            partner.setdefault(self._facts[one].event, self._facts_again[other].event)
        for position, place in partner.items():
            event = self._events[position]
            notes = notes_of(event, self._format)
            notes_again = notes_of(self._again[place], self._format)
            names = [name for name, value in notes.items() if value != notes_again[name]]
            reason = f"not as it was in {self._format}"
            yield position, [Loss(event.id, "event", name, reason, "note") for name in names]


def _boundary(event: Event, fact: MessageFact | None) -> str:
    if fact is None:
        return "a message of its own begins"
    if not event.parts:
        return "a message that says nothing is left out"
    return "joined with the one before it"


def _whole(fact: MessageFact) -> Any:
    return fact.whole


def _but_role(fact: MessageFact) -> Any:
    return fact.key


def _but_value(fact: MessageFact) -> Any:
    part, locator, field, _ = fact.key
    return part, locator, field


def _but_locator(fact: MessageFact) -> Any:
    part, locator, field, value = fact.key
    return (part, field, value) if locator else fact.whole


def _value(fact: MessageFact) -> str:
    field, value = fact.key[2:]
    if field not in _SHORT:
        return "it" if field == "text" else field
    return _cut(value)


def _cut(value: str) -> str:
    return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")


def _shown(fact: MessageFact) -> str:
    field = fact.key[2]
    return f" {field} {_value(fact)}" if field in _SHORT else f" {field}"


def _session_losses(session: Session, again: Session, format: str) -> Iterator[Loss]:
    """What a session says beside its events."""
    tools = {tool.name: tool for tool in again.tools}
    for tool in session.tools:
        other = tools.get(tool.name)
        if other is None:
            yield Loss("", "session", "tools", f"{format} has no place for {tool.name!r}")
        elif (tool.description, tool.parameters) != (other.description, other.parameters):
            yield Loss("", "session", "tools", f"{tool.name!r} is described otherwise")
    own = {
        "id": (session.id, again.id),
        "state": (dict(session.state), dict(again.state)),
    }
    for name, (value, value_again) in own.items():
        if value != value_again:
            yield Loss("", "session", name, f"not as it was in {format}", "note")
    for key, value in dict(session.metadata).items():
        if key != format and value and value != again.metadata.get(key):
            inner = [one for one in object_if(value) if not one.startswith("$")]
            names = f" ({', '.join(inner[:_NAMED])})" if inner else ""
            yield Loss("", "session", "metadata", f"{key}{names} is not in {format}", "note")
