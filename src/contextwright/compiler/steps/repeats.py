"""Which exchanges later ones hold: their results need not be told again."""

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.steps.exchange_features import about, calls_of, units
from contextwright.memo.ownership import cached_text
from contextwright.spec.inputs import Inputs

LARGE = 200
"""Tokens from which a result is compared with later ones that may hold it."""
HELD = 90
"""Percent of what a result tells that a later one must tell too to stand for it."""


class Superseded:
    """Exchanges whose results a later one about the same holds too. Grows with a conversation:
    each exchange is compared once, and only with those that it may hold.

    What holds 90 of 100 lines misses ten at the most, so of any eleven it has one: an exchange
    is found by so many of its lines, the longest, which are the rarest.
    """

    def __init__(self) -> None:
        self._first = self._seen = 0
        self._held_by: dict[int, int] = {}
        self._lines: dict[int, list[str]] = {}  # exchange -> lines that it is found by
        self._places: dict[str, list[int]] = {}  # line -> exchanges

    def grow(self, blocks: Blocks, start: int, stop: int, inputs: Inputs) -> None:
        """Take in the exchanges before `stop`; those before `start` are not asked for."""
        if start < self._first:
            self.__init__()
        if not self._seen:
            self._first = self._seen = start
        for at in range(self._seen, stop):
            self._add(blocks, at, inputs)
        self._seen = max(self._seen, stop)

    def is_repeated(self, at: int, stop: int) -> bool:
        """Whether one of the exchanges before `stop` holds what this one does."""
        return self._held_by.get(at, stop) < stop

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        if start >= self._seen:
            return
        for at in [at for at in self._lines if at >= start]:
            for line in self._lines.pop(at):
                self._places[line].remove(at)
        for at in [at for at, by in self._held_by.items() if by >= start]:
            del self._held_by[at]
        self._seen = start

    def _add(self, blocks: Blocks, at: int, inputs: Inputs) -> None:
        block = blocks[at]
        if not block.results:
            return
        lines, topics = _output_units(block), set(about(block))
        earlier = {place for line in lines for place in self._places.get(line, ())}
        for place in earlier:
            if not topics.isdisjoint(about(blocks[place])) and _holds(block, blocks[place]):
                self._held_by.setdefault(place, at)
        if topics and _tokens(block, inputs) >= LARGE:
            longest = sorted(lines, key=lambda line: (-len(line), line))
            self._lines[at] = longest[: len(lines) * (100 - HELD) // 100 + 1]
            for line in self._lines[at]:
                self._places.setdefault(line, []).append(at)


def _tokens(block: Block, inputs: Inputs) -> int:
    return sum(inputs.count(call.output) for call in calls_of(block))


@cached_text
def _output_units(block: Block) -> frozenset[str]:
    return frozenset[str]().union(*(units(call.output) for call in calls_of(block)))


def _holds(later: Block, earlier: Block) -> bool:
    wanted, held = _output_units(earlier), _output_units(later)
    return bool(wanted) and len(wanted & held) * 100 >= HELD * len(wanted)
