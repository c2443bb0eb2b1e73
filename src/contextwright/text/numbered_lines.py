"""Files as tools print them, each line behind its number: the lines themselves.

A tab, an arrow, a bar or a colon behind a number is a mark. A blank alone is one only where numbers
end in one column and count on, line by line.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

SHARE = 80
"""Percent of a text's lines that begin with their number from which on numbers are not its own."""
SEEN = 200
"""Lines that it is told from."""
_MARKED = re.compile(r" *(\d+)(?:\t|: |\| ?|→)")
_BLANK = re.compile(r" *(\d+)(?: |$)")


def numbered(text: str) -> list[tuple[int, str]]:
    """The lines of a file that a text shows behind their numbers, each with its number; none where
    it is not such a text."""
    lines = text.splitlines()
    number = _number_of(lines)
    if number is None:
        return []
    matches = [(number.match(line), line) for line in lines]
    return [(int(match[1]), line[match.end() :]) for match, line in matches if match]


def is_numbered(lines: Sequence[str]) -> bool:
    """Whether most lines stand behind their numbers."""
    return _number_of(lines) is not None


def without_numbers(lines: Sequence[str]) -> list[str]:
    """Lines, those of a file that they show without their numbers."""
    number = _number_of(lines) or _MARKED
    return [number.sub("", line, count=1) if number.match(line) else line for line in lines]


def _number_of(lines: Sequence[str]) -> re.Pattern[str] | None:
    """What stands in front of most lines; None where nothing does."""
    seen = [line for line in lines[:SEEN] if line.strip()]
    for number in (_MARKED, _BLANK):
        matches = [match for line in seen if (match := number.match(line))]
        if matches and len(matches) * 100 >= SHARE * len(seen):
            return number if number is _MARKED or _counts_on(matches) else None
    return None


def _counts_on(matches: Sequence[re.Match[str]]) -> bool:
    """Whether numbers end in one column and most are one more than the last."""
    columns = {match.end(1) for match in matches}
    numbers = [int(match[1]) for match in matches]
    steps = sum(1 for one, other in pairwise(numbers) if other == one + 1)
    return len(columns) == 1 and len(matches) > 1 and steps * 2 >= len(matches) - 1
