"""Texts that say the same in almost the same words."""

import re
from collections import defaultdict
from zlib import crc32

from contextwright.blocks.block import Block
from contextwright.blocks.transcript import transcript
from contextwright.models.embedded.statements import said_in
from contextwright.recall.words import telling

ALIKE = 0.8
"""Share of words in common from which two texts say the same."""
BOTTOM = 16
"""Hashes by which two long texts meet: the smallest of their words'."""
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|[0-9]{1,3}[.)])\s+")

Seen = tuple[frozenset[str], frozenset[str]]


def duplicates(blocks: tuple[Block, ...]) -> list[list[int]]:
    """Pairs of places, the earlier first, of blocks that say the same."""
    seen = [_seen(transcript(block)) for block in blocks]
    buckets: dict[int, list[int]] = defaultdict(list)
    pairs: set[tuple[int, int]] = set()
    for place, (words, _) in enumerate(seen):
        met: set[int] = set()
        for key in sorted(crc32(word.encode()) for word in words)[:BOTTOM]:
            met.update(buckets[key][-BOTTOM:])
            buckets[key].append(place)
        later = [other for other in met if alike(seen[other], seen[place])]
        pairs.update((other, place) for other in later)
    return [list(pair) for pair in sorted(pairs)]


def merged(previous: str, blocks: tuple[Block, ...]) -> str:
    """The lines of notes and the sentences of blocks, what is said twice in its newer words."""
    lines = [_BULLET.sub("", line).strip() for line in previous.splitlines()]
    new = [said.text for place, block in enumerate(blocks) for said in said_in(block, place)]
    kept: list[tuple[str, Seen]] = []
    for line in [*lines, *(_BULLET.sub("", text).strip() for text in new)]:
        if not line:
            continue
        one = _seen(line)
        place = next((n for n, (_, other) in enumerate(kept) if alike(one, other)), None)
        if place is None:
            kept.append((line, one))
        else:
            kept[place] = (line, one)
    return "\n".join(f"- {line}" for line, _ in kept)


def same(one: str, other: str) -> bool:
    """Whether two texts say the same."""
    return alike(_seen(one), _seen(other))


def alike(one: Seen, other: Seen) -> bool:
    """Whether most words are common and all numbers agree."""
    if one[1] != other[1]:
        return False
    both = len(one[0] | other[0])
    return not both or len(one[0] & other[0]) >= ALIKE * both


def _seen(text: str) -> Seen:
    return frozenset(telling(text)), frozenset(_NUMBER.findall(text))
