"""Patterns of sentences, each looked for only where what is in all that it finds stands."""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import groupby

import msgspec

from contextwright.text.search_terms import blanks_for, without_signs

_START = (
    r"^(?:[-*\u2022>]\s+|\(?\d+[.):]\s+)?"
    r"(?:(?:and|but|also|so|oh),? )?(?:(?:please|pls|kindly|just|simply),? )?"
)
_COMMAND = rf"(?:{_START}|[,;:] (?:(?:so|and|but|then|please) )?)"
_WORD = re.compile("[a-z]+")
_SIGNS = re.compile(r"\\.|\[\^?(?:\\.|[^\\\]])+\]|.", re.DOTALL)
"""Of a pattern: what is escaped, a class of signs, or a sign."""
_GAPS = blanks_for(lambda sign: not sign.islower())


class SmallText(msgspec.Struct, frozen=True, gc=False):
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
    plain = small if small.isascii() else without_signs(small)  # in ASCII at a third of the cost
    if plain.isascii():
        words = plain.encode().translate(_GAPS).decode().split()
    else:
        words = _WORD.findall(small)
    return SmallText(small, frozenset(words) if among is None else among.intersection(words))


def any_of(lines: Iterable[str]) -> re.Pattern[str]:
    """What finds what one of some patterns finds, without regard to capitals.

    Args:
        lines: the patterns, in small letters. In them `START` is where a sentence begins, behind
            the mark of a list, `COMMAND` there or behind a comma; an apostrophe is the curly one
            as well.
    """
    signs = _SIGNS.findall(_joined(lines))
    return re.compile("".join(_either_apostrophe(sign) for sign in signs), re.IGNORECASE)


def _either_apostrophe(sign: str) -> str:
    """A sign of a pattern, or a class of signs, that is the curly apostrophe as well."""
    return sign.replace("'", "'\u2019" if sign.startswith("[") else "['\u2019]")


def _joined(lines: Iterable[str]) -> str:
    """One pattern of some. What begins a word is looked for at the beginnings of words alone."""
    pattern = "|".join(lines).replace("START", _START).replace("COMMAND", _COMMAND)
    runs = groupby(_alternatives(pattern), key=lambda one: one.startswith(r"\b"))
    parts = [(begins_word, [*run]) for begins_word, run in runs]
    return "|".join(
        rf"\b(?:{'|'.join(one[2:] for one in run)})" if begins_word else "|".join(run)
        for begins_word, run in parts
    )


class Phrasing:
    """What `any_of` finds. Of a text in small letters, in ASCII, as nearly all are, it is found at
    half the cost: without regard to capitals a search can not leap.

    Args:
        lines: as `any_of` takes them.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = tuple(lines)
        self._small = re.compile(_joined(self._lines))

    def for_text(self, *, is_small: bool) -> re.Pattern[str]:
        """The pattern for a text.

        Args:
            is_small: whether it is in small letters, in ASCII.
        """
        return self._small if is_small else self._any

    def is_in(self, text: str, small: str | None = None) -> bool:
        """Whether a text has it.

        Args:
            small: the text in small letters, where somebody has it.
        """
        text, is_small = _as_looked_at(text, small_letters(text) if small is None else small)
        return self.for_text(is_small=is_small).search(text) is not None

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return any_of(self._lines)


def _alternatives(pattern: str) -> list[str]:
    """The patterns between which a pattern has a choice."""
    alternatives, depth = [""], 0
    for sign in _SIGNS.findall(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            alternatives.append("")
        else:
            alternatives[-1] += sign
    return alternatives


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
        self._phrases: dict[str, Near] = {}  # by their first words
        self._patterns: list[Phrasing] = []
        for number, group in enumerate(lines.split("\n= ")[1:]):
            phrases, *patterns = group.split("\n")
            lines_of_group = (line for line in patterns if line and not line.startswith("#"))
            self._patterns.append(Phrasing(lines_of_group))
            for name in phrases.split():
                phrase = name.replace("_", " ")
                word = _WORD.findall(phrase)[0]
                self._phrases[word] = (*self._phrases.get(word, ()), (phrase, number))
        self.words = frozenset(self._phrases)

    def near(self, small: SmallText) -> Near:
        """What may find something in a text, or in a part of it; nothing in most."""
        words = small.words & self.words
        if not words:
            return ()
        text, phrases = small.text, self._phrases
        return tuple([one for word in words for one in phrases[word] if one[0] in text])

    def may_be_in(self, small: SmallText) -> bool:
        """Whether a text may have one."""
        return bool(self.near(small))

    def is_in(self, sentence: str, small: SmallText, without: Phrasing | None = None) -> bool:
        """Whether a sentence has one.

        Args:
            small: the sentence. without: what is taken out of it before.
        """
        return self.is_in_part(sentence, small.text, self.near(small), without)

    def is_in_part(
        self, part: str, small: str, near: Near, without: Phrasing | None = None
    ) -> bool:
        """Whether a part of a text has one.

        Args:
            small: the part in small letters. near: what may find something in the text.
            without: what is taken out of the part before.
        """
        text, is_small = _as_looked_at(part, small)
        hits = [one for one in self._of(near, small, is_small) if one.search(text)]
        if hits and without is not None:
            rest = without.for_text(is_small=is_small).sub("", text)
            return any(one.search(rest) for one in hits)
        return bool(hits)

    def places(self, part: str, small: str, near: Near) -> list[int]:
        """Where in a part of a text they begin, in no order. Arguments as above."""
        text, is_small = _as_looked_at(part, small)
        patterns = self._of(near, small, is_small)
        return [hit.start() for one in patterns for hit in one.finditer(text)]

    def _of(self, near: Near, small: str, is_small: bool) -> list[re.Pattern[str]]:
        """The patterns that may find something in a part of a text."""
        numbers = {number for phrase, number in near if phrase in small}
        return [self._patterns[number].for_text(is_small=is_small) for number in numbers]


def _as_looked_at(part: str, small: str) -> tuple[str, bool]:
    """A part of a text in small letters, if they are in ASCII, each in its place; and whether they
    are."""
    is_small = small.isascii() and len(small) == len(part)  # a ligature is two letters
    return (small, True) if is_small else (part, False)
