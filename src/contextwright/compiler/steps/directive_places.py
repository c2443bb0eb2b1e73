"""Where a conversation says what holds from there on. It is looked through from its end, as far
back as a note has room for."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import said_by
from contextwright.compiler.steps.known_prefix import LoggedBlocks
from contextwright.text.directives import directives

SPEAKERS = ("user", "assistant")
Wording = tuple[str, ...]


def wording_at(blocks: Sequence[Block], at: int) -> Wording:
    """What an exchange says that holds from there on."""
    if isinstance(blocks, LoggedBlocks):
        wording = _wording(*blocks.words_at(at))
        if not (wording and blocks.is_mapped):  # words in between may leave less of it
            return wording
    return _wording(*said_by(blocks[at]))


def _wording(role: str, text: str) -> Wording:
    return directives(text, role) if role in SPEAKERS else ()


class Directives:
    """Exchanges with a rule or a decision; of those of one wording the newest."""

    def __init__(self) -> None:
        self._start = self._stop = 0  # between them each exchange was looked at
        self._newest: list[int] = []
        self._wordings: dict[int, Wording] = {}
        self._places: dict[Wording, list[int]] = {}

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
        self._stop = min(self._stop, start)
        self._start = min(self._start, start)

    def before(self, blocks: Sequence[Block], stop: int, upto: int) -> Iterator[int]:
        """Those before `upto` in a conversation of `stop` exchanges, the newest first. What says
        the same as a later one is none."""
        self.truncate(stop)
        if self._start == self._stop:  # nothing to go on from
            self._start = self._stop = stop
        for at in range(self._stop, stop):
            self._look_at(blocks, at)
        self._stop = stop
        yield from reversed(self._newest[: bisect_left(self._newest, upto)])
        for at in range(self._start - 1, -1, -1):
            self._start = at
            if self._look_at(blocks, at) and at < upto:
                yield at

    def _look_at(self, blocks: Sequence[Block], at: int) -> bool:
        """Whether an exchange at either end of those that are known is one."""
        wording = wording_at(blocks, at)
        if not wording:
            return False
        places = self._places.setdefault(wording, [])
        self._wordings[at] = wording
        if places and at < places[0]:
            places.insert(0, at)
            return False
        if places:
            del self._newest[bisect_left(self._newest, places[-1])]
        places.append(at)
        insort(self._newest, at)
        return True
