"""What cooling did, so that nothing is shortened or left out in silence."""

from collections import Counter
from hashlib import sha256
from typing import Literal

import msgspec


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One text that was shortened, or one message that was left out.

    Args:
        where: the argument and the place in it, as `state.docs[2]`.
        action: `summarized`, `cut` at a sentence, or `dropped`.
        by: who made it: a model's name, `cut`.
        tokens_before, tokens_after: of the text.
        sha256: of the whole text.
        ref: where the whole text is kept; empty without an artifact store.
        why: why nobody better did; empty where that is not so.
    """

    where: str
    action: Literal["summarized", "cut", "dropped"]
    by: str
    tokens_before: int
    tokens_after: int
    sha256: str
    ref: str = ""
    why: str = ""


class Cooling(msgspec.Struct, frozen=True, kw_only=True):
    """What one call's input became.

    Args:
        tokens_before, tokens_after: of all texts and conversations among the arguments.
        threshold: tokens that they may have.
        changes: what was shortened or left out.
        why: why it is over the threshold still; empty where it is not.
    """

    tokens_before: int
    tokens_after: int
    threshold: int
    changes: tuple[Change, ...] = ()
    why: str = ""

    @property
    def cooled(self) -> bool:
        """Whether anything was shortened or left out."""
        return bool(self.changes)

    @property
    def by(self) -> tuple[str, ...]:
        """Who shortened, each once."""
        return tuple(dict.fromkeys(change.by for change in self.changes))

    def __str__(self) -> str:
        """A line for a log."""
        line = f"{self.tokens_before:,} → {self.tokens_after:,} of {self.threshold:,} tokens"
        counts = Counter(change.action for change in self.changes)
        done = [f"{count} {action}" for action, count in counts.items()]
        parts = [", ".join(done) + f" by {', '.join(self.by)}" if done else "", self.why]
        return "; ".join([line, *filter(None, parts)])


def digest(text: str) -> str:
    """sha256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
