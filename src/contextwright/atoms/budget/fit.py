"""`C.fit(target_tokens)`: shorten by a cascade until it fits (document 000 §5.3, §12)."""

from typing import ClassVar, Literal

from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind, Verb

FitStrategy = Literal["cascade", "compact_then_summarize", "summarize_only", "salience", "strict"]


class Fit(Atom, frozen=True, kw_only=True):
    """At most `target_tokens` for the whole request; each step is taken only if it must be.

    Args:
        target_tokens: system instruction, tools, context and overheads together.
        strategy: `cascade`: compact, dedup, lowest tier out, summarize, truncate;
            `compact_then_summarize`: compact, summarize, truncate; `summarize_only`: summarize,
            truncate; `salience`: compact, dedup, lowest tier out, then the least salient out;
            `strict`: truncate.
    """

    word: ClassVar[str] = "fit"
    kind: ClassVar[Kind] = Kind.TERMINAL
    verb: ClassVar[Verb] = Verb.BUDGET

    target_tokens: int
    strategy: FitStrategy = "cascade"

    def __post_init__(self) -> None:
        if self.target_tokens < 1:
            raise SpecError(
                f"target_tokens is {self.target_tokens}",
                where=repr(self),
                fix="give a positive number of tokens",
            )
