"""A text that is searched, with what several patterns need of it, made when it is needed."""

import re
from functools import cached_property

_DIGITS = re.compile("[0-9]+")
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_.~+/=-]{16,}")


class Haystack:
    """A text that is searched.

    Args:
        text: it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._places: dict[tuple[tuple[str, ...], bool], list[int]] = {}

    @cached_property
    def runs(self) -> str:
        """The long words of the text, in which tokens are, a line each."""
        return "\n".join(_TOKEN_RUN.findall(self.text))

    def has_in_run(self, literals: tuple[str, ...]) -> bool:
        """Whether one of these stands in the long words."""
        runs = self.runs if literals else ""
        return bool(runs) and any(literal in runs for literal in literals)

    @cached_property
    def digits(self) -> int:
        """How many ASCII digits it has."""
        return len("".join(_DIGITS.findall(self.text)))

    @cached_property
    def folded(self) -> str:
        """The text in lower case, at the same offsets."""
        # U+0130 is the one letter whose lower case is longer.
        return self.text.replace("\u0130", "I").lower()

    def places(self, literals: tuple[str, ...], *, fold: bool) -> list[int]:
        """Where these texts stand, in order; no two of one overlap."""
        key = literals, fold
        if key not in self._places:
            text = self.folded if fold else self.text
            places = [place for literal in literals for place in _places(literal, text)]
            self._places[key] = sorted(places) if len(literals) > 1 else places
        return self._places[key]


def _places(literal: str, text: str) -> list[int]:
    places: list[int] = []
    place, size = text.find(literal), len(literal)
    while place >= 0:
        places.append(place)
        place = text.find(literal, place + size)
    return places
