"""`C.clock_last()`: times of day out of the texts that a cache may hold
(phased-injection.md#clock-last)."""

import re
from typing import ClassVar

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:[AaPp]\.?[Mm]\.?|Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_STAMP = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]{_TIME}"
    rf"|\b(?:now|time|clock|current(?:ly)?|today)\b[^\n]{{0,40}}?\b{_TIME}",
    re.IGNORECASE,
)
MOVED = "(the time stands at the end)"


def clocks_in(text: str) -> list[str]:
    """Lines of a text that hold a time of day that passes: a stamp, or `now`, `time`, `today`
    with a time behind it."""
    return [line.strip() for line in text.splitlines() if _STAMP.search(line)]


class ClockLast(Atom, frozen=True, kw_only=True):
    """Of STABLE and SESSION texts, lines with a time of day move to a DYNAMIC text of their own:
    a clock in a cached block makes all behind it new at every turn.

    The agent's own instruction is not touched: `ctx check` names a clock in it.
    """

    word: ClassVar[str] = "clock_last"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks without clocks, and the clocks behind them."""
        out: list[Block] = []
        lines: list[str] = []
        trust = Trust.OPERATOR
        for block in blocks:
            clocks = (
                [] if block.messages or block.cache is CacheClass.DYNAMIC else _clock_lines(block)
            )
            lines += clocks
            trust = min(trust, block.trust) if clocks else trust
            out.append(_without(block, clocks) if clocks else block)
        if not lines:
            return blocks
        clock = Block(
            id="clock",
            source="clock",
            layer=Layer.TASK,
            text="\n".join(dict.fromkeys(lines)),
            cache=CacheClass.DYNAMIC,
            trust=trust,
        )
        return (*out, clock)


def _clock_lines(block: Block) -> list[str]:
    return [] if block.pinned else clocks_in(block.text)


def _without(block: Block, lines: list[str]) -> Block:
    moved = set(lines)
    text = "\n".join(MOVED if line.strip() in moved else line for line in block.text.splitlines())
    return block.with_text(text, why="its clock stands at the end")
