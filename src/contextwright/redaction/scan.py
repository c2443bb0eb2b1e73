"""Scanners: a tuple of pattern names and expressions made ready to find and to redact.

    scanner = compile_patterns(("email", "secrets", r"\\bACME-[0-9]{4}\\b"))
    text, spans = scanner.redact("mail bob@example.com")    # "mail [REDACTED]"

Built-in patterns run on the stdlib's `re`, always; expressions of a user run on RE2, always: what
a scanner finds does not depend on what is installed.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from contextwright.errors import SpecError
from contextwright.redaction.find import Haystack, find
from contextwright.redaction.patterns import Pattern, catalogue
from contextwright.redaction.unfold import unfold
from contextwright.redaction.user_patterns import compile_user_pattern, find_user_pattern

PLACEHOLDER = "[REDACTED]"
_EXACT_ROUNDS = 4
_LINE_ROUNDS = 8


class Span(NamedTuple):
    """A place to redact: offsets in characters, and the pattern's name or expression."""

    start: int
    end: int
    name: str


class Scanner(msgspec.Struct, frozen=True, dict=True):
    """What to look for. Equal if asked for the same; safe to share."""

    patterns: tuple[str, ...]

    def spans(self, text: str) -> tuple[Span, ...]:
        """Everything to redact in `text`, in order, disjoint; a placeholder is never part of it.

        Spans that overlap become one, with the name of the longest.
        """
        return self._settle(text, PLACEHOLDER, False)

    def redact(
        self, text: str, *, placeholder: str = PLACEHOLDER, label: bool = False
    ) -> tuple[str, tuple[Span, ...]]:
        """The redacted text, and the spans of the original that are gone from it.

        Redacting the result again changes nothing.

        Args:
            text: any text.
            placeholder: what stands in for a span.
            label: write `[REDACTED:email]`; a user's expression is labelled `custom`.
        """
        spans = self._settle(text, placeholder, label)
        return _replaced(text, spans, placeholder, label), spans

    def _settle(self, text: str, placeholder: str, label: bool) -> tuple[Span, ...]:
        """Scan until a scan of the result finds nothing.

        A placeholder can uncover a match, as it can end a word. Expressions that go on uncovering
        matches (`\\b.`) are cut short: whole lines from the fifth round on, all from the ninth.
        """
        opaque = _placeholders(placeholder)
        spans: tuple[Span, ...] = ()
        current = text
        for turn in range(_LINE_ROUNDS + 2):
            matches = self._uncovered(current, opaque)
            if not matches:
                break
            if turn >= _EXACT_ROUNDS:
                matches = _widened(current, matches, whole=turn >= _LINE_ROUNDS)
            shifts = _Shifts(spans, placeholder, label)
            spans = _merged((*spans, *(shifts.original(span) for span in matches)))
            current = _replaced(text, spans, placeholder, label)
        return spans

    def _uncovered(self, text: str, opaque: re.Pattern[str]) -> tuple[Span, ...]:
        """The matches in `text` with something besides placeholders in them."""
        matches = _merged(self._matches(text))
        if not matches or not (covered := [m.span() for m in opaque.finditer(text)]):
            return matches
        return tuple(span for span in matches if not _is_covered(span, covered))

    def _matches(self, text: str) -> Iterator[Span]:
        yield from self._matches_as_is(text)
        unfolded = unfold(text)
        if unfolded is not None:
            for start, end, name in self._matches_as_is(unfolded.text):
                yield Span(*unfolded.original(start, end), name)

    def _matches_as_is(self, text: str) -> Iterator[Span]:
        haystack = Haystack(text)
        for pattern in self._built_in:
            if not haystack.may_hold(pattern):
                continue
            for start, end in find(pattern, haystack):
                yield Span(start, end, pattern.name)
        for source, regex in self._custom:
            for start, end in find_user_pattern(regex, text):
                yield Span(start, end, source)

    @cached_property
    def _built_in(self) -> tuple[Pattern, ...]:
        known = catalogue()
        patterns = (pattern for name in self.patterns for pattern in known.get(name, ()))
        return tuple(dict.fromkeys(patterns))

    @cached_property
    def _custom(self) -> tuple[tuple[str, Any], ...]:
        known = catalogue()
        sources = dict.fromkeys(source for source in self.patterns if source not in known)
        return tuple((source, compile_user_pattern(source)) for source in sources)


def compile_patterns(patterns: tuple[str, ...]) -> Scanner:
    """The scanner of these patterns: built-in names and groups, or expressions in RE2's syntax.

    Raises:
        SpecError: no pattern, not text, or a word that looks like a misspelled name.
        PatternError: an expression that RE2 refuses; `fix` has the rewrite.
        MissingExtra: an expression without google-re2 installed (extra `redact`).
    """
    if not isinstance(patterns, tuple) or not patterns:  # pyright: ignore[reportUnnecessaryIsInstance]
        fix = 'patterns=["email", "phone"]'
        raise SpecError("no patterns", where="redact(patterns=[])", fix=fix)
    for source in patterns:
        if not isinstance(source, str) or not source:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SpecError(
                f"{source!r} is no pattern",
                where="redact(patterns=...)",
                fix="a name, a group or an expression",
            )
    return _scanner(patterns)


