"""Pairs of what is alike in two sequences, none crossing another."""

from collections.abc import Sequence

Kind = tuple[str, ...]
"""What an item is told by: a role alone, or a role and ids, which weigh more."""
_MOST = 250_000
"""Pairs that are weighed, at most: what is larger is not worth the wait."""
_WEIGHT = 1_000
"""Of a pair with an id, in pairs without."""


def in_order(after: Sequence[Kind], before: Sequence[Kind]) -> list[tuple[int, int]]:
    """Places in both of what is one: as many pairs as there can be, and of those that are alike the
    last, as what is left out of a conversation is mostly its beginning.

    Args:
        after, before: what each item is told by.
    """
    pairs: list[tuple[int, int]] = []
    end, other = len(after), len(before)
    while end and other and after[end - 1] == before[other - 1]:
        end, other = end - 1, other - 1
        pairs.append((end, other))
    if end * other > _MOST:
        return pairs
    return pairs + _weighed(after[:end], before[:other])


def _weighed(after: Sequence[Kind], before: Sequence[Kind]) -> list[tuple[int, int]]:
    """The pairs that weigh most."""
    best = [[0] * (len(before) + 1) for _ in range(len(after) + 1)]
    for one in reversed(range(len(after))):
        weight = _WEIGHT if len(after[one]) > 1 else 1
        row, below = best[one], best[one + 1]
        for other in reversed(range(len(before))):
            paired = below[other + 1] + weight if after[one] == before[other] else 0
            row[other] = max(paired, below[other], row[other + 1])
    pairs: list[tuple[int, int]] = []
    one = other = 0
    while one < len(after) and other < len(before):
        if best[one][other] == best[one][other + 1]:
            other += 1
        elif best[one][other] == best[one + 1][other]:
            one += 1
        else:
            pairs.append((one, other))
            one, other = one + 1, other + 1
    return pairs
