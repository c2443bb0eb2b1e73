"""`C.budget(max_tokens)`: a limit that shapes the context from the first turn
(context-algebra.md#budget)."""

from typing import ClassVar, Literal

from contextwright.errors import SpecError
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.terminal import (
    LAST_RESORT,
    CompactLargest,
    CompactLongTurn,
    Drop,
    Order,
    Refuse,
    Stage,
    SummarizeLargest,
    Terminal,
)

Overflow = Literal[
    "truncate_oldest", "truncate_lowest_priority", "truncate_least_salient", "summarize", "error"
]
_ORDERS: dict[Overflow, Order] = {
    "truncate_lowest_priority": "tier",
    "truncate_least_salient": "salience",
}
_USUAL: tuple[Stage, ...] = (CompactLongTurn(), Drop(), *LAST_RESORT)
_STAGES: dict[Overflow, tuple[Stage, ...]] = {
    "error": (Refuse(reason="overflow='error' lets nothing go"),),
    "summarize": (SummarizeLargest(), CompactLargest(), Drop(), *LAST_RESORT),
}


class Budget(Terminal, frozen=True, kw_only=True):
    """At most `max_tokens` for the whole request, counted as it is sent.

    Args:
        max_tokens: system instruction, tools, context and overheads together.
        overflow: what goes first where it does not fit: the `truncate_oldest` blocks; the
            `truncate_lowest_priority` ones, tier by tier, the lowest score first, then the
            oldest; `truncate_least_salient`, the same with the salience of `C.salient` where
            nothing else scored; `summarize` the largest blocks before anything goes; `error`,
            nothing goes, the compile fails.
        steps: whether it goes down to half at once, and leaves all as it is until it is over
            again (rules.md#steps-down), and tells what holds of the conversation that it dropped
            (rules.md#left-out); False: as little as it takes, at every request.
    """

    word: ClassVar[str] = "budget"
    ranges: ClassVar[Ranges] = {
        "max_tokens": ValueRange(25, 100, of_budget=True),
        "overflow": ("truncate_oldest", "truncate_lowest_priority", "truncate_least_salient"),
    }

    max_tokens: int
    overflow: Overflow = "truncate_oldest"
    steps: bool = True

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SpecError(
                f"max_tokens is {self.max_tokens}",
                where=repr(self),
                fix="give a positive number of tokens",
            )

    def limit(self, window: int) -> int:
        """`max_tokens`, if the window has as many."""
        return min(self.max_tokens, window)

    @property
    def label(self) -> str:
        """With what goes first."""
        return f"budget: {self.overflow}"

    @property
    def order(self) -> Order:
        """By tier or salience where `overflow` says so."""
        return _ORDERS.get(self.overflow, "age")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """By `overflow`."""
        return _STAGES.get(self.overflow, _USUAL)

    @property
    def step_low(self) -> int:
        """None without `steps`."""
        return super().step_low if self.steps else 0
