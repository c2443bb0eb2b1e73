"""Where one built-in pattern matches: literals first, the expression only around them."""

import re
from collections.abc import Iterator
from functools import cached_property

from contextwright.redaction.patterns import Pattern, compiled, compiled_anchor, signs_of

_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_.~+/=-]{16,}")
_RUN = re.compile("[0-9A-Za-z_]*")


class Haystack:
    """A text, with what several patterns need of it, made when it is needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def may_hold(self, pattern: Pattern) -> bool:
        """Whether the long words of the text, in which tokens are, have one of its literals."""
        return not pattern.in_run or any(literal in self._runs for literal in pattern.literals)

    @cached_property
    def _runs(self) -> str:
        return "\n".join(_TOKEN_RUN.findall(self.text))

    @cached_property
    def folded(self) -> str:
        """The text in lower case, at the same offsets."""
        # U+0130 is the one letter whose lower case is longer.
        return self.text.replace("\u0130", "I").lower()


def find(pattern: Pattern, haystack: Haystack) -> Iterator[tuple[int, int]]:
    """The spans of a built-in pattern, in order, none overlapping another."""
    text = haystack.text
    if not pattern.literals and not pattern.anchor:
        yield from _search(pattern, text)
        return
    done = 0
    for place in _places(pattern, haystack):
        start = _start(pattern, text, place, done)
        if start < done or not _opens(pattern, text, start):
            continue
        match = compiled(pattern).match(text, start)
        span = _accepted(pattern, match) if match else None
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
    text = haystack.folded if pattern.fold else haystack.text
    places: list[int] = []
    for literal in pattern.literals:
        place = text.find(literal)
        while place >= 0:
            places.append(place)
            place = text.find(literal, place + len(literal))
    return sorted(places) if len(pattern.literals) > 1 else places


def _search(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    search, first = compiled(pattern).search, 0
    while match := search(text, first):
        start = match.start()
        span = _accepted(pattern, match) if _opens(pattern, text, start) else None
        if span:
            yield span
            first = span[1]
        elif pattern.free:
            first = start + 1
        else:
            # No match can open inside a word: on to its end.
            run = _RUN.match(text, start)
            first = max(start + 1, run.end() if run else 0)


def _opens(pattern: Pattern, text: str, start: int) -> bool:
    """Whether a match may start here: not inside a word, nor behind a number it continues."""
    if start < 0:
        return False
    if pattern.free or not start:
        return True
    before = text[start - 1]
    if before in _WORD:
        # The `n` of a `\n` in JSON text is no part of a word.
        return before in "nrt" and text[start - 2 : start - 1] == "\\"
    return not (before in pattern.glue and text[start - 2 : start - 1] in _DIGITS)


def _accepted(pattern: Pattern, match: re.Match[str]) -> tuple[int, int] | None:
    span = pattern.check(match) if pattern.check else match.span(match.re.groups)
    if span is None:
        return None
    start, end = span
    text = match.string
    if not pattern.free:
        after = text[end : end + 1]
        if after in _WORD or (
            after and after in pattern.glue and text[end + 1 : end + 2] in _DIGITS
        ):
            return None
    elif start and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1
    return start, end
