"""Words as an index has them: English ones without what follows their root."""

from collections.abc import Sequence
from itertools import chain
from unicodedata import combining, normalize

from contextwright.memo.ownership import cached_text
from contextwright.text.search_terms import (
    MAX_TEXT,
    STOP,
    content_words,
    parts_of,
    runs_of,
    stem,
    words,
)

ROOT = 6
"""Letters of a longer English word that are compared: `organization` meets `organizing`. Evidence
within 2,000 tokens of questions about long conversations (LoCoMo): .860 with the whole stem, .867
with 6 letters, .871 with 5; but 6 tell more words apart."""
_MARKED = {word: "\u00b7" + word for word in STOP}
"""Stop words as an index has them: no other word begins like that."""
VOCABULARY = 100_000
"""Words of which an index remembers how they are split."""


@cached_text
def stems(text: str) -> tuple[str, ...]:
    """The telling words of a text, English ones without what follows their root."""
    return tuple(_root(word) for word in content_words(text))


def stop_stems(text: str) -> list[str]:
    """The words of a text that `stems` leaves out, marked, so that they meet no other word. They
    say nothing about what a text is about, but much about which text somebody has in mind who
    types a phrase of it."""
    return [_MARKED[word] for word in words(text) if word in STOP]


class Splitter:
    """Splits the texts of an index, and remembers how it split their words."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._telling = _Telling()

    def telling(self, text: str) -> Sequence[str]:
        """`stems` of a text."""
        if not text.isascii():
            return stems(text)
        if len(self._telling) > VOCABULARY:
            self.forget()
        runs = runs_of(text[:MAX_TEXT])
        return list(chain.from_iterable(map(self._telling.__getitem__, runs))) or stems(text)

    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        """`stems` and `stop_stems` of a text."""
        if not text.isascii():
            return stems(text), stop_stems(text)
        if len(self._known) > VOCABULARY:
            self.forget()
        telling: list[str] = []
        stops: list[str] = []
        for word in runs_of(text[:MAX_TEXT]):
            known = self._known.get(word)
            if known is None:
                known = self._known[word] = _split(word)
            telling += known[0]
            stops += known[1]
        return telling or stems(text), stops

    def forget(self) -> None:
        """Lets go of all words."""
        self._known = {}
        self._telling = _Telling()


class _Telling(dict[str, tuple[str, ...]]):
    """The telling words of runs of letters and digits, at the speed of a dict."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        words_of_run = self[run] = _split(run)[0]
        return words_of_run


def _split(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if word.isdigit() and word.isascii():
        return (word,), ()
    parts = parts_of(word) if word.isascii() else words(word)
    telling = tuple(_root(stem(part)) for part in parts if part not in STOP)
    return telling, tuple(_MARKED[part] for part in parts if part in STOP)


@cached_text
def _root(word: str) -> str:
    if not word.isascii():
        # `école` meets `ecole`; marks that are letters' own in other scripts are left
        bare = "".join(sign for sign in normalize("NFD", word) if not combining(sign))
        word = stem(bare) if bare.isascii() else word
    return word[:ROOT] if len(word) > ROOT and word.isascii() and word.isalpha() else word
