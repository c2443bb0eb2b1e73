"""Sentences that say that something is over, by their words: which of many speaks of a request is
told from a few."""

from collections.abc import Sequence

from contextwright.text.request_ends import is_end_of, is_name, request_words
from contextwright.text.search_terms import content_words

COMMON = 64
"""Places that a word has from which on it finds none of them, where it is no name."""


class EndsByWord:
    """Places with the sentences of `ends_in` that stand there."""

    def __init__(self) -> None:
        self._sentences: dict[int, Sequence[str]] = {}
        self._places: dict[str, set[int]] = {}

    def add(self, place: int, sentences: Sequence[str]) -> None:
        """Take what stands at a place."""
        if sentences:
            self._sentences[place] = sentences
            for word in _words(sentences):
                self._places.setdefault(word, set()).add(place)

    def truncate(self, start: int) -> None:
        """Forget the places from `start` on."""
        for at in [at for at in self._sentences if at >= start]:
            for word in _words(self._sentences.pop(at)):
                self._places[word].discard(at)

    def newest(self, request: str, start: int, stop: int) -> int | None:
        """The last place from `start` to `stop` where it says that a request is over."""
        if not self._sentences:
            return None
        words = request_words(request)
        names = {word for word in words if is_name(word)}
        each = (self._places.get(word, set[int]()) for word in names or words)
        near = set[int]().union(*(places for places in each if names or len(places) <= COMMON))
        later = sorted((place for place in near if start <= place < stop), reverse=True)
        return next((place for place in later if self._says(place, request)), None)

    def _says(self, place: int, request: str) -> bool:
        return any(is_end_of(request, one) for one in self._sentences[place])


def _words(sentences: Sequence[str]) -> set[str]:
    return {word for one in sentences for word in content_words(one)}
