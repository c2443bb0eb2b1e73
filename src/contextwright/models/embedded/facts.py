"""Facts by rules: sentences with a number, a date, a wish, an identity or a decision; and two that
state different values of one subject, of which few are found."""

import re
from typing import Any

import msgspec

from contextwright.blocks.block import Block
from contextwright.models.embedded.near_duplicates import Distinct
from contextwright.models.embedded.statements import Statement, statements_in
from contextwright.text.stated_values import Claim, claims, clash

MAX_FACTS = 100
"""The newest facts that stay: a list of more would crowd out the talk it stands for."""
_USERS = re.compile(
    r"[$€£]\s?\d|\b\d[\d.,:/-]*\b|\b(?:my|our|i am|i'm|we are|we're|i have|we have|i was|i live|"
    r"prefer|budget|deadline|need|must|want|would like|don't|do not|never|always|because|"
    r"allergic|named|called|moved|work|bought|ordered)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:decided|confirmed|approved|agreed|refund(?:ed)?|cancell?ed|booked|fixed|resolved|"
    r"root cause|found|status|total|balance|order|version)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{\[<]|\d+[:|\t]|.*[;{}]$", re.DOTALL)
"""A value of JSON, an element, a line of a program: no sentence."""
_OTHER_HINTS = (
    "decided", "confirmed", "approved", "agreed", "refund", "cancel", "booked", "fixed", "resolved",
    "root cause", "found", "status", "total", "balance", "order", "version",
)  # fmt: skip
"""What every text has that `_OTHERS` finds anything in, in ASCII and in small letters."""
_SMALL = {pattern: re.compile(pattern.pattern) for pattern in (_USERS, _OTHERS)}
"""The same for texts in small letters, at a third of the cost."""


def facts(stated: list[Statement], previous: str) -> list[str]:
    """The facts before, then the new ones, none twice."""
    known = Distinct(known_facts(previous))
    for each in stated:
        text = each.text.strip()
        if text.endswith("?") or not 8 <= len(text) <= 300:
            continue
        if _CODE.match(text) or not _may_be_fact(each.speaker, text):
            continue
        speaker = each.speaker if each.speaker not in {"", "user"} else "The user"
        fact = f"{speaker}: {text}"
        known.add(fact)
    return known.texts[-MAX_FACTS:]


def _may_be_fact(speaker: str, text: str) -> bool:
    pattern = _USERS if speaker == "user" else _OTHERS
    if not text.isascii():
        return pattern.search(text) is not None
    small = text.lower()
    may = pattern is _USERS or any(map(small.__contains__, _OTHER_HINTS))
    return may and _SMALL[pattern].search(small) is not None


def known_facts(previous: str) -> list[str]:
    """The facts before: a JSON list, or a line each."""
    try:
        value: Any = msgspec.json.decode(previous) if previous else []
    except (msgspec.DecodeError, RecursionError):
        value = [line.lstrip("- ").strip() for line in previous.splitlines()]
    return [str(item) for item in value if item] if isinstance(value, list) else []


def conflicts(blocks: tuple[Block, ...]) -> list[dict[str, Any]]:
    """Pairs of places whose blocks state different values of one subject, with both sentences."""
    latest: dict[tuple[str, ...], tuple[int, Claim, str]] = {}
    pairs: list[dict[str, Any]] = []
    for place, block in enumerate(blocks):
        for statement in statements_in(block, place):
            for claim in claims(statement.text):
                earlier = latest.get(claim.subject)
                if earlier is not None and earlier[0] != place and clash(earlier[1], claim):
                    what = f"{earlier[2]} / {statement.text}"[:300]
                    pairs.append({"first": earlier[0], "second": place, "what": what})
                latest[claim.subject] = (place, claim, statement.text)
    return pairs
