"""Which of many texts have a word, or a part of one: each is looked through once, whatever is asked
of it later."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain
from unicodedata import normalize

from contextwright.text.search_terms import STOP, WORD_RUN, runs_of, stem, without_signs, words


class WordPlaces:
    """The places of texts by their runs of letters and digits, and those by their words and parts:
    texts have many words, and few other ones than those before."""

    def __init__(self) -> None:
        self._places: dict[str, list[int]] = {}  # by runs; sorted once they are asked for
        self._by_word: dict[str, list[str]] = {}  # runs by their words
        self._by_small: dict[str, list[str]] = {}  # and in small letters
        self._small = "\n"  # of these so many, a line for each
        self._unlisted: list[str] = []  # and the others

    def add(self, place: int, text: str) -> None:
        """Take the text at a place."""
        known, runs = self._places, _runs_in(text)
        if new := [run for run in runs if run not in known]:
            self._learn(new)
        for run in runs:
            known[run].append(place)

    def remove(self, place: int, text: str) -> None:
        """Forget the text at a place."""
        for run in _runs_in(text):
            self._places[run].remove(place)

    def with_part(self, part: str, start: int, stop: int) -> list[int]:
        """The places from `start` to `stop`, ascending, whose text may have a part, in small
        letters: those that have the longest word of it, or that as a part of one."""
        longest = max(WORD_RUN.findall(part), key=len, default="")
        runs = self._runs_with(longest) if longest else [*self._places]
        return sorted(self._of(runs, start, stop))

    def shared(self, sought: Iterable[str], start: int, stop: int, least: int = 1) -> Counter[int]:
        """How many of some words, as `content_words` gives them, each text from `start` to `stop`
        has, of those that have `least` of them; of some others as well."""
        runs = (self._by_word.get(word) for word in sought)
        places = sorted([self._of(one, start, stop) for one in runs if one], key=len)
        rest = max(0, len(places) - least + 1)
        counts = Counter[int](chain.from_iterable(places[:rest]))  # each text has one of the rarest
        for common in places[rest:] if counts else ():
            counts.update(counts.keys() & common)
        return counts

    def _runs_with(self, part: str) -> list[str]:
        if self._unlisted:
            self._small += "".join(f"{small}\n" for small in self._unlisted)
            self._unlisted = []
        runs, small, at = list[str](), self._small, 0
        while (at := small.find(part, at)) >= 0:
            end = small.find("\n", at)
            runs += self._by_small[small[small.rfind("\n", 0, at) + 1 : end]]
            at = end
        return runs

    def _of(self, runs: list[str], start: int, stop: int) -> Collection[int]:
        """The places from `start` to `stop` that have one of some runs, each once."""
        slices = list[list[int]]()
        for run in runs:
            places = self._places[run]
            places.sort()  # in a moment, as all but the last ones are
            slices.append(places[bisect_left(places, start) : bisect_left(places, stop)])
        return slices[0] if len(slices) == 1 else {*chain.from_iterable(slices)}

    def _learn(self, runs: Iterable[str]) -> None:
        by_word, by_small = self._by_word, self._by_small
        for run in runs:
            self._places[run] = []
            for word in (run,) if run.islower() and run.isascii() else {*words(run)}:
                by_word.setdefault(word if word in STOP else stem(word), []).append(run)
            small = run.casefold()
            if small in by_small:
                by_small[small].append(run)
            else:
                by_small[small] = [run]
                self._unlisted.append(small)


def _runs_in(text: str) -> set[str]:
    """The runs of a text, of one that is not in ASCII also as `content_words` reads it."""
    text = without_signs(text)
    runs = {*runs_of(text)}
    return runs if text.isascii() else runs | {*runs_of(normalize("NFKC", text))}
