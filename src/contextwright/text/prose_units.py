"""Prose in sentences: what opens it, what decides, what ends it."""

import re

from contextwright.text.identifiers import entities
from contextwright.text.line_selection import Unit
from contextwright.text.sentences import sentences

_CUE = re.compile(
    r"\b(?:decid|agree|chose|must|should|error|fail|because|deadline|confirm|cancel|refund|never"
    r"|always|fixed|result|conclu|therefore|todo|next)",
    re.IGNORECASE,
)
"""Words that say that something was found or settled."""
READ = 400
"""Characters of a sentence that are looked at."""


def prose_units(text: str) -> list[Unit]:
    """A unit a sentence, white space between them as in the source. The first and the last rank
    before those with identifiers or cues, these before the others; of equals the earlier."""
    parts = sentences(text)
    units: list[Unit] = []
    at = 0
    for place, part in enumerate(parts):
        at = text.index(part, at) + len(part)
        following = text[at : at + 8]
        gap = following[: len(following) - len(following.lstrip())]
        joint = "\n\n" if gap.count("\n") > 1 else "\n" if "\n" in gap else " " if gap else ""
        units.append(Unit(part, _rank(part, place, len(parts)), joint=joint, noun="sentences"))
    return units


def _rank(sentence: str, place: int, size: int) -> tuple[int, ...]:
    if place == 0:
        return (0,)
    if place == size - 1:
        return (1,)
    telling = (_CUE.search(sentence[:READ]) is not None) + (len(entities(sentence[:READ], 2)) > 0)
    return (4 - telling, place)
