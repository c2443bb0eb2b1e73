"""Numbers that a state gives a person or a firm: by a form that only they have, or by their name.

Each has check digits, or a date and a sign that divides it: an order's number beside the same word
is left.
"""

import re
from collections.abc import Callable
from functools import partial

from contextwright.redaction.checks import luhn
from contextwright.redaction.named_numbers import behind_words
from contextwright.redaction.patterns import Pattern

_SIGNS = re.compile("[0-9A-Z]")
_MOD_23 = "TRWAGMYFPDXBNJZSQVHLCKE"
# ISO 7064 MOD 11-2
_MOD_11 = "10X98765432"
# Verhoeff: the dihedral group of ten, as products, and the permutation
_PRODUCTS = tuple(
    tuple(
        (a + b) % 5 + 5 * (b > 4) if a < 5 and b < 5 else
        (a + b) % 5 + 5 if a < 5 else
        (a - b) % 5 + 5 if b < 5 else
        (a - b) % 5
        for b in range(10)
    )
    for a in range(10)
)  # fmt: skip
_TURNS = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
# what a sign of a codice fiscale counts at an odd place, digits as the letters from A on
_ODD = (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18,
    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
)  # fmt: skip
_OF_PERSON = (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
_OF_FIRM = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def _sum(digits: str, *weights: int) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _chinese(signs: str) -> bool:
    weights = (pow(2, 17 - at, 11) for at in range(17))
    return _MOD_11[_sum(signs[:17], *weights) % 11] == signs[17]


def _brazilian(signs: str) -> bool:
    if len(set(signs)) == 1:
        return False
    weights = _OF_PERSON if len(signs) == 11 else _OF_FIRM
    for at in (len(signs) - 2, len(signs) - 1):
        rest = _sum(signs[:at], *weights[-at:]) % 11
        if int(signs[at]) != (0 if rest < 2 else 11 - rest):
            return False
    return True


def _spanish(signs: str) -> bool:
    number = signs[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number.isdigit() and _MOD_23[int(number) % 23] == signs[-1]


def _polish(signs: str) -> bool:
    return _sum(signs, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1) % 10 == 0


def _turkish(signs: str) -> bool:
    odd, even = sum(map(int, signs[0:9:2])), sum(map(int, signs[1:8:2]))
    tenth = (odd * 7 - even) % 10 == int(signs[9])
    return signs[0] != "0" and tenth and sum(map(int, signs[:10])) % 10 == int(signs[10])


def _indian(signs: str) -> bool:
    check = 0
    for at, sign in enumerate(reversed(signs)):
        digit = int(sign)
        for _ in range(at % 8):
            digit = _TURNS[digit]
        check = _PRODUCTS[check][digit]
    return check == 0


def _german(signs: str) -> bool:
    product = 10
    for sign in signs[:10]:
        product = ((int(sign) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(signs[10])


def _japanese(signs: str) -> bool:
    rest = _sum(signs[:11], 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
    return int(signs[11]) == (0 if rest < 2 else 11 - rest)


def _french(signs: str) -> bool:
    number = signs[:-2].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(signs[-2:])


def _russian(signs: str) -> bool:
    weights = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)
    last = _sum(signs[:-1], *weights[-len(signs) + 1 :]) % 11 % 10 == int(signs[-1])
    return last and (len(signs) == 10 or _sum(signs[:10], *weights[1:]) % 11 % 10 == int(signs[10]))


def _insured_russian(signs: str) -> bool:
    return _sum(signs, 9, 8, 7, 6, 5, 4, 3, 2, 1) % 101 % 100 == int(signs[9:])


def _dutch(signs: str) -> bool:
    return _sum(signs, 9, 8, 7, 6, 5, 4, 3, 2, -1) % 11 == 0


def _swedish(signs: str) -> bool:
    return luhn(signs[-10:])


def _italian(signs: str) -> bool:
    values = [int(sign) if sign.isdigit() else ord(sign) - 65 for sign in signs]
    total = sum(map(_ODD.__getitem__, values[0:15:2])) + sum(values[1:15:2])
    return total % 26 == values[15]


def _any(_signs: str) -> bool:
    return True


def _checked(is_valid: Callable[[str], bool], match: re.Match[str]) -> tuple[int, int] | None:
    group = match.re.groups
    signs = "".join(_SIGNS.findall(match[group].upper()))
    return match.span(group) if is_valid(signs) else None


def _named(
    words: tuple[str, ...], regex: str, digits: int, is_valid: Callable[[str], bool]
) -> Pattern:
    return behind_words(
        "national_id", words, rf"(?:{regex})\b", digits, partial(_checked, is_valid)
    )


def _formed(regex: str, digits: int, is_valid: Callable[[str], bool]) -> Pattern:
    check = partial(_checked, is_valid)
    return Pattern("national_id", regex, digits=digits, glue="-.", check=check)


_DAY = "(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"

NATIONAL_IDS: tuple[Pattern, ...] = (
    _formed(rf"[1-9][0-9]{{5}}(?:19|20)[0-9]{{2}}{_DAY}[0-9]{{3}}[0-9Xx]\b", 17, _chinese),
    _formed(rf"[0-9]{{2}}{_DAY}-[1-8][0-9]{{6}}\b", 13, _any),  # a Korean resident's
    _formed(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}\b", 11, _brazilian),
    _formed(r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}\b", 14, _brazilian),
    _named(
        ("주민등록번호", "주민번호", "외국인등록번호"),
        rf"[0-9]{{2}}{_DAY}[ -]?[1-8][0-9]{{6}}",
        13,
        _any,
    ),
    _named(("cpf",), r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}", 11, _brazilian),
    _named(("cnpj",), r"[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}/?[0-9]{4}-?[0-9]{2}", 14, _brazilian),
    _named(("dni", "nif"), r"[0-9]{8}[ -]?[A-Za-z]", 8, _spanish),
    _named(("nie", "nif"), r"[XYZxyz][ -]?[0-9]{7}[ -]?[A-Za-z]", 7, _spanish),
    _named(("pesel",), r"[0-9]{11}", 11, _polish),
    _named(("kimlik", "tckn"), r"[1-9][0-9]{10}", 11, _turkish),
    _named(("aadhaar", "aadhar", "आधार"), r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}", 12, _indian),
    _named(("pan",), r"[A-Za-z]{3}[ABCFGHJLPTabcfghjlpt][A-Za-z][0-9]{4}[A-Za-z]", 4, _any),
    _named(
        ("steuer-id", "steueridentifikationsnummer", "steuer-identifikationsnummer", "idnr", "tin"),
        r"[1-9][0-9](?: ?[0-9]{3}){3}",
        11,
        _german,
    ),
    _named(("マイナンバー", "個人番号"), r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}", 12, _japanese),
    _named(
        ("sécurité sociale", "securite sociale", "n° ss", "nir", "insee"),
        r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?(?:[0-9]{2}|2[ABab]) ?[0-9]{3} ?[0-9]{3}"
        r" ?[0-9]{2}",
        12,
        _french,
    ),
    _named(("инн", "іпн"), r"(?:[0-9]{12}|[0-9]{10})", 10, _russian),
    _named(("снилс",), r"[0-9]{3}-?[0-9]{3}-?[0-9]{3}[ -]?[0-9]{2}", 11, _insured_russian),
    _named(("bsn", "burgerservice"), r"[0-9]{9}", 9, _dutch),
    _named(("personn",), r"(?:19|20)?[0-9]{6}[-+ ]?[0-9]{4}", 10, _swedish),
    _named(
        ("codice fisc", "cod. fisc"),
        r"[A-Za-z]{6}[0-9L-Vl-v]{2}[A-Za-z][0-9L-Vl-v]{2}[A-Za-z][0-9L-Vl-v]{3}[A-Za-z]",
        3,
        _italian,
    ),
)
