"""`C.fit(target_tokens)`: shorten by a cascade until it fits (context-algebra.md#fit,
context-algebra.md#cascade)."""

from functools import cache
from typing import ClassVar, Literal

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.dedup import Dedup
from contextwright.atoms.compress.summarize import MOST_TOKENS, SUMMARY_TOKENS
from contextwright.errors import SpecError
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.terminal import (
    LAST_RESORT,
    Drop,
    DropTier,
    Order,
    Run,
    Stage,
    SummarizeOldest,
    Terminal,
)

FitStrategy = Literal["cascade", "compact_then_summarize", "summarize_only", "salience", "strict"]
_RESULTS = Run(step=Compact(strategy="tool_results"), title="compact results")
_OUTPUTS = Run(step=Compact(), title="compact outputs")
_DEDUP = Run(step=Dedup(strategy="structural"), title="dedup")
_LAST: tuple[Stage, ...] = (Drop(), *LAST_RESORT)
SHARE, RULE_SHARE = 8, 40
"""Part of the limit that a summary may have, an eighth, and percent of it with the rules and
decisions that still hold, where no note tells them (ADR 217)."""
RULE_TOKENS = MOST_TOKENS - SUMMARY_TOKENS
"""Tokens of these at most, as in other summaries. With 200 at 8,000 tokens, of sixty that were
planted in recorded sessions 43 to 53 were left."""


@cache
def _stages(strategy: FitStrategy, summary: int, rules: int) -> tuple[Stage, ...]:
    """The cascade, whose first step, the archive, is out already (context-algebra.md#cascade)."""
    oldest = SummarizeOldest(max_tokens=summary, rule_tokens=rules)
    return {
        "cascade": (_RESULTS, _OUTPUTS, _DEDUP, DropTier(), oldest, *_LAST),
        "compact_then_summarize": (_RESULTS, _OUTPUTS, oldest, *_LAST),
        # what no model summarized is compacted, so that something gave way before any is dropped
        "summarize_only": (oldest, Run(step=Compact(), title="compact"), *_LAST),
        "salience": (_RESULTS, _OUTPUTS, _DEDUP, DropTier(), *_LAST),
        "strict": _LAST,
    }[strategy]


class Fit(Terminal, frozen=True, kw_only=True):
    """At most `target_tokens` for the whole request; each step is taken only if it must be.

    Args:
        target_tokens: system instruction, tools, context and overheads together.
        strategy: `cascade`: compact, dedup, lowest tier out, summarize, truncate;
            `compact_then_summarize`: compact, summarize, truncate; `summarize_only`: summarize,
            truncate; `salience`: compact, dedup, lowest tier out, then the least salient out;
            `strict`: truncate.
        steps: whether it goes down to half at once, and leaves all as it is until it is over
            again (rules.md#steps-down); False: as little as it takes, at every request. Where turns
            take more than half of the limit, in the mean, a step also comes where a turn begins,
            from five eighths of the limit on: so it stands for what is done, and not for what the
            turn works with. `strict`, which drops, takes none below the limit. What holds of what
            is not sent is told beside (rules.md#left-out).
    """

    word: ClassVar[str] = "fit"
    ranges: ClassVar[Ranges] = {
        "target_tokens": ValueRange(25, 100, of_budget=True),
        "strategy": ("cascade", "compact_then_summarize", "summarize_only", "salience"),
    }

    target_tokens: int
    strategy: FitStrategy = "cascade"
    steps: bool = True

    def __post_init__(self) -> None:
        if self.target_tokens < 1:
            raise SpecError(
                f"target_tokens is {self.target_tokens}",
                where=repr(self),
                fix="give a positive number of tokens",
            )

    def limit(self, window: int) -> int:
        """`target_tokens`, if the window has as many."""
        return min(self.target_tokens, window)

    @property
    def label(self) -> str:
        """With the strategy."""
        return f"fit: {self.strategy}"

    @property
    def order(self) -> Order:
        """By salience where the strategy says so."""
        return "salience" if self.strategy == "salience" else "age"

    @property
    def stages(self) -> tuple[Stage, ...]:
        """By the strategy."""
        summary = max(SUMMARY_TOKENS, min(MOST_TOKENS, self.target_tokens // SHARE))
        rules = min(RULE_TOKENS, self.target_tokens * RULE_SHARE // 100 - summary)
        return _stages(self.strategy, summary, max(0, rules))

    @property
    def step_low(self) -> int:
        """None without `steps`."""
        return super().step_low if self.steps else 0

    @property
    def step_turns(self) -> bool:
        """Whatever the strategy, as long as it shortens anything."""
        return self.steps and self.strategy != "strict"
