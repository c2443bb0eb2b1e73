"""`S.merge_notes(into, *keys)`: notes of several keys under one
(context-algebra.md#note-lifecycle)."""

from typing import Any, ClassVar

from contextwright.atoms.write.write_notes import items_of
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX
from contextwright.spec.state_step import StateStep


class MergeNotes(StateStep, frozen=True, kw_only=True):
    """The notes of several keys under one, in the order of the keys.

    Args:
        into: the key that holds them all afterwards.
        keys: the keys that are empty afterwards; `into` comes first if it has notes.
    """

    word: ClassVar[str] = "merge_notes"
    variadic: ClassVar[str] = "keys"

    into: str
    keys: tuple[str, ...]

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change."""
        emptied_keys = [key for key in self.keys if key != self.into]
        items = [
            item
            for key in (self.into, *emptied_keys)
            for item in items_of(snapshot.state.get(NOTES_PREFIX + key))
        ]
        if not any(NOTES_PREFIX + key in snapshot.state for key in emptied_keys):
            return {}
        emptied: dict[str, Any] = {NOTES_PREFIX + key: None for key in emptied_keys}
        return {**emptied, NOTES_PREFIX + self.into: items}
