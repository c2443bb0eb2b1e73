"""One course that a conversation took: the messages as they came, and the session that they are."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import msgspec

from contextwright.formats.fields import Json
from contextwright.formats.message_content import (
    NumberedCopies,
    canonical,
    canonical_contents,
    digest,
    encoded,
    has_caching,
    is_reminder,
    is_unchanged,
    reminders_in,
    shadow,
    without_caching,
)
from contextwright.formats.message_list import KeptMessages, MessageList, plain_message
from contextwright.formats.moving_breakpoints import MOVING, breakpoints_in
from contextwright.formats.read_messages import ReadMessages, front, read_appended, read_tail
from contextwright.memo.by_identity import same_beginning
from contextwright.session.session import Session
from contextwright.spec.saved_fold import SavedFold, save_folds

_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction")
_TOOLS = ("tools", "toolConfig", "tool_config")


def identity_of(listed: MessageList, format: str | None) -> bytes:
    """What two lists of messages must have in common to be of one history: the model, the system
    text and the tools, whatever is marked for a cache in them."""
    fields = plain_message(listed.fields) if listed.fields else {}
    config: Any = fields.get("config")
    config = config if isinstance(config, dict) else {}
    named = {key: canonical_contents(fields.get(key, config.get(key))) for key in _SYSTEM}
    tools = {key: fields.get(key, config.get(key)) for key in _TOOLS}
    return digest([format, listed.key, listed.model, without_caching([named, tools])])


class Overlap(msgspec.Struct, frozen=True):
    """How far a list of messages is what a history has.

    Args:
        known: messages of the history, from its beginning, that are in the list.
        places: of each of them in the list; -1 for a reminder that was taken out.
        taken: messages of the list that these are, with the reminders that were put in between.
        equal: whether all are as they were, to the last field.
    """

    known: int
    places: list[int]
    taken: int
    equal: bool = False


class WireMatch(msgspec.Struct, frozen=True, eq=False):
    """What a message of a request says.

    Args:
        wire: the object that stands for it in requests.
        place: at which it was looked for.
        digest: of what it says; None where it equals the message at that place.
    """

    wire: Any
    place: int
    digest: bytes | None

    def holds(self, wire: Any, place: int) -> bool:
        """Whether that is known of this object, looked for at this place."""
        return self.wire is wire and (self.digest is not None or self.place == place)


class PlacedWires(msgspec.Struct, frozen=True, eq=False):
    """The messages of the newest request, what each says, and its place in the history."""

    wires: Sequence[Any]
    matches: list[WireMatch]
    places: list[int | None]


class MessageHistory:
    """Messages that were read, and their session.

    Args:
        fields: of the body that was read; None where the session has those of another one.

    Attributes:
        identity: as `identity_of` has it.
        messages: the caller's own objects, as they came last.
        places: of each message in the list that came last; -1 where it was taken out of it.
        size: bytes of the messages as JSON.
        forms: of each message, the digests of the messages that it is in another format.
        folds: what compactions decided for the last two requests, to be saved with the session.
        clean_fields: of the newest body, as it came and without what the spec redacts.
        copies: messages of the newest request that are none of the caller's, each with its copy, by
            their ids.
    """

    def __init__(self, identity: bytes, read: ReadMessages, fields: Json | None = None) -> None:
        self.identity, self.read = identity, read
        self.messages: list[Any] = []
        self.places: list[int] = []
        self.size = 0
        self.forms: list[tuple[bytes, ...]] = []
        self.folds: deque[tuple[SavedFold, ...]] = deque(maxlen=2)
        self.clean_fields: dict[str, tuple[Any, Any]] = {}
        self._shadows: list[Any] = []
        self._numbers = NumberedCopies()
        self._reminders: dict[int, tuple[str, ...]] = {}  # as the log has them
        self._added: dict[int, tuple[str, ...]] = {}  # in the caller's newest object beside them
        self._marked: set[int] = set()
        self._digests: list[bytes | None] = []
        self._index: dict[bytes, list[int]] = {}  # digest -> places, of the first `_indexed`
        self._indexed = 0
        self._placed = PlacedWires((), [], [])
        self.copies: dict[int, tuple[Any, Any]] = {}
        self._fields = shadow(fields)

    def save_folds(self) -> None:
        """Put what compactions decided into the session's metadata."""
        while self.folds:
            save_folds(self.session.metadata, self.folds.popleft())

    @property
    def session(self) -> Session:
        """The session that the messages are."""
        return self.read.session

    def __len__(self) -> int:
        return len(self.messages)

    def overlap(self, messages: list[Any]) -> Overlap:
        """How far a list of messages is what this history has."""
        first = messages[: len(self)]
        same = same_beginning(self.messages, first) if isinstance(messages, KeptMessages) else 0
        is_equal = self._shadows[same:] == first[same:]
        if is_equal and self._numbers.are_equal(self._shadows, first, same):
            return Overlap(len(self), list(range(len(self))), len(self), equal=True)
        places: list[int] = []
        known = at = 0
        while known < len(self) and at < len(messages):
            if self._is_same(known, messages[at]):
                places.append(at)
                known, at = known + 1, at + 1
            elif is_reminder(plain_message(messages[at])):
                at += 1
            elif isinstance(self._shadows[known], dict) and is_reminder(self._shadows[known]):
                places.append(-1)
                known += 1
            else:
                break
        return Overlap(known, places, at)

    def _is_same(self, place: int, message: Any) -> bool:
        if is_unchanged(self._shadows[place], message):
            return True
        return self.digest_at(place) == digest(canonical(plain_message(message)))

    def digest_at(self, place: int) -> bytes:
        """The digest of what a message says."""
        known = self._digests[place]
        if known is None:
            # of the copy: the program may have changed its object since
            known = self._digests[place] = digest(canonical(self._shadows[place]))
        return known

    def places_of(self, wires: Sequence[Any], known: Sequence[Any] = ()) -> list[int | None]:
        """The place of each message of a request, each behind the one before it: the first one
        that says the same; None where nothing does.

        Args:
            wires: in JSON.
            known: the object that stands for each of them in every request that has it: what one
                says is looked at once.
        """
        newest = self._placed
        places = self._places_again(known)
        matches = newest.matches[: len(places)]
        moved = newest.matches[len(places) :]
        before = {id(match.wire): match for match in moved}
        start = _behind(places)
        rest = known[len(places) :] or repeat(None)
        for wire, object in zip(wires[len(places) :], rest, strict=False):
            match = before.get(id(object))
            if match is None or not match.holds(object, start):
                is_next = start < len(self) and self._is_next(start, wire)
                match = WireMatch(object, start, None if is_next else digest(canonical(wire)))
            matches.append(match)
            place = start if match.digest is None else self._first_place(match.digest, start)
            places.append(place)
            start = start if place is None else place + 1
        if known:
            self._placed = PlacedWires(known, matches, list(places))
        return places

    def _places_again(self, known: Sequence[Any]) -> list[int | None]:
        """The places of the first messages of a request, as far as the request before had the very
        same, and none that no message said by then is said now."""
        newest = self._placed
        same = same_beginning(newest.wires, known)
        unsaid = [at for at, place in enumerate(newest.places[:same]) if place is None]
        for at in unsaid:
            message_digest = newest.matches[at].digest
            if (
                message_digest is None
                or self._first_place(message_digest, _behind(newest.places[:at])) is not None
            ):
                return newest.places[:at]
        return newest.places[:same]

    def _is_next(self, place: int, message: Any) -> bool:
        return self._numbers.is_equal(place, self._shadows[place], message)

    def _first_place(self, message_digest: bytes, start: int) -> int | None:
        """The first place from `start` on of a message of this digest."""
        for place in range(self._indexed, len(self)):
            self._index.setdefault(self.digest_at(place), []).append(place)
        self._indexed = len(self)
        places = self._index.get(message_digest, ())
        at = bisect_left(places, start)
        return places[at] if at < len(places) else None

    def hold(self, messages: list[Any]) -> None:
        """Keep the objects of messages that were read."""
        for message in messages:
            plain = plain_message(message)
            self.places.append(len(self.messages))
            self.messages.append(message)
            copy = shadow(message)
            self._numbers.note(len(self._shadows), copy)
            self._shadows.append(copy)
            # an object's copy has no wire format to be told from
            self._digests.append(None if plain is message else digest(canonical(plain)))
            if has_caching(plain):
                self._marked.add(len(self.messages) - 1)
            if here := reminders_in(plain):
                self._reminders[len(self.messages) - 1] = here
            self.size += len(encoded(plain))

    def follow(self, listed: MessageList, overlap: Overlap) -> bool:
        """Go on with a list that begins with all that is here; whether that could be done."""
        tail = listed.messages[overlap.taken :]
        aligned = [*self.messages, *tail]
        new = read_tail(self.read, msgspec.structs.replace(listed, messages=aligned), len(self))
        if new is None:
            return False
        self.renew(listed, overlap)
        self.read.take(new)
        self.hold(tail)
        self.places[overlap.known :] = range(overlap.taken, len(listed.messages))
        return True

    def append(self, messages: list[Any]) -> bool:
        """Go on with further messages, without those before; whether that could be done."""
        new = read_appended(self.read, messages, len(self))
        if new is None:
            return False
        self.read.take(new)
        self.hold(messages)
        return True

    def renew(self, listed: MessageList, overlap: Overlap) -> None:
        """Take the objects of a list, for those that say the same, and what it says beside them."""
        if overlap.equal:
            self.messages[: overlap.known] = listed.messages[: overlap.known]
        else:
            self._renew_messages(listed.messages, overlap.places)
        self.places[: overlap.known] = overlap.places
        if not is_unchanged(self._fields, listed.fields):
            self._fields = shadow(listed.fields)
            self._renew_session(listed)

    def _renew_messages(self, messages: list[Any], places: list[int]) -> None:
        for known, at in enumerate(places):
            if at >= 0 and not is_unchanged(self._shadows[known], messages[at]):
                self._shadows[known] = shadow(messages[at])
                self._numbers.note(known, self._shadows[known])
                self._note(known, plain_message(messages[at]))
            if at >= 0:
                self.messages[known] = messages[at]

    def _note(self, place: int, message: Any) -> None:
        """What a message says now beside what it says as it did."""
        (self._marked.add if has_caching(message) else self._marked.discard)(place)
        self._added.pop(place, None)
        known = self._reminders.get(place, ())
        if added := tuple(one for one in reminders_in(message) if one not in known):
            self._added[place] = added

    def added_reminders(self, messages: list[Any]) -> Iterator[str]:
        """Reminders that a list has and the session has not: they are sent, and in no count of
        the session's."""
        for added in self._added.values():
            yield from added
        if len(messages) > len(self.places) - self.places.count(-1):
            places = set(self.places)
            for at, message in enumerate(messages):
                if at not in places:
                    yield from reminders_in(plain_message(message))

    def note_breakpoints(self) -> None:
        """Put the breakpoints of the newest list into the session's metadata, once it had any."""
        session = self.session
        before = session.metadata.get(MOVING)
        if before is None and not self._marked:
            return
        marks = {
            str(at): breakpoints_in(plain_message(self.messages[place]))
            for place in sorted(self._marked)
            if (at := self.read.record_at(place)) is not None
        }
        if marks != before:
            session.metadata = {**session.metadata, MOVING: marks}

    @property
    def marks_cache(self) -> bool:
        """Whether one of the messages has a cache breakpoint of its caller's."""
        return bool(self._marked)

    def _renew_session(self, listed: MessageList) -> None:
        """The body's other fields are as the last list has them."""
        if not self.read.format:
            return
        new = front(listed, self.read.format).session
        self.session.tools = new.tools
        self.session.metadata = {**self.session.metadata, **new.metadata}
        self.read.so_far.metadata = new.metadata.get(self.read.format, {})
        known = self.session.state
        changed: Json = {k: v for k, v in new.state.items() if known.get(k) != v}
        if changed:
            self.session.update(changed)


def _behind(places: Sequence[int | None]) -> int:
    """The place behind the last of these."""
    return next((place + 1 for place in reversed(places) if place is not None), 0)
