"""Where one built-in pattern matches: literals first, the expression only around them."""

import re
from collections.abc import Iterator

from contextwright.redaction.edges import closes, opens
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import (
    Pattern,
    compiled,
    compiled_anchor,
    compiled_search,
    signs_of,
)

LONG = 200
"""Signs from which on a match takes long to judge. A key's first line, behind which all of the key
is looked at, is shorter."""
AROUND = 64
"""Signs on each side of a long match that its check looks at, at most."""
_MOST_REFUSED = 64


def find(pattern: Pattern, haystack: Haystack) -> Iterator[tuple[int, int]]:
    """The spans of a built-in pattern, in order, none overlapping another."""
    if pattern.lead:
        return _find_around(pattern, haystack)
    if pattern.starts:
        return _find_at(pattern, haystack, pattern.starts(haystack))
    if pattern.literals:
        return _find_at(pattern, haystack, haystack.places(pattern.literals, fold=pattern.fold))
    return _search(pattern, haystack.text)


def _find_at(pattern: Pattern, haystack: Haystack, places: list[int]) -> Iterator[tuple[int, int]]:
    """Of a pattern whose matches begin at one of these places."""
    text, match, done = haystack.text, compiled(pattern).match, 0
    judge = _Judge(pattern)
    for place in places:
        if place < done or not (one := match(text, place)):
            continue
        span = judge.accepted(one)
        if span:
            yield span
            done = span[1]


def _find_around(pattern: Pattern, haystack: Haystack) -> Iterator[tuple[int, int]]:
    """Of a pattern whose matches have a literal, or an anchor, in their middle."""
    text, match, done = haystack.text, compiled(pattern).match, 0
    for place in _places(pattern, haystack):
        start = _start(pattern, text, place, done)
        if start < done or not (one := match(text, start)):
            continue
        span = _accepted(pattern, one)
        if span:
            yield span
            done = span[1]


def _start(pattern: Pattern, text: str, place: int, done: int) -> int:
    """Where a match with its literal, or its anchor, at a place begins: so many signs before, or
    as many of the right kind as there are. One try a place: that keeps matching linear."""
    first = max(done, place - pattern.lead)
    if not pattern.back:
        return place - pattern.lead
    signs, start = signs_of(pattern.back), place
    while start > first and text[start - 1] in signs:
        start -= 1
    return start


def _places(pattern: Pattern, haystack: Haystack) -> list[int]:
    if pattern.anchor:
        return [match.start() for match in compiled_anchor(pattern.anchor).finditer(haystack.text)]
    return haystack.places(pattern.literals, fold=pattern.fold)


def _search(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    """Of a pattern that has nothing to look for before it is matched."""
    search, first = compiled_search(pattern).search, 0
    judge = _Judge(pattern)
    while match := search(text, first):
        span = judge.accepted(match)
        first = match.start() + 1
        if span:
            yield span
            first = span[1]


class _Judge:
    """Which matches of a pattern are taken. A long one that was refused is refused again, unseen,
    where the same stands in it and around it: of `token=token=token=` one begins at each name.

    Args:
        pattern: the pattern.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._refused: set[str] = set()

    def accepted(self, match: re.Match[str]) -> tuple[int, int] | None:
        """What of a match is redacted; None for nothing."""
        start, end = match.span()
        if end - start < LONG or start < AROUND:
            return _accepted(self._pattern, match)
        around = match.string[start - AROUND : end + AROUND]
        if around in self._refused:
            return None
        span = _accepted(self._pattern, match)
        if span is None:
            if len(self._refused) == _MOST_REFUSED:
                self._refused.clear()
            self._refused.add(around)
        return span


def _accepted(pattern: Pattern, match: re.Match[str]) -> tuple[int, int] | None:
    text, is_free = match.string, pattern.free
    if not is_free and not opens(text, match.start(), pattern.glue):
        return None
    span = pattern.check(match) if pattern.check else match.span(match.re.groups)
    if span is None:
        return None
    start, end = span
    if not is_free:
        return span if closes(text, end, pattern.glue) else None
    if start and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1
    return start, end
