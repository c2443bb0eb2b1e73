"""Where a conversation says that something is done or called off, by what it names: what was asked
for long before would look as if it were still to do. It is looked through from its end, as far back
as somebody asks."""

from collections.abc import Sequence

from contextwright.blocks.block import Block
from contextwright.compiler.steps.directive_places import SPEAKERS, Words, looked_at
from contextwright.text.request_ends import ends_in, is_name, request_words, surely_names
from contextwright.text.search_terms import content_words

COMMON = 64
"""Ends that have a word from which on it tells none of them, where it is no name."""


class LateEnds:
    """Ends by their words. Each exchange is looked at once."""

    def __init__(self) -> None:
        self._start = self._stop = 0  # between them each exchange was looked at
        self._sentences: dict[int, tuple[str, ...]] = {}
        self._places: dict[str, set[int]] = {}

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        for at in [at for at in self._sentences if at >= start]:
            for word in _words(self._sentences.pop(at)):
                self._places[word].discard(at)
        self._stop = min(self._stop, start)
        self._start = min(self._start, start)

    def end_of(self, blocks: Sequence[Block], request: str, at: int, stop: int) -> int | None:
        """The newest exchange between `at` and `stop` that says that what was asked for at `at` is
        over; None where none does."""
        self._look(blocks, at + 1, stop)
        words = request_words(request)
        names = {word for word in words if is_name(word)}
        found_by = (self._places.get(word, set[int]()) for word in names or words)
        near = set[int]().union(*(one for one in found_by if names or len(one) <= COMMON))
        later = sorted((place for place in near if at < place < stop), reverse=True)
        return next((place for place in later if self._says(place, request)), None)

    def _says(self, place: int, request: str) -> bool:
        return any(surely_names(request, one) for one in self._sentences[place])

    def _look(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        """Look at the exchanges from `first` to `stop`."""
        if stop < self._stop:
            self.truncate(stop)
        if self._start == self._stop:  # nothing to go on from
            self._start = self._stop = stop
        for at in (*range(self._stop, stop), *range(self._start - 1, first - 1, -1)):
            if sentences := looked_at(blocks, lambda words_at, at=at: _ends_at(words_at, at)):
                self._sentences[at] = sentences
                for word in _words(sentences):
                    self._places.setdefault(word, set()).add(at)
        self._start, self._stop = min(self._start, first), max(self._stop, stop)


def _ends_at(words_at: Words, at: int) -> tuple[str, ...]:
    role, text = words_at(at)
    return ends_in(text, role) if role in SPEAKERS else ()


def _words(sentences: tuple[str, ...]) -> set[str]:
    return {word for one in sentences for word in content_words(one)}
