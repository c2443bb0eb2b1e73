"""Room shared out so that the largest give first."""

from collections.abc import Sequence


def water_fill(sizes: Sequence[int], room: int) -> int:
    """The most that each may have so that all together have at most `room`: what is smaller stays
    whole. At least 0."""
    left, ordered = max(0, room), sorted(sizes)
    for place, size in enumerate(ordered):
        share = left // (len(ordered) - place)
        if size > share:
            return share
        left -= size
    return ordered[-1] if ordered else 0
