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


def small_letters(text: str) -> str:
    """A text in small letters, its apostrophes straight."""
    return text.casefold().replace("\u2019", "'")


def small_text(text: str, among: frozenset[str] | None = None) -> SmallText:
    """A text in small letters, and its words.

    Args:
        among: those of its words that are asked for, where not all are: that costs half.
    """
    small = small_letters(text)
    # in ASCII at half the cost
    words = small.translate(_LETTERS).split() if small.isascii() else _WORD.findall(small)
    return SmallText(small, frozenset(words) if among is None else among.intersection(words))


def any_of(lines: Iterable[str]) -> re.Pattern[str]:
    """What finds what one of some patterns finds, without regard to capitals.

    Args:
        lines: the patterns. In them `START` is where a sentence begins, behind the mark of a list,
            `COMMAND` there or behind a comma; an apostrophe is the curly one as well.
    """
    joined = "|".join(lines).replace("START", _START).replace("COMMAND", _COMMAND)
    return re.compile(joined.replace("'", "['\u2019]"), re.IGNORECASE)


Near = tuple[tuple[str, int], ...]
"""Phrases that a text has, each with the number of the pattern that may find something with it."""


class Wordings:
    """Patterns by what is in all that they find.

    Args:
        lines: a pattern a line, as `any_of` takes them, in groups. A group begins with `= ` and
            words or phrases (`has_to`), one of which is in whatever its patterns find. Lines that
            begin with `#` are comments.

    Attributes:
        words: the first ones of these phrases: what has none of them has no wording.
    """

    def __init__(self, lines: str) -> None:
        self._by_word: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._patterns: list[re.Pattern[str]] = []
        for number, group in enumerate(lines.split("\n= ")[1:]):
            phrases, *patterns = group.split("\n")
            self._patterns.append(
                any_of(line for line in patterns if line and not line.startswith("#"))
            )
            for name in phrases.split():
                phrase = name.replace("_", " ")
                self._by_word[_WORD.findall(phrase)[0]].append((phrase, number))
        self.words = frozenset(self._by_word)

    def near(self, small: SmallText) -> Near:
        """What may find something in a text, or in a part of it; nothing in most."""
        words = small.words & self.words
        if not words:
            return ()
        text, by_word = small.text, self._by_word
        return tuple([one for word in words for one in by_word[word] if one[0] in text])

    def may_be_in(self, small: SmallText) -> bool:
        """Whether a text may have one."""
        return bool(self.near(small))

    def is_in(
        self, sentence: str, small: SmallText, without: re.Pattern[str] | None = None
    ) -> bool:
        """Whether a sentence has one.

        Args:
            small: the sentence. without: what is taken out of it before.
        """
        return self.is_in_part(sentence, small.text, self.near(small), without)

    def is_in_part(
        self, part: str, small: str, near: Near, without: re.Pattern[str] | None = None
    ) -> bool:
        """Whether a part of a text has one.

        Args:
            small: the part in small letters. near: what may find something in the text.
            without: what is taken out of the part before.
        """
        hits = [one for one in self._of(near, small) if one.search(part)]
        if hits and without is not None:
            rest = without.sub("", part)
            return any(one.search(rest) for one in hits)
        return bool(hits)

    def places(self, part: str, small: str, near: Near) -> list[int]:
        """Where in a part of a text they begin, in no order. Arguments as above."""
        return [hit.start() for one in self._of(near, small) for hit in one.finditer(part)]

    def _of(self, near: Near, small: str) -> list[re.Pattern[str]]:
        """The patterns that may find something in a part of a text."""
        numbers = {number for phrase, number in near if phrase in small}
        return [self._patterns[number] for number in numbers]
