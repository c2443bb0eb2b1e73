"""`C.budget(max_tokens)`: a limit that shapes the context from the first turn (000 §5.1)."""

from typing import ClassVar, Literal

from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind, Verb

Overflow = Literal[
    "truncate_oldest", "truncate_lowest_priority", "truncate_least_salient", "summarize", "error"
]


class Budget(Atom, frozen=True, kw_only=True):
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
    kind: ClassVar[Kind] = Kind.TERMINAL
    verb: ClassVar[Verb] = Verb.BUDGET

    max_tokens: int
    overflow: Overflow = "truncate_oldest"

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SpecError(
                f"max_tokens is {self.max_tokens}",
                where=repr(self),
                fix="give a positive number of tokens",
            )
