"""Where a conversation says what holds from there on. It grows with it."""

from bisect import bisect_left, insort
from collections.abc import Iterator

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import words_of
from contextwright.text.directives import directives

SPEAKERS = ("user", "assistant")
Wording = tuple[str, ...]


def wording_of(block: Block) -> Wording:
    """What an exchange says that holds from there on."""
    return directives(words_of(block), block.role) if block.role in SPEAKERS else ()


class Directives:
    """Exchanges with a rule or a decision; of those of one wording the newest."""

    def __init__(self) -> None:
        self._newest: list[int] = []
        self._wordings: dict[int, Wording] = {}
        self._places: dict[Wording, list[int]] = {}

    def append(self, at: int, block: Block) -> None:
        """Look at the next exchange."""
        wording = wording_of(block)
        if not wording:
            return
        places = self._places.setdefault(wording, [])
        if places:
            del self._newest[bisect_left(self._newest, places[-1])]
        places.append(at)
        self._wordings[at] = wording
        self._newest.append(at)

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        while self._newest and self._newest[-1] >= start:
            at = self._newest.pop()
            wording = self._wordings.pop(at)
            places = self._places[wording]
            places.pop()
            if places:
                insort(self._newest, places[-1])
            else:
                del self._places[wording]

    def before(self, upto: int) -> Iterator[int]:
        """Those before `upto`, the newest first."""
        for place in range(bisect_left(self._newest, upto) - 1, -1, -1):
            yield self._newest[place]
