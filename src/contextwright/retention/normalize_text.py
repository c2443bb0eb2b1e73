"""Texts as names are looked for in them: decoded, normalized, and every character with its place
in the original, so that what is found can be cut out of it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from unicodedata import category, combining, normalize

from contextwright.text.encoded_forms import Unit, pieces_of

_FORMAT = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_INVISIBLE = re.compile(f"[{_FORMAT}]")
_ALIKE = {ord(sign): "'" for sign in "\u2018\u2019\u02bc\u2032"} | {
    ord(sign): "-" for sign in "\u2010\u2011\u2012\u2013\u2212"
}
"""Apostrophes and hyphens that word processors and models set for those of the keyboard."""


def folded(text: str) -> str:
    """A text as names are compared: no case, no composed and no invisible characters, plain
    apostrophes and hyphens."""
    if text.isascii():
        return text.lower()
    plain = normalize("NFKD", normalize("NFKD", visible(text)).casefold())
    # last: a letter such as U+0149 has an apostrophe in it
    return plain.translate(_ALIKE)


def visible(text: str) -> str:
    """A text without the characters that nobody sees."""
    return _INVISIBLE.sub("", text)


class Folded:
    """A folded text whose places are known.

    Args:
        text: the original.
        units: pieces that stand for something else; what is between them stands for itself.
    """

    def __init__(self, text: str, units: Iterable[Unit] = ()) -> None:
        decoded, spans = _decoded(text, units)
        pieces: list[str] = []
        self._starts: list[int] = []
        """Where each cluster begins in the folded text, and from where to where it stands."""
        self._spans: list[tuple[int, int]] = []
        length = 0
        for first, last in _clusters(decoded):
            piece = folded(decoded[first:last])
            pieces.append(piece)
            self._starts.append(length)
            self._spans.append((spans[first][0], spans[last - 1][1]))
            length += len(piece)
        self._starts.append(length)
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a piece of the folded text stands in the original; None where it begins or ends
        within a character."""
        if start and is_mark(self.text[start - 1]) and self.text[start].isalnum():
            return None  # a letter with its mark stands before it
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        if self._starts[first] != start or self._starts[last + 1] != end:
            return None
        return self._spans[first][0], self._spans[last][1]


def _decoded(text: str, units: Iterable[Unit]) -> tuple[str, list[tuple[int, int]]]:
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    for meaning, start, end in pieces_of(text, units):
        pieces.append(meaning)
        # an encoded piece is longer than what it means, or one character
        if len(meaning) == end - start:
            spans.extend((place, place + 1) for place in range(start, end))
        else:
            spans.extend([(start, end)] * len(meaning))
    return "".join(pieces), spans


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """From where to where a character stands with the marks and the invisible ones behind it."""
    first = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _belongs(text[place]):
            yield first, place
            first = place


def is_mark(sign: str) -> bool:
    """True if a sign belongs to the letter before it."""
    return not sign.isascii() and category(sign).startswith("M")


def _belongs(sign: str) -> bool:
    return not sign.isascii() and (
        combining(sign) != 0
        or category(sign) in {"Mn", "Mc", "Me", "Cf"}
        or "\u1160" <= sign <= "\u11ff"
    )
