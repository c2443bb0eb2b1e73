"""The values of a word's options that a search may try (`ctx tune`): a word names them itself."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class ValueRange(NamedTuple):
    """Numbers between two, both included.

    Args:
        log: whether twice as much is as far everywhere.
        of_budget: whether they are percent of the budget that the search has.
    """

    low: int | float
    high: int | float
    log: bool = False
    of_budget: bool = False


EVERY: tuple[Any, ...] = ()
"""Every value of a field's type: of a `Literal`, or of a `bool`."""

Ranges = Mapping[str, ValueRange | tuple[Any, ...]]
"""By field: a range, the values themselves, or `EVERY`. A field that is not here stays as it is
given: what it says is meaning (a role, a key, a model), not measure."""
