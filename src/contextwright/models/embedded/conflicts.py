"""Contradictions by rules: the same thing is said to be two things. Finds few of them."""

import re
from typing import Any

from contextwright.blocks.block import Block
from contextwright.models.embedded.statements import Statement, said_in
from contextwright.recall.words import STOP, telling, words

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
    r"|\b(?:true|false|yes|no|on|off)\b",
    re.IGNORECASE,
)
_SCALE = {"k": 1_000, "m": 1_000_000}


def conflicts(blocks: tuple[Block, ...]) -> list[dict[str, Any]]:
    """Pairs of places whose blocks say different things of one subject, with what they say."""
    said: dict[tuple[str, ...], tuple[int, str, bool, str]] = {}
    found: list[dict[str, Any]] = []
    for place, block in enumerate(blocks):
        for one in said_in(block, place):
            for subject, value, negated in _claims(one):
                known = said.get(subject)
                if known is not None and known[0] != place and _clash(known, value, negated):
                    found.append(
                        {
                            "first": known[0],
                            "second": place,
                            "what": f"{known[3]} / {one.text}"[:300],
                        }
                    )
                said[subject] = (place, value, negated, one.text)
    return found


def _claims(one: Statement) -> list[tuple[tuple[str, ...], str, bool]]:
    found: list[tuple[tuple[str, ...], str, bool]] = []
    if one.text.endswith("?"):
        return found
    for match in [*_IS.finditer(one.text), *_KEY.finditer(one.text)]:
        groups = match.groupdict()
        subject = tuple(sorted(telling(groups["subject"])))
        if not STOP.issuperset(words(groups["subject"])):
            found.append((subject, groups["value"].strip().casefold(), bool(groups.get("negated"))))
    return found


def _clash(known: tuple[int, str, bool, str], value: str, negated: bool) -> bool:
    """Different amounts or switches, or the same value once with a `not`."""
    if set(telling(known[1])) == set(telling(value)):
        return known[2] != negated
    before, now = _VALUE.match(known[1]), _VALUE.match(value)
    if not before or not now or known[2] or negated:
        return False
    rest = set(telling(known[1][before.end() :])), set(telling(value[now.end() :]))
    return _differ(before, now) and (rest[0] == rest[1] or not (rest[0] and rest[1]))


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
