"""When an old exchange was used last, and which later ones hold what it holds."""

from collections import Counter
from functools import lru_cache

from contextwright.blocks.block import Block, Blocks
from contextwright.pack.stepwise.said import (
    REMEMBERED,
    about,
    calls_of,
    ids_in,
    telling,
    units,
    words_of,
)
from contextwright.spec.inputs import Inputs

LARGE = 200
"""Tokens from which a result is compared with later ones that may hold it."""
HELD = 90
"""Percent of what a result tells that a later one must tell too to stand for it."""
NAME = 120
"""Characters of the longest identifier that an index names."""


def used_last(blocks: Blocks) -> list[int]:
    """For each exchange, where it was used last: a later call named what it was about, or an
    identifier that it gave; itself where none did."""
    newest: dict[str, int] = {}
    found = [0] * len(blocks)
    for at in range(len(blocks) - 1, -1, -1):
        keys = about(blocks[at])
        given = (word for result in blocks[at].results for word in ids_in(result.text))
        found[at] = max([at, *(newest[name] for name in (*keys, *given) if name in newest)])
        for key in keys:
            newest.setdefault(key, at)
    return found


def superseded(blocks: Blocks, start: int, inputs: Inputs) -> set[int]:
    """Places, from `start` on, of exchanges whose results a later one about the same holds too."""
    later: dict[str, list[Block]] = {}
    found: set[int] = set()
    for at in range(len(blocks) - 1, start - 1, -1):
        block = blocks[at]
        if not block.results:
            continue
        topics = about(block)
        if _tokens(block, inputs) >= LARGE:
            others = (other for topic in topics for other in later.get(topic, ()))
            if any(_holds(other, block) for other in others):
                found.add(at)
        for topic in topics:
            later.setdefault(topic, []).append(block)
    return found


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
        block = blocks[at]
        for word in telling(words_of(block)):
            score[word] += weight  # pyright: ignore[reportArgumentType]
        for result in block.results:
            for word in telling(result.text):
                score[word] += 0.5 * weight  # pyright: ignore[reportArgumentType]
        for word in about(block):
            score[word] += 3 * weight  # pyright: ignore[reportArgumentType]
    found: list[str] = []
    for word, _ in sorted(score.items(), key=lambda pair: (-pair[1], pair[0])):
        if len(word) > NAME or word in shown:
            continue
        room -= inputs.count(" " + word)
        if room < 0:
            break
        found.append(word)
    return tuple(found)


def _tokens(block: Block, inputs: Inputs) -> int:
    return sum(inputs.count(call.told) for call in calls_of(block))


@lru_cache(REMEMBERED)
def _told(block: Block) -> frozenset[str]:
    return frozenset[str]().union(*(units(call.told) for call in calls_of(block)))


@lru_cache(10 * REMEMBERED)
def _holds(later: Block, earlier: Block) -> bool:
    wanted, told = _told(earlier), _told(later)
    return bool(wanted) and len(wanted & told) * 100 >= HELD * len(wanted)
