"""The value that stands behind a secret's name: where it begins, and where it ends."""

import re

_PAIRS = (
    '""', "''", "``", "“”", "„“", "„”", "””", "«»", "»«", "‹›", "‘’", "「」", "『』",
    "《》", "＂＂",
)  # fmt: skip
_OPENING = "".join(dict.fromkeys(pair[0] for pair in _PAIRS))
# Scripts that are written without blanks, or in which nobody writes a password, and signs of
# sentences: such a sign is of the text that a value is glued to.
_OTHER = "\u0530-\u1dff\u2010-\u202f\u2e80-\ud7ff\uf900-\ufdff\ufe20-\uffef"
# all in one set, so that one look tells
_SIGN = rf"[^ \t\n\r\f\v\"'`<>«»{_OTHER}]"
_QUOTED = "|".join(
    rf"{first}[ ]?[^{first if first == last else first + last}\s]{{3,500}}"
    rf"[ ]?{last}"
    for first, last in _PAIRS
)
ANY_VALUE = rf"({_QUOTED}|{_SIGN}{{4,500}})"
"""A value, in quotes or up to a blank, or to a letter of a script of which no password is made."""

# what it begins with stands first, so that a search passes over all else
_BEHIND = re.compile(r"[,;&\])}](?:(?<=[,;&])(?:\s|[\w.-]+[=:])|(?<=[\])}])[\])}]*[,;.]*$)")


def value_of(match: re.Match[str]) -> tuple[int, int, bool]:
    """From where to where a value stands without its quotes, and what prose, a call or a list
    sets behind it; and whether it had quotes."""
    value, (start, end) = match[1], match.span(1)
    if value[0] in _OPENING:
        inner = value[1:-1].rstrip("\\").strip(" ")
        start = match.string.index(inner, start + 1)
        return start, start + len(inner), True
    behind = _BEHIND.search(value)
    if behind:
        end = start + behind.start()
    return start, start + len(match.string[start:end].rstrip(".,;:?\\([{")), False
