"""What a session loses in a format: it is written, read back, and what does not come back is lost.

No format lists what it has no place for. Its reader tells: a list would be wrong as soon as
either side of the format learns something.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from contextwright.errors import ContextwrightError
from contextwright.formats.facts import Fact, facts_of, notes_of
from contextwright.formats.sequence_match import matches
from contextwright.session.event import Event
from contextwright.session.session import Session

_LONGEST = 40
"""Characters of a value that are shown."""
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


def losses_of(session: Session, format: str) -> tuple[Loss, ...]:
    """What a session loses when it is written in a format, in the order of its events.

    Raises:
        SessionError: it can not be written in this format.
    """
    from contextwright.formats import write_session

    return losses_in(session, format, write_session(session, format))


def losses_in(session: Session, format: str, data: bytes) -> tuple[Loss, ...]:
    """The same, of a session that was written: `data` is the file."""
    from contextwright.formats import read_session

    try:
        again = read_session(data, format=format) if len(session.log) else Session(session.id)
    except ContextwrightError as error:
        return (Loss("", "session", "", f"{format} can not read what it wrote: {error.what}"),)
    events, events_again = list(session.log), list(again.log)
    comparison = Comparison(events, events_again, format)
    return (*comparison.losses(), *_session_losses(session, again, format))


class Comparison:
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

    def _changes(self) -> dict[tuple[int, int], list[tuple[Fact | None, Fact | None]]]:
        """By part, the facts that are not there any more, and what stands there instead."""
        first = {one for one, _ in self._pairs}
        second = {other for _, other in self._pairs}
        lacking = [fact for at, fact in enumerate(self._facts) if at not in first]
        new = [at for at in range(len(self._facts_again)) if at not in second]
        changes: dict[tuple[int, int], list[tuple[Fact | None, Fact | None]]] = defaultdict(list)
        for same in (_whole, _but_role, _but_value, _but_locator):
            left: list[Fact] = []
            places: dict[Any, list[int]] = defaultdict(list)
            for at in reversed(new):
                places[same(self._facts_again[at])].append(at)
            for fact in lacking:
                alike = places.get(same(fact))
                if alike:
                    at = alike.pop()
                    new.remove(at)
                    changes[fact.place].append((fact, self._facts_again[at]))
                else:
                    left.append(fact)
            lacking = left
        for fact in lacking:
            changes[fact.place].append((fact, None))
        for at in new:
            changes[self._in_front_of(at)].append((None, self._facts_again[at]))
        return dict(sorted(changes.items()))

    def _in_front_of(self, at: int) -> tuple[int, int]:
        """The part behind which a fact came up that was not there."""
        before = [self._facts[one].place for one, other in self._pairs if other < at]
        return before[-1] if before else (0, -1)

    def _of_part(
        self, place: tuple[int, int], changes: list[tuple[Fact | None, Fact | None]]
    ) -> Iterator[Loss]:
        id = self._events[place[0]].id
        count = self._counts[place]
        lost = [fact for fact, other in changes if fact is not None and other is None]
        if lost and len(lost) == count and place[1] >= 0:
            yield Loss(id, lost[0].key[0], "", f"{self._format} has no place for it")
            changes = [change for change in changes if change[0] is None]
        named: dict[tuple[str, str], Loss] = {}
        for fact, other in changes:
            if place[1] < 0 and fact and other and self._events[place[0]].parts:
                continue  # another role: its parts say so
            loss = self._loss(id, fact, other)
            named.setdefault((loss.part, loss.field), loss)
        yield from named.values()

    def _loss(self, id: str, fact: Fact | None, other: Fact | None) -> Loss:
        one = fact or other
        assert one is not None
        part, _, field, _ = one.key
        if part == "event" and fact and other:
            return Loss(id, part, "role", f"{fact.role!r} comes back as {other.role!r}")
        if part == "event":
            reason = "joined with the one before it" if fact else "a message of its own begins"
            return Loss(id, part, "boundary", reason, "note")
        if fact is None:
            return Loss(id, part, field, f"comes back with{_shown(one)}")
        if other is None:
            return Loss(id, part, field, f"{self._format} has no place for{_shown(one)}")
        if fact.role != other.role:
            return Loss(id, part, "role", f"{fact.role!r} comes back as {other.role!r}")
        if fact.key == other.key:
            return Loss(id, part, "place", "comes back in another place")
        if fact.key[1] != other.key[1]:
            return Loss(id, part, "id", f"{_cut(fact.key[1])} comes back as {_cut(other.key[1])}")
        return Loss(id, part, field, f"{_value(fact)} comes back as {_value(other)}")

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


def _whole(fact: Fact) -> Any:
    return fact.whole


def _but_role(fact: Fact) -> Any:
    return fact.key


def _but_value(fact: Fact) -> Any:
    part, locator, field, _ = fact.key
    return part, locator, field


def _but_locator(fact: Fact) -> Any:
    part, locator, field, value = fact.key
    return (part, field, value) if locator else fact.whole


def _value(fact: Fact) -> str:
    field, value = fact.key[2:]
    if field not in _SHORT:
        return "it" if field == "text" else field
    return _cut(value)


def _cut(value: str) -> str:
    return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")


def _shown(fact: Fact) -> str:
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
        "metadata": (_others(session, format), _others(again, format)),
    }
    for name, (value, value_again) in own.items():
        if value != value_again:
            yield Loss("", "session", name, f"not as it was in {format}", "note")


def _others(session: Session, format: str) -> dict[str, Any]:
    return {key: value for key, value in session.metadata.items() if key != format and value}
