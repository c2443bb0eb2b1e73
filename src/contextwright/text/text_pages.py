"""A long text in pages: exact slices of it, which together are all of it."""

from bisect import bisect_right

import msgspec

from contextwright.text.cut import WIDEST, Count


class TextPages(msgspec.Struct, frozen=True):
    """A text and where its pages begin.

    Args:
        starts: character places, the first 0.
    """

    text: str
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def page(self, number: int) -> str:
        """A page, counted from 1, byte for byte."""
        stops = (*self.starts[1:], len(self.text))
        return self.text[self.starts[number - 1] : stops[number - 1]]

    def page_from(self, place: int) -> tuple[int, str]:
        """The number of the page that a character place is in, and what it has from there on."""
        number = bisect_right(self.starts, place)
        stop = self.starts[number] if number < len(self) else len(self.text)
        return number, self.text[place:stop]


def pages_of(text: str, tokens: int, count: Count) -> TextPages:
    """A text in pages of at most so many tokens, which end at lines where a line fits.

    Args:
        tokens: of a page, at least 1.
        count: tokens of a text.
    """
    if len(text) <= tokens * WIDEST * 4 and count(text) <= tokens:
        return TextPages(text, (0,))
    starts, taken, place = [0], 0, 0
    for line in text.split("\n"):
        piece = text[place : place + len(line) + 1]
        for part in _pieces(piece, tokens, count):
            cost = count(part)
            if taken and taken + cost > tokens:
                starts.append(place)
                taken = 0
            taken += cost
            place += len(part)
    return TextPages(text, tuple(starts))


def _pieces(piece: str, tokens: int, count: Count) -> list[str]:
    """A line as pieces that fit a page each; halved until they do, or are a character."""
    if len(piece) < 2 or (len(piece) <= tokens * WIDEST * 4 and count(piece) <= tokens):
        return [piece] if piece else []
    middle = len(piece) // 2
    return [*_pieces(piece[:middle], tokens, count), *_pieces(piece[middle:], tokens, count)]
