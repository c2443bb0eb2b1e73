"""`C.budget(max_tokens)`: a limit that shapes the context from the first turn
(context-algebra.md#budget)."""

from typing import ClassVar, Literal

from contextwright.errors import SpecError
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
    """

    word: ClassVar[str] = "budget"

    max_tokens: int
    overflow: Overflow = "truncate_oldest"

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
        return _STAGES.get(self.overflow, (CompactLongTurn(), Drop(), *LAST_RESORT))
