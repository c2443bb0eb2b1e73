"""Text as a reader sees it: look-alikes folded to ASCII, invisible characters left out.

A card number in full-width digits, or with zero-width spaces inside, is the same card number. The
table is fixed here, and does not follow the Unicode version of the interpreter.
"""

import re
from bisect import bisect_right
from functools import cache
from unicodedata import normalize

# Soft hyphen, joiners, direction marks, variation selectors, tag characters: first and last.
_INVISIBLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x180B, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xE0000, 0xE007F),
    (0xE0100, 0xE01EF),
)
# Blocks whose compatibility forms (NFKC) are single ASCII characters, all assigned before 2009.
_COMPATIBLE = (
    (0x00A0, 0x00BA),
    (0x2000, 0x200A),
    (0x2024, 0x2024),
    (0x202F, 0x202F),
    (0x205F, 0x209C),
    (0x2100, 0x2149),
    (0x2460, 0x2468),
    (0x24B6, 0x24EA),
    (0x3000, 0x3000),
    (0xFE50, 0xFE6B),
    (0xFF01, 0xFF5E),
    (0x1D400, 0x1D7FF),
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_DIGIT_ZEROS = "\u0660\u06f0\u0966\u09e6\u0e50"

_beyond_ascii = re.compile("[^\x00-\x7f]+")
_hidden = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _INVISIBLE)}]")


@cache
def _table() -> dict[int, str]:
    table = dict.fromkeys(map(ord, _DASHES), "-")
    for zero in _DIGIT_ZEROS:
        table |= {ord(zero) + digit: str(digit) for digit in range(10)}
    for first, last in _COMPATIBLE:
        for code in range(first, last + 1):
            plain = normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii():
                table[code] = plain
    return table


@cache
def _foldable() -> frozenset[str]:
    invisible = (chr(code) for first, last in _INVISIBLE for code in range(first, last + 1))
    return frozenset([*map(chr, _table()), *invisible])


class Unfolded:
    """A folded text, and the way back to the offsets of the original.

    Args:
        text: the folded text.
        cuts: where in the original a character was left out, in order.
    """

    __slots__ = ("_shifted", "text")

    def __init__(self, text: str, cuts: list[int]) -> None:
        self.text = text
        self._shifted = [cut - before for before, cut in enumerate(cuts)]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text that `text[start:end]` was folded from."""
        return start + self._cuts_until(start), end + self._cuts_until(end - 1)

    def _cuts_until(self, offset: int) -> int:
        return bisect_right(self._shifted, offset)


def unfold(text: str) -> Unfolded | None:
    """The text folded; None where there is nothing to fold, as in all of ASCII."""
    if text.isascii() or _foldable().isdisjoint("".join(_beyond_ascii.findall(text))):
        return None
    folded = text.translate(_table())
    cuts = [match.start() for match in _hidden.finditer(folded)]
    return Unfolded(_hidden.sub("", folded) if cuts else folded, cuts)
