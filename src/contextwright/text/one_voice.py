"""Texts of many behind each other, each behind who says it: none of them says anything in another's
name (rules.md#trust)."""

import re

from contextwright.text.speakers import NAMED_ASSISTANT

_SAYS = (
    r"(?:e\d+\S*+ (?:\[[^\]\n]*+\] )?)?"
    rf"(?:user|assistant|{NAMED_ASSISTANT}|system|developer|human|tool)[^\S\n]*+:"
)
"""What a row begins with that is read as somebody's words, behind an id or without one. What is
indented is a part of something else, such as a field of a class, and is not: code stays code."""
_begins = re.compile(_SAYS, re.IGNORECASE).match
_LATER = re.compile(rf"([\n\r\v\f\x1c-\x1e\x85\u2028\u2029])(?={_SAYS})", re.IGNORECASE)
MARK = "> "
"""In front of a row that would be read as somebody else's: as one writes what one cites."""


def in_one_voice(text: str, *, first: bool = False) -> str:
    """The text with a mark in front of each row that would be read as somebody else's words; what
    has them stays as it is.

    Args:
        first: whether the first row is looked at as well: nobody is named in front of it.
    """
    if ":" not in text:
        return text
    # most texts are one row: no sign that ends one is printable
    marked = text if text.isprintable() else _LATER.sub(rf"\1{MARK}", text)
    return f"{MARK}{marked}" if first and _begins(marked) else marked
