"""The life of notes: brought together, without repetitions, and let go when they are old
(document 000 §13: notes need lifecycle management)."""

import re
from typing import Any

import msgspec

from contextwright.atoms.write.write_notes import items_of
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX

ALIKE = 0.8
"""Share of words that two notes have in common at least when they say the same."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class MergeNotes(msgspec.Struct, frozen=True):
    """A state step: the notes of several keys under one, in the order of the keys.

    Args:
        into: the key that holds them all afterwards.
        keys: the keys that are empty afterwards; `into` comes first if it has notes.
    """

    into: str
    keys: tuple[str, ...]

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change."""
        gone = [key for key in self.keys if key != self.into]
        found = [
            item
            for key in (self.into, *gone)
            for item in items_of(snapshot.state.get(NOTES_PREFIX + key))
        ]
        if not any(NOTES_PREFIX + key in snapshot.state for key in gone):
            return {}
        emptied: dict[str, Any] = {NOTES_PREFIX + key: None for key in gone}
        return {**emptied, NOTES_PREFIX + self.into: found}

    def __repr__(self) -> str:
        return f"S.merge_notes({self.into!r}, {', '.join(map(repr, self.keys))})"


class ConsolidateNotes(msgspec.Struct, frozen=True):
    """A state step: of notes that say the same, the newest stays, at the place of the first.

    Two notes say the same if four fifths of their words are common and their numbers agree.
    """

    key: str

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where nothing is said twice."""
        stored = NOTES_PREFIX + self.key
        before = items_of(snapshot.state.get(stored))
        kept: list[dict[str, Any]] = []
        for item in before:
            place = next((n for n, known in enumerate(kept) if _alike(known, item)), None)
            if place is None:
                kept.append(item)
            else:
                kept[place] = item
        return {stored: kept} if len(kept) < len(before) else {}

    def __repr__(self) -> str:
        return f"S.consolidate_notes({self.key!r})"


class DecayNotes(msgspec.Struct, frozen=True):
    """A state step: notes that are too old, or too many, go; open checklist items stay.

    Args:
        key: of the notes.
        max_age: turns since the event that a note was taken from; None for any age. A note
            that no event is known of has no age.
        keep: the newest notes that stay; None for all.
    """

    key: str
    max_age: int | None = None
    keep: int | None = None

    def __post_init__(self) -> None:
        if self.max_age is None and self.keep is None:
            raise SpecError(
                "nothing decays", where=repr(self), fix="give max_age= in turns or keep="
            )

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where nothing is too old."""
        stored = NOTES_PREFIX + self.key
        before = items_of(snapshot.state.get(stored))
        first = len(before) - self.keep if self.keep is not None else 0
        after = [
            item
            for place, item in enumerate(before)
            if item.get("done") is False or (place >= first and not self._old(item, snapshot))
        ]
        return {stored: after} if len(after) < len(before) else {}

    def _old(self, item: dict[str, Any], snapshot: Snapshot) -> bool:
        position = snapshot.log.position_of(str(item.get("event", "")))
        if self.max_age is None or position is None or position >= snapshot.position:
            return False
        exchange = snapshot.exchanges_of([position])[0]
        return snapshot.turn - exchange.turn > self.max_age

    def __repr__(self) -> str:
        options = {"max_age": self.max_age, "keep": self.keep}
        given = "".join(f", {name}={n}" for name, n in options.items() if n is not None)
        return f"S.decay_notes({self.key!r}{given})"


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one.get("done") != other.get("done"):
        return False
    first, second = str(one["text"]).casefold(), str(other["text"]).casefold()
    if set(_NUMBER.findall(first)) != set(_NUMBER.findall(second)):
        return False
    a, b = set(_WORD.findall(first)), set(_WORD.findall(second))
    return first == second or len(a & b) >= ALIKE * len(a | b) > 0
