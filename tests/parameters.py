"""Which of many parameters `make test` takes."""

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], quick: int = 2) -> list[Any]:
    """Parameters of which `make test` takes the first ones, and `make test-all` every one."""
    values = list(values)
    slow = (one if isinstance(one, tuple) else (one,) for one in values[quick:])
    return [*values[:quick], *(pytest.param(*one, marks=pytest.mark.slow) for one in slow)]
