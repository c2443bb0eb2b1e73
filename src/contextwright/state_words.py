"""`S`: state steps, a line a word."""

from contextwright.atoms.write.note_steps import ConsolidateNotes, DecayNotes, MergeNotes
from contextwright.atoms.write.tag import Tag


class S:
    """State steps."""

    @staticmethod
    def tag(name: str, *event_ids: str) -> Tag:
        """Label the newest event, or these, for `C.select(tag=name)`."""
        return Tag(name=name, event_ids=event_ids)

    @staticmethod
    def merge_notes(into: str, *keys: str) -> MergeNotes:
        """The notes of these keys under one."""
        return MergeNotes(into=into, keys=keys)

    @staticmethod
    def consolidate_notes(key: str = "default") -> ConsolidateNotes:
        """Of notes that say the same, the newest."""
        return ConsolidateNotes(key=key)

    @staticmethod
    def decay_notes(
        key: str = "default", *, max_age: int | None = None, keep: int | None = None
    ) -> DecayNotes:
        """Notes that are older than `max_age` turns, or more than `keep`, go."""
        return DecayNotes(key=key, max_age=max_age, keep=keep)
