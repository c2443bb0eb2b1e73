"""What is left of each exchange that a note of a compaction stands for."""

from collections.abc import Mapping

from contextwright.compiler.manifest import Manifest
from contextwright.compiler.steps.forms import FORMS
from contextwright.session.snapshot import Snapshot
from contextwright.spec.saved_fold import SavedFold

VALUES = "values"
"""Only identifiers of it are listed."""
NOTHING = ""
"""No word of it is in the note: only its ref leads back."""

MEMBER_WORDS = {
    "line": "a line of the note",
    "bare": "its call in the note",
    "short": "its call and a short result in the note",
    "said": "its words in the note, shortened",
    "whole": "whole in the note",
    "remark": "its remark in the note",
    "condition": "what it lays down, in the note",
    "question": "what it asked, in the note",
    "rule": "its rule or decision in the note",
    VALUES: "its values in the note's list",
    NOTHING: "in what the note stands for; no word of it is left",
}
"""What is left of an exchange, in words, by its form."""


def note_members(manifest: Manifest, snapshot: Snapshot) -> Mapping[int, str]:
    """The form in which the newest note tells each exchange, by the exchange's place in the log:
    one of `compiler.steps.forms.FORMS`, `values`, or empty where nothing is left.

    Args:
        snapshot: what the manifest is of; it tells where the conversation begins.
    """
    fold = _fold_of_note(manifest)
    if fold is None:
        return {}
    held, first = set(fold.held), snapshot.preamble
    members = {first + at: NOTHING for at in range(fold.upto) if at not in held}
    for at, _ in fold.index:
        if first + at in members:
            members[first + at] = VALUES
    for at, form in fold.forms:
        members[first + at] = FORMS[form]
    return members


def note_content(manifest: Manifest) -> tuple[object, ...]:
    """All that `note_members` follows from beside the conversation's first exchange: the same as
    long as no step comes."""
    fold = _fold_of_note(manifest)
    return () if fold is None else (fold.upto, fold.held, fold.index, fold.forms)


def _fold_of_note(manifest: Manifest) -> SavedFold | None:
    """The fold of the newest note."""
    return next((fold for fold in reversed(manifest.folds) if fold.plan is not None), None)
