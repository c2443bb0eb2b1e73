"""The catalogue of built-in patterns: personal data, and the groups of names.

Every expression runs on the stdlib's `re`, so that the same text gives the same bytes on every
machine. Each is also valid in RE2 (no look-around, no back-reference), every repetition is
bounded, by itself or by `lead`, and no two neighbouring repetitions share a character: matching is
linear.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

import msgspec

from contextwright.redaction import checks, phone_numbers
from contextwright.redaction.checks import Check
from contextwright.redaction.edges import opening
from contextwright.redaction.haystack import Haystack


class Pattern(msgspec.Struct, frozen=True):
    """One expression and what must hold around it.

    Args:
        name: what it finds; several patterns may share a name.
        regex: where it has a group, the group is what is redacted.
        literals: texts one of which every match holds. In lower case where `fold` is set.
        lead: signs that a match has before its literal, or its anchor. 0: it begins there.
        back: the kind of those signs, as a class of characters, where `lead` is the most there may
            be; without it a match has exactly so many.
        anchor: instead of literals, a cheap expression that matches inside of every match, and as
            much of a run as it can, so that a run is looked at once.
        starts: where the matches that its check takes may begin, in order, found by cheaper means
            than a search; with literals, somewhere behind one.
        ahead: what its check asks for of the beginning of a match, as an expression: most places
            are passed over without a call.
        in_run: a match has 16 or more characters and no space, so that a look at the long words
            of the text tells whether its literals need to be searched for.
        digits: ASCII digits that a match has at least, with no more than three of ` .()/-` between
            two: most texts have no so many together.
        fold: letter case does not matter.
        free: a match may touch anything. Else no ASCII letter, digit or underscore may touch it.
        glue: characters that may not touch a match where a digit is behind them.
        check: a last word on a match.
    """

    name: str
    regex: str
    literals: tuple[str, ...] = ()
    lead: int = 0
    back: str = ""
    anchor: str = ""
    starts: Callable[[Haystack], list[int]] | None = None
    ahead: str = ""
    in_run: bool = False
    digits: int = 0
    fold: bool = False
    free: bool = False
    glue: str = ""
    check: Check | None = None


_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# Latin, Greek and Cyrillic: addresses with CJK letters are not told from the words around them.
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_LOCAL = f"{_LETTERS}0-9"
_DOMAIN = (
    rf"(?:[{_LOCAL}][{_LOCAL}-]{{0,62}}\.){{1,8}}(?:xn--[A-Za-z0-9-]{{2,59}}|[{_LETTERS}]{{2,24}})"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"

_HEX2, _HEX4 = "[0-9A-Fa-f]{2}", "[0-9A-Fa-f]{4}"


def _mac(regex: str, anchor: str, lead: int) -> Pattern:
    return Pattern("mac_address", regex, anchor=anchor, lead=lead, glue="-.", check=checks.mac)


PERSONAL: tuple[Pattern, ...] = (
    Pattern(
        "email",
        # Lengths of RFC 5321 §4.5.3.1, the local part doubled: a long one is no reason to pass.
        # What may stand in it, and not first, is passed over.
        rf"[.%'&=-]{{0,127}}([{_LOCAL}_+][{_LOCAL}_.+%'&=-]{{0,127}}@{_DOMAIN})",
        # Only an `@` with a domain behind it is worth a look at what is before it.
        anchor=f"@{_DOMAIN}",
        lead=128,
        back=rf"[{_LOCAL}_.+%'&=-]",
        free=True,
    ),
    Pattern(
        "phone",
        phone_numbers.NUMBER,
        starts=phone_numbers.starts,
        digits=6,
        glue=phone_numbers.GLUE,
        check=phone_numbers.phone,
    ),
    Pattern(
        "ssn", r"[0-8][0-9]{2}[ .-]?[0-9]{2}[ .-]?[0-9]{4}\b", digits=9, glue="-.", check=checks.ssn
    ),
    # IRS Publication 1915: groups 50-65, 70-88, 90-92, 94-99.
    Pattern(
        "us_itin",
        r"[9][0-9]{2}-(?:5[0-9]|6[0-5]|7[0-9]|8[0-8]|9[0-24-9])-[0-9]{4}\b",
        digits=9,
        glue="-.",
    ),
    Pattern(
        "credit_card",
        r"[1-6](?:[ -]?[0-9]){11,18}",
        digits=12,
        ahead=r"[46]|3[ -]?[04-9]|5[ -]?[0-8]|2[ -]?[1-7]|1[ -]?8",
        glue="-.",
        check=checks.card,
    ),
    Pattern("iban", r"[A-Z][A-Z][0-9]{2}(?:[ -]?[A-Z0-9]){11,30}", digits=2, check=checks.iban),
    Pattern(
        "iban",
        r"[a-z][a-z][0-9]{2}[a-z0-9]{11,30}",
        # what stands before the first digit is looked at first: digits are in most texts
        anchor=r"[0-9](?<=[a-z][a-z].)[0-9][a-z0-9]{11,30}",
        lead=2,
        digits=2,
        check=checks.iban,
    ),
    Pattern(
        "ip",
        rf"{_OCTET}(?:\.{_OCTET}){{3}}\b(?:/[0-9]{{1,2}}\b)?",
        anchor=r"\.[0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})*",
        lead=3,
        back="[0-9]",
        digits=4,
        glue=".",
    ),
    Pattern(
        "ip",
        r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{0,40}(?:/[0-9]{1,3}\b)?",
        anchor=":[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*",
        lead=4,
        back="[0-9A-Fa-f]",
        check=checks.ipv6,
    ),
    # EUI-48 or EUI-64; a longer run is a dump, or a fingerprint.
    _mac(rf"{_HEX2}(?::{_HEX2}){{5,40}}\b", f":{_HEX2}(?::{_HEX2}){{4,}}", 2),
    _mac(rf"{_HEX2}(?:-{_HEX2}){{5,40}}\b", f"-{_HEX2}(?:-{_HEX2}){{4,}}", 2),
    _mac(rf"{_HEX4}(?:\.{_HEX4}){{2,20}}\b", rf"\.{_HEX4}(?:\.{_HEX4})+", 4),
    Pattern("us_passport", r"[A-Z][0-9]{8}\b", digits=8, glue="-."),
    Pattern(
        "us_passport", r"passport[^0-9\n]{0,24}\b([0-9]{9})\b", ("passport",), digits=9, fold=True
    ),
    Pattern(
        "date_of_birth",
        r"(?:birth(?:day|date)?|born|dob|d\.o\.b\.?)\b[^0-9\n]{0,16}?\b"
        rf"([0-9]{{1,4}}[./-][0-9]{{1,2}}[./-][0-9]{{2,4}}|{_MONTH}\.? [0-9]{{1,2}},? [0-9]{{4}}"
        rf"|[0-9]{{1,2}}(?:st|nd|rd|th)? {_MONTH}\.?,? [0-9]{{4}})\b",
        ("birth", "born", "dob", "d.o.b"),
        digits=4,
        fold=True,
        free=True,
    ),
    Pattern(
        "url",
        r"(?:https?|ftp|wss?)://[^\s\"'<>`\\]+",
        ("http://", "https://", "ftp://", "ws://", "wss://"),
        free=True,
    ),
)


@cache
def catalogue() -> dict[str, tuple[Pattern, ...]]:
    """Every built-in name with its patterns, the groups `pii`, `secrets` and `api_key` included.

    `url` is in no group: the links of a tool result are rarely secret, and often needed.
    """
    from contextwright.redaction.credentials import SECRETS
    from contextwright.redaction.named_numbers import NAMED_NUMBERS
    from contextwright.redaction.national_ids import NATIONAL_IDS

    personal = (*PERSONAL, *NAMED_NUMBERS, *NATIONAL_IDS)
    names: dict[str, tuple[Pattern, ...]] = {}
    for pattern in (*personal, *SECRETS):
        names[pattern.name] = (*names.get(pattern.name, ()), pattern)
    names["pii"] = tuple(pattern for pattern in personal if pattern.name != "url")
    names["secrets"] = SECRETS
    others = ("password", "private_key", "url_password")
    names["api_key"] = tuple(pattern for pattern in SECRETS if pattern.name not in others)
    return names


@cache
def compiled(pattern: Pattern) -> re.Pattern[str]:
    """The expression on the stdlib's `re`, with `\\b` and letter case as ASCII has them."""
    return re.compile(pattern.regex, re.ASCII | (re.IGNORECASE if pattern.fold else 0))


