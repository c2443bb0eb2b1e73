"""Scanners: a tuple of pattern names and expressions made ready to find and to redact.

    scanner = compile_patterns(("email", "secrets", r"\\bACME-[0-9]{4}\\b"))
    text, spans = scanner.redact("mail bob@example.com")    # "mail [REDACTED]"

Built-in patterns run on the standard library's `re`, always; expressions of a user run on RE2,
always: what a scanner finds does not depend on what is installed.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from sys import maxsize
from typing import Any

import msgspec

from contextwright.errors import SpecError
from contextwright.redaction.find import find
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.operators import REPLACE, Operator
from contextwright.redaction.patterns import Pattern, any_sign, catalogue
from contextwright.redaction.readings import base64_texts, is_read_as_is, readings
from contextwright.redaction.settle import Span, settled
from contextwright.redaction.user_patterns import compile_user_pattern, find_user_pattern

SHORT = 200
"""Signs of a text up to which one look for anything at all is quicker than a look a pattern."""


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
        return settled(text, self.search(), operator)

    def is_plain(self, text: str) -> bool:
        """Whether a short text has no sign of anything, and stands for no other text."""
        return (
            len(text) <= SHORT
            and not self._custom
            and is_read_as_is(text)
            and not self._has_signs(Haystack(text))
        )

    def search(self) -> Callable[[str], Iterator[Span]]:
        """What gives what a text holds as it is, and under every encoding that it has signs of;
        for texts that have most of it in common, as it keeps what is in base64."""
        names: dict[str, str | None] = {}

        def inner(plain: str) -> str | None:
            if plain not in names:
                first = next(matches(plain), None)
                names[plain] = first.name if first else None
            return names[plain]

        def matches(text: str) -> Iterator[Span]:
            yield from self._matches_as_is(text)
            for reading in readings(text):
                for start, end, name in self._matches_as_is(reading.text):
                    yield Span(*reading.original(start, end), name)
            for start, end, plain in base64_texts(text):
                name = inner(plain)
                if name:
                    yield Span(start, end, name)

        return matches

    def _matches_as_is(self, text: str) -> Iterator[Span]:
        haystack = Haystack(text)
        if len(text) > SHORT or self._has_signs(haystack):
            digits = haystack.digits
            for pattern in self._built_in:
                if digits < pattern.digits:
                    continue
                if not pattern.in_run or haystack.has_in_run(pattern.literals):
                    for start, end in find(pattern, haystack):
                        yield Span(start, end, pattern.name)
        for source, regex in self._custom:
            for start, end in find_user_pattern(regex, text):
                yield Span(start, end, source)

    def _has_signs(self, haystack: Haystack) -> bool:
        """Whether a text has anything that its patterns begin to look at: most texts that base64
        stands for are short, and have not."""
        plain, folded = self._signs_with(haystack.digits)
        if haystack.has_in_run(self._in_runs) or plain.search(haystack.text):
            return True
        if folded.search(haystack.folded):
            return True
        return any(word in haystack.folded for word in haystack.possible(self._beyond_ascii))

    def _signs_with(self, digits: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What a match in a text of so many digits has, as it is and in lower case; not of what is
        in long words."""
        return self._signs[bisect_right(self._digits, digits)]

    @cached_property
    def _digits(self) -> tuple[int, ...]:
        """How many its patterns ask for."""
        return tuple(sorted({pattern.digits for pattern in self._built_in if pattern.digits}))

    @cached_property
    def _signs(self) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
        """Those of a text with fewer than each of these numbers, and of any."""
        return tuple(map(self._signs_below, (*self._digits, maxsize)))

    def _signs_below(self, digits: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
        patterns = [one for one in self._built_in if not one.in_run and one.digits < digits]
        plain, folded = ([one for one in patterns if one.fold is fold] for fold in (False, True))
        return any_sign(plain), any_sign(folded)

    @cached_property
    def _beyond_ascii(self) -> tuple[str, ...]:
        """What a match of those may have that no match in ASCII has."""
        literals = (literal for pattern in self._built_in for literal in pattern.literals)
        return tuple(dict.fromkeys(one for one in literals if not one.isascii()))

    @cached_property
    def _in_runs(self) -> tuple[str, ...]:
        """What a match of those that are looked for in long words has in it."""
        patterns = (pattern for pattern in self._built_in if pattern.in_run)
        return tuple(dict.fromkeys(sign for one in patterns for sign in one.literals))

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
    "national_id": "national_ids id_number tax_id cpf cnpj dni nie pesel aadhaar",
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
