"""What a sentence says that something is: `the budget is 5000`, `status: on`; and what clashes."""

import re
from typing import NamedTuple

from contextwright.text.search_terms import STOP, content_words, words

_IS = re.compile(
    r"(?:(?:^|[,;:]\s*|\b(?:that|and|but|actually|now)\s+)"
    r"(?:the |my |our |your |his |her |their |its )|^)"
    r"(?P<subject>[A-Za-z][\w' -]{2,40}?)\s+(?:is now|is|are|was|were|=)\s+"
    r"(?P<negated>not |no longer )?(?P<value>(?:[^,;.!?]|[,.](?=\d)){1,60})",
    re.IGNORECASE,
)
_KEY = re.compile(r"^(?P<subject>[A-Za-z][\w ]{2,30}):\s+(?P<value>[^\n]{1,60})$")
"""Not in a list: there, `- Price: $104` is the price of what stands above it."""
_VALUE = re.compile(
    r"[$€£]?(?P<amount>\d+(?:[.,]\d+)*)\s?(?P<unit>%|[km]\b)?"
    r"|\b(?:true|false|yes|no|on|off)\b(?! \w)"
    r"|(?:on |by )?(?:the )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b"
    r"|(?:on |by )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_SCALE = {"k": 1_000, "m": 1_000_000}


class Claim(NamedTuple):
    """That something is, or is not, a value: the subject's telling words, sorted."""

    subject: tuple[str, ...]
    value: str
    negated: bool


def claims(sentence: str) -> list[Claim]:
    """What a sentence says that something is; nothing of a question."""
    claims: list[Claim] = []
    if sentence.endswith("?"):
        return claims
    for match in [*_IS.finditer(sentence), *_KEY.finditer(sentence)]:
        groups = match.groupdict()
        subject = tuple(sorted(content_words(groups["subject"])))
        if not STOP.issuperset(words(groups["subject"])):
            value = groups["value"].strip().casefold()
            claims.append(Claim(subject, value, bool(groups.get("negated"))))
    return claims


def clash(known: Claim, new: Claim) -> bool:
    """Different amounts or switches, or the same value once with a `not`."""
    if set(content_words(known.value)) == set(content_words(new.value)):
        return known.negated != new.negated
    before, now = _VALUE.match(known.value), _VALUE.match(new.value)
    if not before or not now or known.negated or new.negated:
        return False
    rest = (
        set(content_words(known.value[before.end() :])),
        set(content_words(new.value[now.end() :])),
    )
    return _differ(before, now) and (rest[0] <= rest[1] or rest[1] <= rest[0])


def _differ(one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two values are not the same: `5,000`, `5k` and `$5000` are."""
    if not (one["amount"] and other["amount"]):
        return one[0].casefold() != other[0].casefold()
    return _size(one) != _size(other)


def _size(value: re.Match[str]) -> tuple[bool, str | float]:
    unit = (value["unit"] or "").casefold()
    amount = re.sub(r",(?=\d{3}(?!\d))", "", value["amount"])
    size = (
        float(amount) * _SCALE.get(unit, 1)
        if amount.count(".") < 2 and "," not in amount
        else amount
    )
    return unit == "%", size