def any_sign(patterns: list[Pattern]) -> re.Pattern[str]:
    """What a text that one of these matches has: a literal, if it is ASCII, an anchor, or else a
    match."""
    signs: list[str] = []
    literals: list[str] = []
    for pattern in patterns:
        literals += (literal for literal in pattern.literals if literal.isascii())
        signs += [] if pattern.literals else [pattern.anchor or pattern.regex]
    return re.compile("|".join((*signs, *_by_first(literals))) or "(?!)", re.ASCII)


def _by_first(literals: list[str]) -> Iterator[str]:
    """Literals as expressions, one for each of their first signs: so few are tried at a place."""
    rests: dict[str, list[str]] = {}
    for literal in dict.fromkeys(literals):
        rests.setdefault(literal[0], []).append(re.escape(literal[1:]))
    for first, some in rests.items():
        yield f"{re.escape(first)}(?:{'|'.join(some)})"


_CLASS = r"\[[^\]]+\](?:\{([0-9])\})?(?![?*+{])"
_FIRST = re.compile(f"(?:{_CLASS})+")


@cache
def compiled_search(pattern: Pattern) -> re.Pattern[str]:
    """The same to search with: what a match may not begin behind, and `ahead`, are part of it.

    One whose matches may not touch anything begins with classes of signs.
    """
    first = _FIRST.match(pattern.regex)
    if pattern.free or not first:
        return compiled(pattern)
    size = sum(int(times or 1) for times in re.findall(_CLASS, first[0]))
    rest = pattern.regex[first.end() :]
    return re.compile(opening(first[0], pattern.glue, pattern.ahead, size) + rest, re.ASCII)


@cache
def compiled_anchor(anchor: str) -> re.Pattern[str]:
    """An anchor on the stdlib's `re`."""
    return re.compile(anchor, re.ASCII)


@cache
def signs_of(kind: str) -> frozenset[str]:
    """The characters of a class, none of which is beyond Cyrillic."""
    return frozenset(re.findall(kind, "".join(map(chr, range(0x500)))))
