"""Patterns of sentences, each looked for only where what is in all that it finds stands."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

_START = (
    r"^(?:[-*\u2022>]\s+|\(?\d+[.):]\s+)?"
    r"(?:(?:and|but|also|so|oh),? )?(?:(?:please|pls|kindly),? )?"
)
_COMMAND = rf"(?:{_START}|[,;:] (?:(?:so|and|then|please) )?)"
_WORD = re.compile("[a-z]+")
_LETTERS = "".join(sign if sign.islower() else " " for sign in map(chr, range(128)))
"""Each sign of ASCII as it is, but for those between words."""


class SmallText(NamedTuple):
    """A text in small letters, and its words: of `don't` there are two."""

    text: str
    words: frozenset[str]


def small_text(text: str) -> SmallText:
    """A text in small letters, its apostrophes straight."""
    small = text.casefold().replace("\u2019", "'")
    # in ASCII at half the cost
    words = small.translate(_LETTERS).split() if small.isascii() else _WORD.findall(small)
    return SmallText(small, frozenset(words))


def any_of(lines: Iterable[str]) -> re.Pattern[str]:
    """What finds what one of some patterns finds, without regard to capitals.

    Args:
        lines: the patterns. In them `START` is where a sentence begins, behind the mark of a list,
            `COMMAND` there or behind a comma; an apostrophe is the curly one as well.
    """
    joined = "|".join(lines).replace("START", _START).replace("COMMAND", _COMMAND)
    return re.compile(joined.replace("'", "['\u2019]"), re.IGNORECASE)


class Wordings:
    """Patterns by what is in all that they find.

    Args:
        lines: a pattern a line, as `any_of` takes them, in groups. A group begins with `= ` and
            words or phrases (`has_to`), one of which is in whatever its patterns find. Lines that
            begin with `#` are comments.
    """

    def __init__(self, lines: str) -> None:
        self._by_word: dict[str, list[tuple[str, re.Pattern[str]]]] = defaultdict(list)
        for group in lines.split("\n= ")[1:]:
            phrases, *patterns = group.split("\n")
            pattern = any_of(line for line in patterns if line and not line.startswith("#"))
            for name in phrases.split():
                phrase = name.replace("_", " ")
                self._by_word[_WORD.findall(phrase)[0]].append((phrase, pattern))
        self._words = frozenset(self._by_word)

    def may_be_in(self, small: SmallText) -> bool:
        """Whether a text may have one."""
        return bool(self._near(small))

    def is_in(
        self, sentence: str, small: SmallText, without: re.Pattern[str] | None = None
    ) -> bool:
        """Whether a sentence has one.

        Args:
            small: the sentence. without: what is taken out of it before.
        """
        hits = [one for one in {*self._near(small)} if one.search(sentence)]
        if hits and without is not None:
            rest = without.sub("", sentence)
            hits = [one for one in hits if one.search(rest)]
        return bool(hits)

    def places(self, sentence: str, small: SmallText) -> list[int]:
        """Where in a sentence they begin, in no order. Arguments as above."""
        return [hit.start() for one in {*self._near(small)} for hit in one.finditer(sentence)]

    def _near(self, small: SmallText) -> list[re.Pattern[str]]:
        """The patterns that may find something."""
        return [
            pattern
            for word in small.words & self._words
            for phrase, pattern in self._by_word[word]
            if phrase in small.text
        ]
