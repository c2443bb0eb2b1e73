"""hypothesis, imported when a strategy is first asked for."""

from typing import Any

from contextwright.errors import MissingExtra


def hypothesis_strategies() -> Any:
    """The module `hypothesis.strategies`.

    Raises:
        MissingExtra: hypothesis is not installed.
    """
    try:
        import hypothesis.strategies as st
    except ImportError as error:
        raise MissingExtra("hypothesis", "test") from error
    return st
