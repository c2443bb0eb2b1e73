"""Numbers of options that something is waited for or held against."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A range of numbers: `nan` is in none, though no comparison says so, and `inf` is no time."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number that can be waited for.", param, ctx)
        return number
