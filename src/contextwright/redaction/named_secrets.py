"""Secrets with a name in another language than English: `contraseña: ...`, `密码是...`.

Where such a name ends, its match begins: with what parts it from the value.
"""

import re
from functools import partial

from contextwright.redaction import checks
from contextwright.redaction.checks import DATE, Check
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import Pattern
from contextwright.redaction.secret_names import KEYS, PASSWORDS, PINS, names_of, places_of_names
from contextwright.redaction.secret_values import ANY_VALUE, value_of

_CLOSED = r"\\{0,3}[\"'`”»」』]?\]?(?:[ ]?[(（][^()（）\n]{1,20}[)）])?"
_ASSIGNED = rf"{_CLOSED}[ \t]{{0,8}}(?::=|=>|={{1,3}}|:)[ \t]{{0,8}}\\{{0,3}}"
_IN_TAG = r">[ \t\n]{0,40}"
_WORDS = r"(?: [^\s:=,;.!?\"'`<>|]{1,40}){0,5}?"
IS = (
    "is|was|lautet|ist|to|c'est|c’est|est|es|será|sera|seria|é|è|e'|sarà|fue|jest|brzmi|wynosi|je|"
    "är|er|var|adalah|ialah|yaitu|là|это|є|це|είναι|είναι:|هي|هو|היא|הוא|है|คือ"
)
"""How prose says that something is something, between blanks."""
_BECOMES = "改为|改成|改為|设为|設為|设置为|更新为|重置为"
GLUED_IS = f"是|为|為|：|就是|{_BECOMES}|変更は|は|が|を|の値は|는|은|이|가|을|를|คือ"
"""The same where no blank is needed in front of it, nor behind it."""
NOW = (
    " now| set to| jetzt| nun| maintenant| ahora| agora| adesso| nu| nå| teraz| nyní| теперь| şimdi"
)
"""What may stand behind it."""
_IN_PROSE = rf"{_WORDS}(?: (?:{IS})(?:{NOW})?:?| ?(?::|—|–|-|=)) {{1,3}}"
_WITHOUT_BLANK = rf"[ ]?(?:现在|現在|已|已经|已經|被)?(?:{GLUED_IS})[ :]{{0,3}}"
_BEFORE_VALUE = rf"(?:{_ASSIGNED}|{_IN_TAG}|{_WITHOUT_BLANK}|{_IN_PROSE}|[ ]{{0,3}})"
_OPENS = frozenset(
    " \t\\\"'`”»」』](（:=>：现現已被“„«「『" + "".join(word[0] for word in GLUED_IS.split("|"))
)
"""What may stand right behind a name."""
_LETTER = re.compile(r"[^\W\d_]")
_METHOD = re.compile(
    r"(?:sha|md|aes|rsa|des|hmac|base|utf|ascii|bcrypt|argon|pbkdf|scrypt|hs|rs|es|ed|tls|ssl|wpa)"
    r"-?[0-9]{1,5}(?:-[a-z0-9]{2,6}){0,2}$",
    re.IGNORECASE,
)
_VERSION = re.compile(r"[A-Za-z][a-z]+[0-9]{1,3}$")
_ODD = frozenset("!#$%&*+=?@^~|")
_PIN = re.compile(r"[0-9]{4,8}(?![0-9])")


def _starts(table: str, haystack: Haystack) -> list[int]:
    """Where a name of a table ends that something may stand behind, in order."""
    text = haystack.text
    ends = {end for _, end in places_of_names(table, haystack)}
    return sorted(end for end in ends if text[end : end + 1] in _OPENS)


def _is_stated(match: re.Match[str]) -> bool:
    """Whether words, and no sign of an assignment alone, stand before the value."""
    return _LETTER.search(match.string, match.start(), match.start(1)) is not None


def _is_beside(match: re.Match[str]) -> bool:
    """Whether nothing but a blank or a quote stands before the value."""
    return not match.string[match.start() : match.start(1)].strip()


def _has_kinds(value: str) -> bool:
    """Whether a value has three of small letters, capitals, digits and odd signs: what stands right
    behind a name, as a word may as well."""
    if _VERSION.match(value):
        return False
    letters = any(map(str.islower, value)) + any(map(str.isupper, value))
    return letters + any(map(str.isdigit, value)) + (not _ODD.isdisjoint(value)) >= 3


def _password(match: re.Match[str]) -> tuple[int, int] | None:
    is_beside = _is_beside(match)
    if is_beside and match[1].isalpha():
        return None  # most of what prose goes on with
    start, end, _ = value_of(match)
    value = match.string[start:end]
    if _METHOD.match(value):
        return None
    if is_beside:
        return checks.stated(match) if len(value) >= 6 and _has_kinds(value) else None
    if not _is_stated(match):
        return checks.password(match)
    # `κωδικός προϊόντος: 20240311` is the code of a product
    if DATE.match(value) or (value.isdigit() and match[0][: -len(match[1])].rstrip()[-1:] in ":=-"):
        return None
    return checks.stated(match)


def _key(match: re.Match[str]) -> tuple[int, int] | None:
    start, end, _ = value_of(match)
    value = match.string[start:end]
    if _METHOD.match(value) or (_is_beside(match) and not _has_kinds(value)):
        return None
    return checks.named_secret(match)


def _pin(match: re.Match[str]) -> tuple[int, int] | None:
    text, start = match.string, match.start()
    pin = _PIN.match(text, match.start(1))
    if not pin or checks.is_amount(text, *pin.span()):
        return None
    name = text[max(0, start - 4) : start].lower()
    # `PIN code: 560001` is where somebody lives in India, `pin 4096` a part of a circuit
    if (name == "code" and len(pin[0]) == 6) or (
        _is_beside(match) and text[start - 3 : start] == "pin"
    ):
        return None
    return pin.span()


def _pattern(
    name: str, table: str, check: Check, value: str = ANY_VALUE, digits: int = 0
) -> Pattern:
    return Pattern(
        name,
        _BEFORE_VALUE + value,
        tuple(names_of(table)),
        starts=partial(_starts, table),
        digits=digits,
        fold=True,
        free=True,
        check=check,
    )


NAMED_SECRETS = (
    _pattern("password", PASSWORDS, _password),
    _pattern("password", PINS, _pin, r"[\"'“„«「]?([0-9]{4,8})", 4),
    _pattern("assigned_secret", KEYS, _key),
)
