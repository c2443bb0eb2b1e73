"""Which exchanges later ones hold: their results need not be told again."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import about, calls_of, units
from contextwright.memo.ownership import cached_in_passing
from contextwright.spec.inputs import Inputs

LARGE = 200
"""Tokens from which a result is compared with later ones that may hold it."""
HELD = 90
"""Percent of what a result tells that a later one must tell too to stand for it."""
_NONE: Mapping[str, dict[int, None]] = MappingProxyType({})
MANY, ANY = 16, ""
"""Topics from which on an exchange is found by any of them."""


class Superseded:
    """Exchanges whose results a later one about the same holds too. Grows with a conversation:
    each exchange is compared once, and only with those that it may hold.

    What holds 90 of 100 lines misses ten at the most, so of any eleven it has one: an exchange
    is found by so many of its lines, the longest, which are the rarest, and by what it is about.
    One that is held is no longer looked for.

    Args:
        least: the first exchange that is ever looked at.
    """

    def __init__(self, least: int = 0) -> None:
        self._least = least
        self._first = self._seen = 0
        self._held_by: dict[int, int] = {}
        self._keys: dict[int, tuple[list[str], set[str]]] = {}  # lines, topics of an exchange
        # line -> topic -> exchanges that nothing holds yet
        self._places: dict[str, dict[str, dict[int, None]]] = {}

    def grow(self, blocks: Sequence[Block], start: int, stop: int, inputs: Inputs) -> None:
        """Take in the exchanges before `stop`; those before `start` are not asked for."""
        start = max(start, self._least)
        if start < self._first:
            self.__init__(self._least)
        if not self._seen:
            self._first = self._seen = start
        for at in range(self._seen, stop):
            self._add(blocks, at, inputs)
        self._seen = max(self._seen, stop)

    def is_repeated(self, at: int, stop: int) -> bool:
        """Whether one of the exchanges before `stop` holds what this one does."""
        return self._held_by.get(at, stop) < stop

    def held_before(self, stop: int) -> int:
        """How many exchanges one of those before `stop` holds."""
        if stop >= self._seen:
            return len(self._held_by)
        return sum(place < stop for place in self._held_by.values())

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        if start >= self._seen:
            return
        for at in list(takewhile(start.__le__, reversed(self._keys))):
            self._remove(at)
            del self._keys[at]
        newest = takewhile(lambda pair: pair[1] >= start, reversed(self._held_by.items()))
        for at in [at for at, _ in newest]:
            del self._held_by[at]
            if at in self._keys:
                self._put(at)
        self._seen = max(start, self._least)

    def _put(self, at: int) -> None:
        """Let an exchange be found by each of its lines and topics."""
        lines, topics = self._keys[at]
        for line in lines:
            by_topic = self._places.setdefault(line, {})
            for topic in topics:
                by_topic.setdefault(topic, {})[at] = None

    def _remove(self, at: int) -> None:
        """Nothing finds this exchange any more."""
        lines, topics = self._keys[at]
        for line in lines:
            by_topic = self._places.get(line, {})
            for topic in topics & by_topic.keys():
                by_topic[topic].pop(at, None)
                if not by_topic[topic]:
                    del by_topic[topic]
            if not by_topic:
                self._places.pop(line, None)

    def _alike(self, lines: Iterable[str], topics: set[str]) -> set[int]:
        """The exchanges that have one of these lines, and one of these topics or many."""
        alike: set[int] = set()
        for line in lines:
            by_topic = self._places.get(line, _NONE)
            for topic in topics & by_topic.keys():
                alike.update(by_topic[topic])
        return alike

    def _add(self, blocks: Sequence[Block], at: int, inputs: Inputs) -> None:
        block = blocks[at]
        if not block.results:
            return
        lines, topics = _output_units(block), set(about(block))
        for place in self._alike(lines, {*topics, ANY} if topics else topics):
            if not topics.isdisjoint(about(blocks[place])) and _holds(block, blocks[place]):
                self._held_by[place] = at
                self._remove(place)
        if topics and _tokens(block, inputs) >= LARGE:
            longest = sorted(lines, key=lambda line: (-len(line), line))
            found_by = longest[: len(lines) * (100 - HELD) // 100 + 1]
            self._keys[at] = found_by, topics if len(topics) <= MANY else {ANY}
            self._put(at)


def _tokens(block: Block, inputs: Inputs) -> int:
    return sum(inputs.count(call.output) for call in calls_of(block))


@cached_in_passing
def _output_units(block: Block) -> frozenset[str]:
    return frozenset[str]().union(*(units(call.output) for call in calls_of(block)))


def _holds(later: Block, earlier: Block) -> bool:
    wanted, held = _output_units(earlier), _output_units(later)
    return bool(wanted) and len(wanted & held) * 100 >= HELD * len(wanted)
