"""Molecules: compositions of the words (document 000 §7.4)."""

from typing import Any

from contextwright.spec.expr import Expr
from contextwright.words.budget import LimitWords
from contextwright.words.compress import CompressWords
from contextwright.words.select import SelectWords


class Molecules:
    """Molecules: compositions of the words (document 000 §7.4)."""

    @staticmethod
    def rolling(n: int = 5, *, summarize: bool = True, **options: Any) -> Expr:
        """The newest turns, and a summary of those before:
        `C.window(n=5) + C.summarize(scope="before_window")`. Options are `summarize`'s."""
        window = SelectWords.window(n=n)
        return (
            window + CompressWords.summarize(scope="before_window", **options)
            if summarize
            else window
        )

    @staticmethod
    def manus_cascade(budget: int = 128_000, *, n: int = 20, stale_after: int = 5) -> Expr:
        """References first, summaries when that is not enough: `C.window(n=20) |
        C.compact(strategy="stale") | C.fit(target_tokens=budget)`."""
        stale = CompressWords.compact(strategy="stale", stale_after=stale_after)
        return SelectWords.window(n=n) | stale | LimitWords.fit(target_tokens=budget)
