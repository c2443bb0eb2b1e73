"""Which items of two sequences are the same ones, in the same order."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher

_MOST = 1_000_000
"""Pairs of items that are weighed between two that nothing else is like."""


def matches(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Places in both of items that are equal, none crossing another: what is only once in both
    is told first, then what stands between."""
    pairs: list[tuple[int, int]] = []
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        pairs.append((start, start))
        start += 1
    ends = [*_anchors(one, other, start), (len(one), len(other))]
    left, right = start, start
    for stop, other_stop in ends:
        pairs += _between(one, other, (left, stop), (right, other_stop))
        if stop < len(one):
            pairs.append((stop, other_stop))
        left, right = stop + 1, other_stop + 1
    return pairs


def _anchors(
    one: Sequence[Hashable], other: Sequence[Hashable], start: int
) -> list[tuple[int, int]]:
    """The most items, each only once in both from `start` on, that stand in the same order."""
    counts = Counter(one[start:]), Counter(other[start:])
    places = {item: at for at, item in enumerate(other[start:], start) if counts[1][item] == 1}
    unique = [
        (at, places[item])
        for at, item in enumerate(one[start:], start)
        if item in places and counts[0][item] == 1
    ]
    ends: list[int] = []  # the smallest place at which an order of so many items ends
    ranks: list[int] = []
    for _, place in unique:
        rank = bisect_left(ends, place)
        ends[rank : rank + 1] = [place]
        ranks.append(rank)
    wanted = len(ends) - 1
    anchors: list[tuple[int, int]] = []
    for pair, rank in zip(reversed(unique), reversed(ranks), strict=True):
        if rank == wanted and (not anchors or pair[1] < anchors[-1][1]):
            anchors.append(pair)
            wanted -= 1
    return anchors[::-1]


def _between(
    one: Sequence[Hashable],
    other: Sequence[Hashable],
    span: tuple[int, int],
    other_span: tuple[int, int],
) -> Iterator[tuple[int, int]]:
    left, right = one[slice(*span)], other[slice(*other_span)]
    if not left or not right or len(left) * len(right) > _MOST:
        return
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    for first, second, length in blocks:
        for step in range(length):
            yield span[0] + first + step, other_span[0] + second + step
