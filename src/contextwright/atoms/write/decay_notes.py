"""`S.decay_notes(key, max_age=, keep=)`: old notes go (context-algebra.md#note-lifecycle)."""

from typing import Any, ClassVar

from contextwright.atoms.write.write_notes import items_of
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX
from contextwright.spec.state_step import StateStep


class DecayNotes(StateStep, frozen=True, kw_only=True):
    """Notes that are too old, or too many, go; open checklist items stay.

    Args:
        key: of the notes.
        max_age: turns since the event that a note was taken from; None for any age. A note
            that no event is known of has no age.
        keep: the newest notes that stay; None for all.
    """

    word: ClassVar[str] = "decay_notes"

    key: str = "default"
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
