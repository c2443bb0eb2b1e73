"""A text that is searched, with what several patterns need of it, made when it is needed."""

import re
from functools import cache, cached_property

_NUMBER = re.compile("[0-9](?:[ .()/-]{0,3}+[0-9])*+")
_DIGITS = b"0123456789"
_ASCII = bytes(range(128))
FEW = 6
"""Digits up to which it is not asked whether they stand together."""
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_.~+/=-]{16,}")


class Haystack:
    """A text that is searched.

    Args:
        text: it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._digits: int | None = None
        self._folded: str | None = None
        self._places: dict[tuple[str, bool], list[int]] = {}
        self._has: dict[int | str, bool] = {}

    @cached_property
    def runs(self) -> str:
        """The long words of the text, in which tokens are, a line each."""
        return "\n".join(_TOKEN_RUN.findall(self.text))

    def has_in_run(self, literals: tuple[str, ...]) -> bool:
        """Whether one of these stands in the long words."""
        runs = self.runs if literals else ""
        return bool(runs) and any(literal in runs for literal in literals)

    @property
    def digits(self) -> int:
        """How many ASCII digits stand together in it at most, with no more between two than what
        parts the groups of one number; of a few, how many there are."""
        if self._digits is None:
            digits = _digits_in(self.text)
            self._digits = digits if digits < FEW else _most_together(self.text)
        return self._digits

    @property
    def folded(self) -> str:
        """The text in lower case, at the same offsets."""
        if self._folded is None:
            # U+0130 is the one letter whose lower case is longer.
            self._folded = self.text.replace("\u0130", "I").lower()
        return self._folded

    @cached_property
    def _blocks(self) -> bytes:
        """Of which 256 signs each of its signs is."""
        return _blocks_of(self.folded)

    def possible(self, literals: tuple[str, ...]) -> list[str]:
        """Those of some literals whose signs beyond ASCII it has: of the names that other languages
        have for something, most texts have no letters."""
        plain, others = _by_script(literals)
        if self.text.isascii() or not others:
            return plain
        return plain + [one for one, signs in others if all(map(self._has_sign, signs))]

    def _has_sign(self, sign: tuple[int, str]) -> bool:
        """Whether a sign is in it, given behind its block: that of most is not there at all."""
        block, letter = sign
        if block not in self._has:
            self._has[block] = block in self._blocks
        if self._has[block] and letter not in self._has:
            self._has[letter] = letter in self.folded
        return self._has[block] and self._has[letter]

    def places(self, literals: tuple[str, ...], *, fold: bool) -> list[int]:
        """Where these texts stand, in order; no two of one overlap."""
        places = [place for one in self.possible(literals) for place in self.places_of(one, fold)]
        return sorted(places) if len(literals) > 1 else places

    def places_of(self, literal: str, fold: bool) -> list[int]:
        """Where one text stands, in order."""
        key = literal, fold
        if key not in self._places:
            self._places[key] = _places(literal, self.folded if fold else self.text)
        return self._places[key]


@cache
def _by_script(
    literals: tuple[str, ...],
) -> tuple[list[str], list[tuple[str, list[tuple[int, str]]]]]:
    """The literals that are ASCII, and the others with their signs beyond it, each behind its
    block."""
    others: list[tuple[str, list[tuple[int, str]]]] = []
    for literal in literals:
        signs = "".join(dict.fromkeys(sign for sign in literal if not sign.isascii()))
        if signs:
            others.append((literal, list(zip(_blocks_of(signs), signs, strict=True))))
    return [literal for literal in literals if literal.isascii()], others


def _blocks_of(signs: str) -> bytes:
    return signs.encode("utf-16-be", "surrogatepass")[::2]


def _digits_in(text: str) -> int:
    signs = text.encode("utf-8", "surrogatepass")
    return len(signs) - len(signs.translate(None, _DIGITS))


def _most_together(text: str) -> int:
    most = 0
    for number in _NUMBER.findall(text):
        if len(number) > most:
            most = max(most, _digits_in(number))
    return most


def _places(literal: str, text: str) -> list[int]:
    places: list[int] = []
    place, size = text.find(literal), len(literal)
    while place >= 0:
        places.append(place)
        place = text.find(literal, place + size)
    return places
