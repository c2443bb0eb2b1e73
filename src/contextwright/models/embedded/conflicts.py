"""Contradictions by rules: the same thing is said to be two things. Finds few, seldom wrong."""

import re
from typing import Any

from contextwright.blocks.block import Block
from contextwright.models.embedded.statements import Statement, said_in
from contextwright.recall.words import telling

_IS = re.compile(
    r"(?:^|[,;:]\s*|\b(?:that|and|but)\s+)(?:the |my |our |your |his |her |their |its )"
    r"(?P<subject>[A-Za-z][\w' -]{2,40}?)\s+(?:is now|is|are|was|were|=)\s+"
    r"(?P<negated>not |no longer )?(?P<value>[^,;.!?]{1,60}(?:\.\d+[^,;.!?]{0,20})?)",
    re.IGNORECASE,
)
_KEY = re.compile(r"^[-*\s]*(?P<subject>[A-Za-z][\w ]{2,30}):\s+(?P<value>[^\n]{1,60})$")
_VALUE = re.compile(
    r"[$€£]?\d+(?:[.,]\d+)*\s?%?[kKmM]?|\b(?:true|false|yes|no|on|off)\b", re.IGNORECASE
)


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
        if subject:
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
    return before[0].strip() != now[0].strip() and (rest[0] == rest[1] or not (rest[0] and rest[1]))
