"""How sure a mean is: a bootstrap over what was drawn together, sessions or conversations."""

import random
from collections.abc import Sequence

DRAWS = 1_000


def mean_interval(groups: Sequence[Sequence[float]]) -> list[float]:
    """The low end, the mean over all values, and the high end of 95 of 100 draws of the groups."""
    groups = [group for group in groups if group]
    dice = random.Random(0)
    sums = [(sum(group), len(group)) for group in groups]
    means = sorted(_mean(dice.choices(sums, k=len(sums))) for _ in range(DRAWS))
    low, high = means[int(DRAWS * 0.025)], means[int(DRAWS * 0.975)]
    return [round(figure, 4) for figure in (low, _mean(sums), high)]


def _mean(sums: Sequence[tuple[float, int]]) -> float:
    return sum(total for total, _ in sums) / sum(count for _, count in sums)
