"""Texts that say the same in almost the same words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil
from zlib import crc32

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.transcript import transcript
from contextwright.models.embedded.statements import statements_in
from contextwright.text.search_terms import content_words

ALIKE = 0.8
"""Share of words in common from which two texts say the same."""
BOTTOM = 16
"""Hashes by which two long texts meet: the smallest of their words'."""
ORDER = 0.4
"""Share of neighbouring words in common: `Ann paid Bob` is not `Bob paid Ann`."""
_NUMBER = re.compile(r"[A-Za-z]{0,12}\d+(?:[.,:/-]\d+)*")
_NOT = re.compile(r"\b(?:not|no|never|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|[0-9]{1,3}[.)])\s+")


class TextFeatures(msgspec.Struct, frozen=True):
    """The features by which two texts are compared: `exact` must agree, the others mostly."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    exact: tuple[int, bool, frozenset[str]]


class _Nearby:
    """Texts by their rarest hashes: two can only be alike if they share one, so each is compared
    with few."""

    def __init__(self) -> None:
        self.features: list[TextFeatures] = []
        self._buckets: dict[int, list[int]] = defaultdict(list)
        self._exact: dict[tuple[int, bool, frozenset[str]], int] = {}  # numbers of what is exact
        self._numbers: list[int] = []  # of each text
        self._sizes: list[int] = []  # of each text, in words

    def like(self, features: TextFeatures, keys: list[int]) -> Iterator[int]:
        """Places of the texts that say the same, in order.

        Args:
            keys: `_keys` of the features.
        """
        number = self._exact.get(features.exact)
        if number is None:
            return iter(())  # whose numbers nobody else has
        known, numbers, sizes = self.features, self._numbers, self._sizes
        least, most = _sizes_alike(len(features.words))
        met = {
            place
            for key in keys
            for place in self._buckets[key][-BOTTOM:]
            if numbers[place] == number and least <= sizes[place] <= most
        }
        return (place for place in sorted(met) if share_words(features, known[place]))

    def put(self, features: TextFeatures, keys: list[int]) -> None:
        """Put in one more."""
        for key in keys:
            self._buckets[key].append(len(self.features))
        self.features.append(features)
        self._numbers.append(self._exact.setdefault(features.exact, len(self._exact)))
        self._sizes.append(len(features.words))


class Distinct:
    """Texts of which no two say the same; the first stays."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts: list[str] = []
        self._nearby = _Nearby()
        self._places: dict[str, int] = {}  # of every text so far the one that stays for it
        for text in texts:
            self.add(text)

    def add(self, text: str) -> int:
        """Keep a text unless one says the same; the place of the one that stays."""
        place = self._places.get(text)
        if place is None:
            place = self._places[text] = self._placed(text)
        return place

    def _placed(self, text: str) -> int:
        features = _features(text)
        keys = _keys(features)
        for place in self._nearby.like(features, keys):
            return place
        self._nearby.put(features, keys)
        self.texts.append(text)
        return len(self.texts) - 1


def duplicates(blocks: tuple[Block, ...]) -> list[list[int]]:
    """Pairs of places, the earlier first, of blocks that say the same."""
    nearby = _Nearby()
    pairs: list[list[int]] = []
    for place, block in enumerate(blocks):
        features = _features(transcript(block))
        keys = _keys(features)
        pairs += [[other, place] for other in nearby.like(features, keys)]
        nearby.put(features, keys)
    return sorted(pairs)


def merged(previous: str, blocks: tuple[Block, ...]) -> str:
    """The lines of notes and the sentences of blocks, a repetition in its newer words."""
    lines = [_BULLET.sub("", line).strip() for line in previous.splitlines()]
    new = [each.text for place, block in enumerate(blocks) for each in statements_in(block, place)]
    distinct = Distinct()
    for line in [*lines, *(_BULLET.sub("", text).strip() for text in new)]:
        if line:
            distinct.texts[distinct.add(line)] = line
    return "\n".join(f"- {line}" for line in distinct.texts)


def same(first: str, other: str) -> bool:
    """Whether two texts say the same."""
    return alike(_features(first), _features(other))


def alike(first: TextFeatures, other: TextFeatures) -> bool:
    """Whether most words are common, in about the same order, and numbers and `not`s agree."""
    least, most = _sizes_alike(len(first.words))
    may_be = first.exact == other.exact and least <= len(other.words) <= most
    return may_be and share_words(first, other)


def _sizes_alike(words: int) -> tuple[int, int]:
    """How many words a text has, at least and at most, that can share enough of so many."""
    most = int(words / ALIKE) + 1
    return ceil(ALIKE * words), most if ALIKE * most <= words else most - 1


def share_words(first: TextFeatures, other: TextFeatures) -> bool:
    """Whether most words are common, in about the same order."""
    one, two = len(first.words), len(other.words)
    common = len(first.words & other.words)
    return common >= ALIKE * (one + two - common) and (
        len(first.pairs & other.pairs) >= ORDER * len(first.pairs | other.pairs)
    )


def _negations(text: str) -> int:
    """How often a text says no."""
    if text.isascii():
        small = text.lower()
        if "no" not in small and "never" not in small and "n't" not in small:
            return 0 if "without" not in small else len(_NOT.findall(text))
    return len(_NOT.findall(text))


def _keys(features: TextFeatures) -> list[int]:
    return sorted(crc32(word.encode()) for word in features.words)[:BOTTOM] or [0]


def _features(text: str) -> TextFeatures:
    words = content_words(text)
    numbers = frozenset(number.casefold() for number in _NUMBER.findall(text))
    exact = (_negations(text), text.rstrip().endswith("?"), numbers)
    return TextFeatures(frozenset(words), frozenset(pairwise(words)), exact)
