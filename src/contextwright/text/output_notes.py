"""What a shortened text says of where its whole is (rules.md#lineage)."""

import re

OUTPUT_NOTE = re.compile(
    r"\[full output: (?P<full>\S+), (?P<tokens>\d+ tokens)\]"
    r"|\[\.\.\. truncated, full output: (?P<cut>\S+) \.\.\.\]"
)
"""Either of the notes below; `ref_of` a match is where it leads."""


def full_output_note(ref: str, tokens: int) -> str:
    """The line that says where the whole of a shortened text is."""
    return f"[full output: {ref}, {tokens} tokens]"


def cut_note(ref: str) -> str:
    """The line that stands where a text was cut, and says where its whole is."""
    return f"[... truncated, full output: {ref} ...]"


def ref_of(note: re.Match[str]) -> str:
    """Where a note leads."""
    return note["full"] or note["cut"]


def without_notes(text: str, ref: str) -> str:
    """What a text says that was shortened before, without the notes of where its whole is.

    Args:
        ref: of the whole; what leads elsewhere is a part of the text.
    """

    def gap(match: re.Match[str]) -> str:
        return "" if ref_of(match) == ref else match[0]

    return OUTPUT_NOTE.sub(gap, text) if ref else text
