"""When an old exchange was used last, and which later ones hold what it holds."""

from collections import Counter

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.steps.exchange_features import (
    about,
    calls_of,
    identifiers,
    ids_in,
    units,
    words_of,
)
from contextwright.memo.ownership import cached_text
from contextwright.spec.inputs import Inputs

LARGE = 200
"""Tokens from which a result is compared with later ones that may hold it."""
HELD = 90
"""Percent of what a result tells that a later one must tell too to stand for it."""
NAME = 120
"""Characters of the longest identifier that an index names."""


def last_used(blocks: Blocks) -> list[int]:
    """For each exchange, where it was used last: a later call named what it was about, or an
    identifier that it gave; itself where none did."""
    newest: dict[str, int] = {}
    uses = [0] * len(blocks)
    for at in range(len(blocks) - 1, -1, -1):
        keys, named = about(blocks[at]), _names(blocks[at])
        uses[at] = max([at, *(newest[name] for name in named if name in newest)])
        for key in keys:
            newest.setdefault(key, at)
    return uses


class Superseded:
    """Exchanges whose results a later one about the same holds too. Grows with a conversation:
    each exchange is compared once, and only with those that it may hold.

    What holds 90 of 100 lines misses ten at the most, so of any eleven it has one: an exchange
    is found by so many of its lines, the longest, which are the rarest.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._held_by: dict[int, int] = {}
        self._places: dict[str, list[int]] = {}

    def within(self, blocks: Blocks, start: int, inputs: Inputs) -> set[int]:
        """Their places, from `start` on. `blocks` begin with those that were seen before, or are
        the beginning of them."""
        for at in range(self._seen, len(blocks)):
            self._add(blocks, at, inputs)
        self._seen = max(self._seen, len(blocks))
        stop = len(blocks)
        return {at for at, by in self._held_by.items() if start <= at and by < stop}

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        if start >= self._seen:
            return
        self._seen = start
        held = self._held_by.items()
        self._held_by = {at: by for at, by in held if at < start and by < start}
        for places in self._places.values():
            while places and places[-1] >= start:
                places.pop()

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
            for line in longest[: len(lines) * (100 - HELD) // 100 + 1]:
                self._places.setdefault(line, []).append(at)


def index_of(blocks: Blocks, upto: int, shown: str, room: int, inputs: Inputs) -> tuple[str, ...]:
    """Identifiers of what has no room in a note, those first that were used most and latest.

    Args:
        upto: exchanges before this one are in the note.
        shown: what the request says anyway.
        room: tokens.
    """
    score: Counter[str] = Counter()
    for at in range(upto):
        weight = 1 + at / upto
        for word, share in _weighed(blocks[at]):
            score[word] += share * weight  # pyright: ignore[reportArgumentType]
    index: list[str] = []
    for word, _ in sorted(score.items(), key=lambda pair: (-pair[1], pair[0])):
        if len(word) > NAME or word in shown:
            continue
        room -= inputs.count(" " + word)
        if room < 0:
            break
        index.append(word)
    return tuple(index)


@cached_text
def _names(block: Block) -> tuple[str, ...]:
    """By what a later call may use an exchange: what it was about, identifiers that it gave."""
    return (*about(block), *(word for one in block.results for word in ids_in(one.text)))


@cached_text
def _weighed(block: Block) -> tuple[tuple[str, float], ...]:
    """Identifiers of an exchange, by where they stand: in its words, a result, a call."""
    return (
        *((word, 1) for word in identifiers(words_of(block))),
        *((word, 0.5) for result in block.results for word in identifiers(result.text)),
        *((word, 3) for word in about(block)),
    )


def _tokens(block: Block, inputs: Inputs) -> int:
    return sum(inputs.count(call.output) for call in calls_of(block))


@cached_text
def _output_units(block: Block) -> frozenset[str]:
    return frozenset[str]().union(*(units(call.output) for call in calls_of(block)))


def _holds(later: Block, earlier: Block) -> bool:
    wanted, held = _output_units(earlier), _output_units(later)
    return bool(wanted) and len(wanted & held) * 100 >= HELD * len(wanted)
