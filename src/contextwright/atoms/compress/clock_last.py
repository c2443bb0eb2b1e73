"""`C.clock_last()`: times of day out of the texts that a cache may hold
(phased-injection.md#clock-last)."""

import re
from typing import ClassVar

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:[AaPp]\.?[Mm]\.?|Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE = (
    r"(?:\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\d{{1,2}}\.? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
)
_WORD = (
    r"now|time(?:stamp)?|clock|current(?:ly)?|today|epoch|date"
    r"|(?:uhr)?zeit|jetzt|heute|heure|hora|ahora|adesso"
)
_EPOCH = r"1[5-9]\d{8}(?:[.,]?\d{3})?"
"""Seconds, or milliseconds, since 1970, of the years 2017 to 2033."""
_STAMP = re.compile(
    rf"{_DATE}(?:T|,? (?:at )?){_TIME}"
    rf"|(?<![^\W_])(?:{_WORD})\b[^\n]{{0,40}}?\b(?:{_TIME}|{_EPOCH}\b)",
    re.IGNORECASE,
)
CLOCK = "clock"
"""The block with what the time is."""
MOVED = "(the time stands at the end)"


def clocks_in(text: str) -> list[str]:
    """Lines of a text that hold a time of day that passes: a date with a time, as ISO 8601,
    RFC 2822 or a reader writes it, or `now`, `time`, `today` with a time or an epoch behind it."""
    return [line.strip() for line in text.splitlines() if _STAMP.search(line)]


class ClockLast(Atom, frozen=True, kw_only=True):
    """Of the spec's own texts, lines with a time of day move to a DYNAMIC text of their own:
    a clock in a cached block makes all behind it new at every turn. No `C.phase` behind moves it
    in front again.

    The agent's own instruction is not touched: `ctx check` names a clock in it.
    """

    word: ClassVar[str] = "clock_last"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    @property
    def traits(self) -> Traits:
        """Of texts; the conversation passes."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks without clocks, and the clocks behind them."""
        out: list[Block] = []
        lines: list[str] = []
        trust = Trust.OPERATOR
        for block in blocks:
            clocks = _clock_lines(block)
            lines += clocks
            trust = min(trust, block.trust) if clocks else trust
            out.append(_without(block, clocks) if clocks else block)
        if not lines:
            return blocks
        clock = Block(
            id=CLOCK,
            source=CLOCK,
            layer=Layer.TASK,
            text="\n".join(dict.fromkeys(lines)),
            cache=CacheClass.DYNAMIC,
            trust=trust,
        )
        return (*out, clock)


def _clock_lines(block: Block) -> list[str]:
    own = block.layer <= Layer.TASK and not block.messages and block.id != CLOCK
    return clocks_in(block.text) if own and not block.pinned else []


def _without(block: Block, lines: list[str]) -> Block:
    moved = set(lines)
    text = "\n".join(MOVED if line.strip() in moved else line for line in block.text.splitlines())
    return block.with_text(text, why="its clock stands at the end")
