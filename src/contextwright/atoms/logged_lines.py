"""The long lines that the exchanges of a log say, kept with its session: how many of its words are
repetitions is told without a look at all of them."""

from collections.abc import Iterable

from contextwright.atoms.followed_log import FollowedLog
from contextwright.blocks.block import Block
from contextwright.spec.inputs import Inputs
from contextwright.text.near_keys import exact_key

LONG = 10
"""Words of a line from which on it counts as said twice: short ones come again in any text."""
LINE = 120
"""Bytes of a line's key, about."""


class LineWords:
    """Words of texts, and those of long lines that were said before.

    Attributes:
        seen: keys of the long lines.
    """

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._total = self._again = 0

    def take(self, blocks: Iterable[Block]) -> None:
        """Count what more blocks say."""
        self._total, self._again = self._counted(blocks, self.seen)

    def repeated(self, blocks: Iterable[Block]) -> float:
        """The share of the words that are repetitions, with what more blocks say."""
        total, again = self._counted(blocks, set())
        return again / total if total else 0.0

    def _counted(self, blocks: Iterable[Block], seen: set[str]) -> tuple[int, int]:
        """Words, and repeated words, with what blocks say; `seen` collects their lines."""
        total, again = self._total, self._again
        for block in blocks:
            for line in block.plain_text.splitlines():
                words = len(line.split())
                total += words
                if words < LONG:
                    continue
                key = exact_key(line)
                again += words if key in seen or key in self.seen else 0
                seen.add(key)
        return total, again


class LoggedLines(FollowedLog):
    """The lines that settled exchanges of a log say. They grow at their end; a result that comes
    late begins them anew."""

    def _begin(self) -> None:
        super()._begin()
        self._words = LineWords()

    @property
    def held_bytes(self) -> int:
        """About what they take."""
        return LINE * len(self._words.seen)

    def follow(self, inputs: Inputs) -> LineWords:
        """Take in the exchanges that have settled."""
        blocks = self.settled_since(inputs)  # begins the words anew with another log
        self._words.take(blocks)
        return self._words
