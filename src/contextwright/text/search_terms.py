"""The words that a search compares: identifiers in their parts, Chinese and Japanese in pairs."""

import re
from collections.abc import Callable, Iterable
from itertools import chain
from unicodedata import normalize

from contextwright.memo.ownership import table_of

WORD_RUN = re.compile(r"[^\W_]+")


def blanks_for(is_gap: Callable[[str], bool]) -> bytes:
    """For each sign of ASCII a blank where it stands between words, else the sign: for bytes, of
    which it is looked up in half the time that letters take."""
    return bytes(32 if sign > 127 or is_gap(chr(sign)) else sign for sign in range(256))


_GAPS = blanks_for(lambda sign: not sign.isalnum())
_SIGNS = re.compile("[\u2010-\u2026\u2190-\u2193\u201c-\u201f]")
"""Dashes, curly quotes, dots and arrows, which are no part of a word: many a text, and each line of
a call, has no others outside ASCII."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
MAX_TEXT = 20_000
"""Characters of a text that are looked at."""
STOP = frozenset(
    re.findall(
        r"\w+",
        """a about after all also am an and any are as at be been before but by can could did do
        does for from had has have he her him his how i if in into is it its just like me more my
        no not now of on one or our out over please she should so some than that the their them
        then there these they this to too up us was we were what when where which while who why
        will with would you your""",
    )
)
"""English words that say nothing about what a text is about."""

_LEAST = (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4))
_ENDINGS = ("s", "ing", "ed")
"""The commonest English endings, with the letters of a word that has one, at least; and what each
of them ends with."""


def without_signs(text: str) -> str:
    """The text with blanks in the place of signs outside ASCII that are no part of a word: most
    texts are in ASCII then, whose words are told at a third of the cost."""
    if text.isascii():
        return text
    plain = text.replace("\u2192", " ")  # most have this one alone
    return plain if plain.isascii() else _SIGNS.sub(" ", plain)


def runs_of(text: str) -> list[str]:
    """The runs of letters and digits of a text: of one in ASCII, as bytes, at a fourth of
    `WORD_RUN`'s cost."""
    if not text.isascii():
        return WORD_RUN.findall(text)
    return text.encode().translate(_GAPS).decode().split()


def words(text: str) -> list[str]:
    """The words of a text, folded, in order: `getUserName` gives get, user, name."""
    words: list[str] = []
    for word in _runs_of_words(text):
        if word.isascii():
            words += parts_of(word)
            continue
        at = 0
        for run in _CJK.finditer(word):
            if run.start() > at:
                words.append(word[at : run.start()].casefold())
            words += _pairs(run[0])
            at = run.end()
        if at < len(word):
            words.append(word[at:].casefold())
    return words


def _runs_of_words(text: str) -> list[str]:
    text = without_signs(text[:MAX_TEXT])
    return runs_of(text if text.isascii() else normalize("NFKC", text))


def content_words(text: str) -> list[str]:
    """The words that say what a text is about; all of them where no other is left."""
    runs = _runs_of_words(text)
    if not text.isascii() and not all(map(str.isascii, runs)):
        words_of_text = words(text)
        return [stem(word) for word in words_of_text if word not in STOP] or words_of_text
    return stems_of(runs) or words(text)


def stems_of(runs: Iterable[str]) -> list[str]:
    """Those of runs of letters and digits in ASCII."""
    return list(chain.from_iterable(map(table_of(_stems), runs)))


def every_stem(text: str) -> set[str]:
    """The stems of all words of a text."""
    if not text.isascii():
        return {stem(word) for word in words(text)}
    return {*chain.from_iterable(map(table_of(_every_stem), runs_of(text[:MAX_TEXT])))}


def _every_stem(word: str) -> tuple[str, ...]:
    return tuple(map(stem, parts_of(word)))


def stem(word: str) -> str:
    """A word without the commonest English endings, so that `refunds` meets `refund`."""
    if word.endswith(_ENDINGS) and word.isascii():
        for ending, least in _LEAST:
            if len(word) >= least and word.endswith(ending):
                cut = word[: -len(ending)]
                if ending == "s" and cut.endswith("s"):
                    return word
                if ending == "ies":
                    return cut + "y"
                return cut.removesuffix("e") if ending == "es" else cut
    return word.removesuffix("e") if len(word) > 4 and word.isascii() else word


def parts_of(word: str) -> tuple[str, ...]:
    """The words of a run of letters and digits in ASCII, folded."""
    if word.islower():
        return (word,)
    return tuple(part.casefold() for part in ([word] if word.isupper() else _CAMEL.split(word)))


def _stems(word: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in parts_of(word) if part not in STOP)


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]
