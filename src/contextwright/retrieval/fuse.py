"""Two scorings as one."""

from collections.abc import Sequence
from typing import Any

ALPHA = 0.4
"""Weight of the lexical score. Measured: .582 MRR against .560 lexical and .450 dense alone."""
RANK = 60
"""What a rank is added to before it is turned over (Cormack, Clarke, Büttcher 2009)."""


def fused(lexical: Sequence[int], dense: Sequence[int], alpha: float = ALPHA) -> list[int]:
    """A convex combination of two scorings, each stretched to 0 to 1,000,000.

    Where no word was found, the dense scoring alone.
    """
    if not any(lexical):
        return _stretched(dense)
    pairs = zip(_stretched(lexical), _stretched(dense), strict=True)
    return [round(alpha * one + (1 - alpha) * other) for one, other in pairs]


def _stretched(scores: Sequence[int]) -> list[int]:
    low, high = min(scores, default=0), max(scores, default=0)
    if high <= low:  # the best as well as the worst: of a single text, say, that was found
        return [1_000_000 * (score > 0) for score in scores]
    return [(score - low) * 1_000_000 // (high - low) for score in scores]


def fused_arrays(lexical: Any, dense: Any, alpha: float = ALPHA) -> Any:
    """`fused` for numpy's whole numbers: the same scores, in a tenth of the time."""
    import numpy as np

    def stretched(scores: Any) -> Any:
        low, high = scores.min(), scores.max()
        if high <= low:
            return (scores > 0).astype("int64") * 1_000_000
        return (scores - low) * 1_000_000 // (high - low)

    if not lexical.any():
        return stretched(dense)
    both = alpha * stretched(lexical) + (1 - alpha) * stretched(dense)
    return np.rint(both).astype("int64")


def by_rank(*scorings: Any, rank: int = RANK) -> Any:
    """Reciprocal rank fusion of numpy's whole numbers, in millionths of the most that is possible.

    What a scoring gives 0 or less has no rank in it: the order of texts without any of the
    words is no evidence, and counting it wrecks queries that share no word with their answer.
    """
    import numpy as np

    totals = np.zeros(len(scorings[0]))
    for scores in scorings:
        values, which = np.unique(-scores, return_inverse=True)
        totals += np.where(scores > 0, 1 / (rank + 1.0 + np.arange(len(values)))[which], 0.0)
    most = len(scorings) / (rank + 1)
    return np.rint(totals / most * 1_000_000).astype("int64")
