"""A long text in parts of whole lines, each of which can be read at once."""

from bisect import bisect_left
from itertools import accumulate, pairwise

from contextwright.text.cut import Count

TRIES = 4
"""How often one part more is tried, where one has more tokens than it may."""


def line_parts(text: str, tokens: int, count: Count, most: int) -> tuple[int, ...]:
    """The lines with which parts begin, from 1 on: of about one size, each of at most so many
    tokens. Where that would be more than `most` of them, the last one has all the rest; none where
    lines are longer than that.

    Args:
        tokens: of a part, at least 1.
        count: tokens of a text.
        most: parts at most, two or more.
    """
    whole = count(text)
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    parts = -(-whole // tokens)
    for number in range(parts, parts + TRIES):
        starts = _starts(ends, number)
        named = starts[:most]
        bounds = [*named, len(ends) + 1] if named == starts else starts[: most + 1]
        if all(count(_lines(text, ends, *pair)) <= tokens for pair in pairwise(bounds)):
            return tuple(named)
    return ()


def _starts(ends: list[int], parts: int) -> list[int]:
    """The first lines of parts of about as many characters each."""
    whole = ends[-1]
    places = (bisect_left(ends, whole * part // parts) + 1 for part in range(1, parts))
    return list(dict.fromkeys([1, *(min(place + 1, len(ends)) for place in places)]))


def _lines(text: str, ends: list[int], start: int, stop: int) -> str:
    """The lines from one to the one in front of another, both counted from 1."""
    return text[ends[start - 2] if start > 1 else 0 : ends[stop - 2]]