@lru_cache(maxsize=256)
def _scanner(patterns: tuple[str, ...]) -> Scanner:
    for source in patterns:
        if source not in catalogue():
            _refuse_misspelled(source)
            compile_user_pattern(source)
    return Scanner(patterns)


_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")
_ALSO_CALLED = {
    "email": "mail",
    "phone": "phone_number mobile telephone",
    "ssn": "social_security_number us_ssn",
    "credit_card": "card",
    "iban": "iban_code bank_account",
    "ip": "ipv4 ipv6 ip_address",
    "date_of_birth": "dob",
    "us_passport": "passport",
    "us_itin": "itin",
    "mac_address": "mac",
    "aws_key": "aws",
    "github_token": "github",
    "pii": "personal_data",
    "secrets": "credentials",
}


def _refuse_misspelled(word: str) -> None:
    if not _PLAIN_WORD.fullmatch(word):
        return
    from difflib import get_close_matches

    names = {name.replace("_", ""): name for name in catalogue()}
    for name, others in _ALSO_CALLED.items():
        names |= dict.fromkeys(others.replace("_", "").split(), name)
    plain = word.lower().replace("_", "").replace("-", "").replace(" ", "")
    near = get_close_matches(plain, names, n=1, cutoff=0.75)
    if near:
        raise SpecError(
            f"no pattern is called {word!r}",
            where=f"redact(patterns=[..., {word!r}])",
            fix=f"{names[near[0]]!r}; to look for the word itself, r'\\b{word}\\b'",
        )


@lru_cache(maxsize=64)
def _placeholders(placeholder: str) -> re.Pattern[str]:
    """What a placeholder looks like in text; a label counts only if it is one of ours."""
    names = "|".join(sorted({*catalogue(), "custom"}))
    head, tail = re.escape(placeholder[:-1]), re.escape(placeholder[-1:])
    return re.compile(rf"{head}(?::(?:{names}))?{tail}")


def _stand_in(name: str, placeholder: str, label: bool) -> str:
    if not label:
        return placeholder
    return f"{placeholder[:-1]}:{name if name in catalogue() else 'custom'}{placeholder[-1:]}"


def _replaced(text: str, spans: tuple[Span, ...], placeholder: str, label: bool) -> str:
    pieces: list[str] = []
    place = 0
    for start, end, name in spans:
        pieces += text[place:start], _stand_in(name, placeholder, label)
        place = end
    return "".join((*pieces, text[place:])) if spans else text


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The union of the spans: what overlaps is one span, named after its longest part."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            longest = span.end - span.start
            continue
        last, size = merged[-1], span.end - span.start
        name = span.name if size > longest else last.name
        longest = max(longest, size)
        merged[-1] = Span(last.start, max(last.end, span.end), name)
    return tuple(merged)


def _is_covered(span: Span, covered: list[tuple[int, int]]) -> bool:
    place = span.start
    first = max(0, bisect_right(covered, (span.start, span.start)) - 1)
    for at in range(first, len(covered)):
        start, end = covered[at]
        if start > place or place >= span.end:
            break
        place = max(place, end)
    return place >= span.end


def _widened(text: str, spans: tuple[Span, ...], *, whole: bool) -> tuple[Span, ...]:
    if whole:
        return (Span(0, len(text), spans[0].name),)
    lines: list[Span] = []
    for span in spans:
        if lines and span.end <= lines[-1].end:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        lines.append(Span(start, end if end >= 0 else len(text), span.name))
    return _merged(lines)


class _Shifts:
    """From offsets in a text with spans replaced to offsets in the original."""

    def __init__(self, spans: tuple[Span, ...], placeholder: str, label: bool) -> None:
        self._spans = spans
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for start, end, name in spans:
            size = len(_stand_in(name, placeholder, label))
            self._starts.append(start + shift)
            self._ends.append(start + shift + size)
            shift += size - (end - start)

    def original(self, span: Span) -> Span:
        """The span in the original; one that ends inside a placeholder takes all of it."""
        return Span(self._back(span.start, 0), self._back(span.end, 1), span.name)

    def _back(self, offset: int, ends: int) -> int:
        """An offset in the original; `ends` is 1 for the end of a span, 0 for its start."""
        at = bisect_right(self._starts, offset - ends) - 1
        if at < 0:
            return offset
        start, end, _ = self._spans[at]
        behind = offset - self._ends[at]
        if behind < ends:
            return end if ends else start
        return end + behind
