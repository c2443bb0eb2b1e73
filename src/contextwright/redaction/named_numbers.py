"""Personal data that is known by a word in front of it, such as a date of birth."""

from functools import partial

from contextwright.redaction.checks import Check
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import Pattern

_BIRTH = (
    *("gebo", "geburt", "naissance", "né le", "née le", "nacimiento", "nacid", "nasci"),
    *("nato il", "nata il", "urodz", "naro", "födelse", "född", "fødsel"),
    *("født", "doğum", "рожден", "родился", "родилась", "народжен", "γέννησ", "γεννήθ"),
    *("ميلاد", "תאריך לידה", "जन्म", "วันเกิด", "เกิดวันที่", "lahir"),
    *("ngày sinh", "sinh ngày", "出生", "生日", "生年月日", "誕生日", "생년월일", "생일", "출생"),
)
"""How other languages than English begin to say when somebody was born."""


def _behind(words: tuple[str, ...], haystack: Haystack) -> list[int]:
    """Where words end, in order; those of Latin letters stand alone on the left."""
    folded = haystack.folded
    places = (
        place + len(word)
        for word in haystack.possible(words)
        for place in haystack.places_of(word, True)
        if not (word.isascii() and folded[max(0, place - 1) : place].isalpha())
    )
    return sorted(places)


def behind_words(
    name: str,
    words: tuple[str, ...],
    regex: str,
    digits: int,
    check: Check | None = None,
) -> Pattern:
    """A pattern of what stands soon behind one of these words, given in small letters."""
    starts = partial(_behind, words)
    return Pattern(
        name,
        rf"[^0-9\n]{{0,24}}?({regex})",
        words,
        starts=starts,
        digits=digits,
        fold=True,
        free=True,
        check=check,
    )


NAMED_NUMBERS: tuple[Pattern, ...] = (
    behind_words(
        "date_of_birth",
        _BIRTH,
        r"[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{2,4}\b"
        r"|[0-9]{1,2}\.?(?: de)? [^\s0-9]{3,12}(?: de)? [0-9]{4}\b"
        r"|[0-9]{2,4}[年년] ?[0-9]{1,2}[月월] ?[0-9]{1,2}[日일]?",
        4,
    ),
)
