"""Scanners: a tuple of pattern names and expressions made ready to find and to redact.

    scanner = compile_patterns(("email", "secrets", r"\\bACME-[0-9]{4}\\b"))
    text, spans = scanner.redact("mail bob@example.com")    # "mail [REDACTED]"

Built-in patterns run on the standard library's `re`, always; expressions of a user run on RE2,
always: what a scanner finds does not depend on what is installed.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from contextwright.errors import SpecError
from contextwright.redaction.find import Haystack, find
from contextwright.redaction.operators import REPLACE, Operator
from contextwright.redaction.patterns import Pattern, catalogue
from contextwright.redaction.readings import base64_texts, readings
from contextwright.redaction.settle import Span, settled
from contextwright.redaction.user_patterns import compile_user_pattern, find_user_pattern


class Scanner(msgspec.Struct, frozen=True, dict=True):
    """What to look for. Equal if asked for the same; safe to share."""

    patterns: tuple[str, ...]

    def spans(self, text: str) -> tuple[Span, ...]:
        """Everything to redact in `text`, in order, disjoint; a stand-in is never part of it.

        Spans that overlap become one, with the name of the longest.
        """
        return self.redact(text)[1]

    def redact(self, text: str, operator: Operator = REPLACE) -> tuple[str, tuple[Span, ...]]:
        """The redacted text, and the spans of the original that are gone from it. JSON stays
        JSON; redacting the result again changes nothing.
        """
        return settled(text, self.matches, operator)

    def matches(self, text: str) -> Iterator[Span]:
        """What a text holds as it is, and under every encoding that it has signs of."""
        yield from self._matches_as_is(text)
        for reading in readings(text):
            for start, end, name in self._matches_as_is(reading.text):
                yield Span(*reading.original(start, end), name)
        for start, end, plain in base64_texts(text):
            inner = next(self.matches(plain), None)
            if inner:
                yield Span(start, end, inner.name)

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
