"""What cooling did, so that nothing is shortened or left out in silence."""

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import Literal

import msgspec

from contextwright.adapters.wrap.live_renderer import OVERHEAD
from contextwright.errors import ContextwrightError
from contextwright.stores.store import ArtifactStore

FOLDER = "cooled"
DIGITS = 16
"""Of a digest in a name: the ref stands in a request, and each digit costs."""


class CoolingChange(msgspec.Struct, frozen=True, kw_only=True):
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
    changes: tuple[CoolingChange, ...] = ()
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


class CoolingLog:
    """Collects the changes of one call, and puts aside the whole of each text, once.

    Args:
        artifacts: where texts are put aside; None for nowhere.
        count: tokens of a text.
    """

    def __init__(self, artifacts: ArtifactStore | None, count: Callable[[str], int]) -> None:
        self.entries: list[CoolingChange] = []
        self._artifacts = artifacts
        self._count = count
        self._refs: dict[str, str] = {}
        self._failure = ""

    @property
    def sample_mark(self) -> str:
        """A mark, as long as they are; empty without a store."""
        return "" if self._artifacts is None else _mark(f"artifact://{FOLDER}/{'0f' * 8}", 99_999)

    def mark(self, text: str) -> str:
        """The line behind a shortened text that names its whole."""
        ref = self._ref(text)
        return _mark(ref, self._count(text)) if ref else ""

    def shortened(self, where: str, old: str, new: str, by: str, why: str) -> None:
        """Note a text that was shortened.

        Args:
            where: the argument and the place in it.
            by: who made the new text.
            why: why nobody better did; empty where that is not so.
        """
        self._add(where, old, self._count(old), self._count(new), by, why)

    def dropped(self, where: str, text: str) -> None:
        """Note a message that was left out."""
        self._add(where, text, self._count(text) + OVERHEAD, 0, "budget", "")

    def _add(self, where: str, old: str, before: int, after: int, by: str, why: str) -> None:
        ref = self._ref(old)
        self.entries.append(
            CoolingChange(
                where=where,
                action="dropped" if by == "budget" else "cut" if by == "cut" else "summarized",
                by=by,
                tokens_before=before,
                tokens_after=after,
                sha256=_digest(old),
                ref=ref,
                why="; ".join(filter(None, (why, self._failure))),
            )
        )

    def _ref(self, text: str) -> str:
        """Where a text is put aside; empty where it is not."""
        if self._artifacts is None:
            return ""
        if text not in self._refs:
            try:
                name = f"{FOLDER}/{_digest(text)[:DIGITS]}"
                data = text.encode("utf-8", "surrogatepass")
                self._refs[text] = self._artifacts.put(data, name=name)
            except ContextwrightError as error:
                self._refs[text] = ""
                self._failure = f"the whole was not kept: {error.what}"
        return self._refs[text]


def _mark(ref: str, tokens: int) -> str:
    return f"\n[full text: {ref}, {tokens} tokens]"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
