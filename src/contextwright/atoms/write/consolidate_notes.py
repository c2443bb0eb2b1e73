"""`S.consolidate_notes(key)`: of notes that say the same, the newest
(context-algebra.md#note-lifecycle)."""

import re
from typing import Any, ClassVar

from contextwright.atoms.write.write_notes import items_of
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX
from contextwright.spec.state_step import StateStep

ALIKE = 0.8
"""Share of words that two notes have in common at least when they say the same."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class ConsolidateNotes(StateStep, frozen=True, kw_only=True):
    """Of notes that say the same, the newest stays, at the place of the first.

    Two notes say the same if four fifths of their words are common and their numbers agree.
    """

    word: ClassVar[str] = "consolidate_notes"

    key: str = "default"

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where nothing is said twice."""
        stored = NOTES_PREFIX + self.key
        before = items_of(snapshot.state.get(stored))
        distinct: list[dict[str, Any]] = []
        for item in before:
            place = next((n for n, known in enumerate(distinct) if _alike(known, item)), None)
            if place is None:
                distinct.append(item)
            else:
                distinct[place] = item
        return {stored: distinct} if len(distinct) < len(before) else {}


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one.get("done") != other.get("done"):
        return False
    first, second = str(one["text"]).casefold(), str(other["text"]).casefold()
    if set(_NUMBER.findall(first)) != set(_NUMBER.findall(second)):
        return False
    a, b = set(_WORD.findall(first)), set(_WORD.findall(second))
    return first == second or len(a & b) >= ALIKE * len(a | b) > 0
