"""Features of a text that salience is scored by, computed once a text."""

import re
from typing import Any

import msgspec

from contextwright.memo.ownership import cached_text
from contextwright.retrieval.entity_tables import IDENTIFIER, SORTS
from contextwright.text.search_terms import MAX_TEXT, STOP, runs_of, stem, stems_of, words
from contextwright.text.unspaced_scripts import word_flags

LOOKED_AT = 8_000
"""Characters of a text that are looked at."""

STRUCTURE = 1.0
WITHIN = 0.6
"""For a heading, fence or marker that stands further down in a text."""
PLAIN = 0.3
"""For a text without structure (cooling-and-forgetting.md#salience)."""

_MARK = (
    r"[ \t]{0,3}(?:#{1,6}(?=[ \t\w])|```|~~~|(?:\*\*|__)?(?:todo|fixme|decision|decided|important|"
    r"warning|error|note|summary|result|goal|plan|constraint)s?(?:\*\*|__)?:)"
)
_BEGINS = re.compile(rf"\s*{_MARK}", re.IGNORECASE)
_HAS = re.compile(rf"^{_MARK}", re.IGNORECASE | re.MULTILINE)
_SAYS = re.compile(r"\w")
_REFERS = re.compile(
    r"\byou (?:asked|said|wanted|mentioned|told|requested)\b|\byours?\b|^[ \t]*(?:user|human):",
    re.IGNORECASE | re.MULTILINE,
)
_REFERRING = ("you", "user:", "human:")
"""What each of these has, in ASCII: most texts have none."""
# begin with what they are found by, and look behind that: so they are not tried at every character
_NUMBER = re.compile(r"\d(?<![\w.]\d)(?:[.,:/-]?\d){2,}(?!\w)")
_NAME = re.compile(r"[A-Z](?<=[a-z,;)\]] [A-Z])\w+(?: [A-Z]\w+)*")
"""A capital that no sentence begins with."""
_SIGNS = {"url": "://", "email": "@", "path": "/"}
"""What every one of a sort has: most texts have none of it."""
_FIRST = tuple(
    (_SIGNS.get(sort, ""), re.compile(f"({pattern.pattern})"))
    for sort, pattern in SORTS
    if sort not in {"identifier", "name"}
)
_QUOTED = rf"`([^`\n]{{2,60}})`|({IDENTIFIER})"
_WORDS = {
    flag: tuple(
        re.compile(one, flag)
        for one in (_QUOTED, f"({IDENTIFIER})", _NUMBER.pattern, _NAME.pattern)
    )
    for flag in (re.NOFLAG, re.ASCII)
}


class Features(msgspec.Struct, frozen=True):
    """What a text has.

    Args:
        entities: identifiers, paths, names, addresses, amounts and longer numbers, folded.
        structural: 1 for a heading, a code block or a marker such as `Decision:`, 0 for a text
            without any word, such as a rule.
    """

    entities: frozenset[str]
    words: frozenset[str]
    structural: float
    refers: bool


def features(text: str) -> Features:
    """The features of a text, of its first 8,000 characters."""
    return _features(text[:LOOKED_AT])


@cached_text
def _features(text: str) -> Features:
    return Features(
        entities=_entities(text),
        words=about(text),
        structural=_structural(text),
        refers=_refers(text),
    )


def _refers(text: str) -> bool:
    """Whether it speaks to the user, or of them."""
    if text.isascii():
        folded = text.lower()
        if not any(sign in folded for sign in _REFERRING):
            return False
    return _REFERS.search(text) is not None


def names_in(text: str) -> frozenset[str]:
    """The entities among the features of a text."""
    return _entities(text[:LOOKED_AT])


@cached_text
def _entities(text: str) -> frozenset[str]:
    values: list[str] = []
    for sign, pattern in _FIRST:
        if sign in text:
            text = _taken(pattern, text, values)  # a file's name in its path is no second thing
    quoted, identifier, number, name = _WORDS[word_flags(text)]
    text = _taken(quoted if "`" in text else identifier, text, values)
    values += number.findall(text)  # none is a part of a name, nor stands between two
    values += name.findall(text)
    return frozenset(map(str.casefold, values))


def _taken(pattern: re.Pattern[str], text: str, values: list[str]) -> str:
    """The text without what a pattern finds, which its groups give, in one look at it."""
    parts: list[Any] = pattern.split(text)
    every = pattern.groups + 1
    for group in range(1, every):
        values += filter(None, parts[group::every])
    return " ".join(parts[::every]) if len(parts) > 1 else text


def about(text: str) -> frozenset[str]:
    """The stems of a text's words that are about something; none where all are `the` and `is`."""
    if text.isascii():
        return frozenset(stems_of({*runs_of(text[:MAX_TEXT])}))
    return frozenset(stem(word) for word in words(text) if word not in STOP)


def _structural(text: str) -> float:
    if not _SAYS.search(text):
        return 0.0
    if _BEGINS.match(text):
        return STRUCTURE
    return WITHIN if _HAS.search(text) else PLAIN
