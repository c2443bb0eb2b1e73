"""`S.tag(name)`: events get a label that `C.select(tag=...)` finds
(context-algebra.md#attributes)."""

from typing import Any, ClassVar

from contextwright.session.snapshot import Snapshot
from contextwright.session.state import TAG_PREFIX
from contextwright.spec.state_step import StateStep


class Tag(StateStep, frozen=True, kw_only=True):
    """Label the newest event, or the events named.

    The labels are kept under `temp:_event_tags_{event_id}`; the events stay as they are.
    """

    word: ClassVar[str] = "tag"
    variadic: ClassVar[str] = "event_ids"

    name: str
    event_ids: tuple[str, ...] = ()

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change."""
        ids = self.event_ids or tuple(
            event.id for event in snapshot.log[max(0, snapshot.position - 1) : snapshot.position]
        )
        change: dict[str, Any] = {}
        for id in ids:
            known = list(snapshot.state.get(TAG_PREFIX + id, ()))
            if self.name not in known:
                change[TAG_PREFIX + id] = [*known, self.name]
        return change
