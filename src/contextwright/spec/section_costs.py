"""What texts add to a request, and what they free, with the markers that they share."""

from collections import Counter
from collections.abc import Callable, Iterable

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.text_section import section_key, shares_section


class SectionCosts:
    """Tokens of blocks one by one: the first text of a section brings its markers, the last takes
    them along.

    Args:
        cost, markers: as of `Inputs`. blocks: those that are there.
        refs: whether refs are shown.
    """

    def __init__(
        self,
        cost: Callable[[Block], int],
        markers: Callable[[Blocks], int],
        blocks: Iterable[Block] = (),
        *,
        refs: bool,
    ) -> None:
        self._cost, self._markers, self._refs = cost, markers, refs
        self._texts = Counter[object]()
        for block in blocks:  # an exchange shares none
            self._texts[None if block.messages else self._section(block)] += 1

    def added(self, block: Block) -> int:
        """Tokens that a block would add."""
        section = self._section(block)
        is_first = section is not None and not self._texts[section]
        return self._cost(block) + (self._markers((block,)) if is_first else 0)

    def take(self, block: Block) -> int:
        """Tokens that a block adds, which is there from now on."""
        tokens = self.added(block)
        self._texts[self._section(block)] += 1
        return tokens

    def leave(self, block: Block) -> int:
        """Tokens that a block frees, which is there no more."""
        self._texts[self._section(block)] -= 1
        return self.added(block)

    def _section(self, block: Block) -> object:
        """What names the section that a text shares with others; None where it shares none."""
        shares = shares_section(block, refs=self._refs)
        return section_key(block, refs=self._refs) if shares else None
