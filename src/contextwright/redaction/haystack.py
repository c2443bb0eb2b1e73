"""A text that is searched, with what several patterns need of it, made when it is needed."""

import re
from functools import cached_property

_NUMBER = re.compile("[0-9](?:[ .()/-]{0,3}+[0-9])*+")
_DIGITS = b"0123456789"
FEW = 4
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
        self._places: dict[tuple[tuple[str, ...], bool], list[int]] = {}

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

    def places(self, literals: tuple[str, ...], *, fold: bool) -> list[int]:
        """Where these texts stand, in order; no two of one overlap."""
        key = literals, fold
        if key not in self._places:
            text = self.folded if fold else self.text
            places = [place for literal in literals for place in _places(literal, text)]
            self._places[key] = sorted(places) if len(literals) > 1 else places
        return self._places[key]


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
