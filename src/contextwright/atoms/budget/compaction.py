"""`C.compaction(...)`: rare steps down, and in between a prefix that keeps its bytes
(message-compiler.md#compaction-decision, phased-injection.md#stable-steps)."""

from typing import ClassVar

from contextwright.errors import SpecError
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.terminal import LAST_RESORT, Drop, FoldHistory, Stage, Terminal


class Compaction(Terminal, frozen=True, kw_only=True):
    """Nothing is done while the request is within its budget. When it would pass it, one step
    goes down to a part of it: older exchanges become one note, chosen by what is used again;
    newer results are shortened by what they are; the newest is whole. Until the next step all of
    that keeps its bytes, so that a provider's cache keeps its prefix, and what comes behind it is
    as it came but for blanks that JSON does not need.

    Results are also shortened before that, where the tokens saved in the requests to come pay for
    what a cache must read anew. Everything can be had by its ref. No model is asked.

    The instruction, pinned blocks, tier 1, the user's newest words and failures that are open
    stay as they are; the task's first words stand in the note.

    Args:
        max_tokens: the budget; 0 for `soft` percent of what the model's window leaves.
        soft: percent of that from which on a step is due.
        headroom: tokens of the window that should stay free: a step is due before they are used.
        low: percent of the budget that a step goes down to; 85 at least for a budget of less than
            1,024 tokens, of which no provider's cache keeps a prefix.
        eager: whether results are shortened early, where it pays.
    """

    word: ClassVar[str] = "compaction"
    ranges: ClassVar[Ranges] = {
        "max_tokens": ValueRange(25, 100, of_budget=True),
        "low": ValueRange(20, 80),
        "eager": EVERY,
    }

    max_tokens: int = 0
    soft: int = 80
    headroom: int = 0
    low: int = 47
    eager: bool = True

    def __post_init__(self) -> None:
        if (
            min(self.max_tokens, self.headroom) < 0
            or not 10 <= self.soft <= 100
            or not 10 <= self.low <= 90
        ):
            raise SpecError(
                f"max_tokens is {self.max_tokens}, soft {self.soft}, low {self.low}",
                where=repr(self),
                fix="give tokens, a soft share of 10 to 100 percent, a low one of 10 to 90",
            )

    def limit(self, window: int) -> int:
        """`max_tokens`, if the window has as many; else the window."""
        return min(self.max_tokens or window, window)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Steps as they come due; what a step could not do is done as for any limit."""
        # a budget that the user names is used up before a step; the model's window only in part
        due = 100 if self.max_tokens else self.soft
        fold = FoldHistory(due=due, headroom=self.headroom, low=self.low, eager=self.eager)
        return (fold, Drop(), *LAST_RESORT)
