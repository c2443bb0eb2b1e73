"""Phone numbers: by a form that only they have, or as digits near a word for phones.

In a text of numbers a match may begin at each of them. Of many places only those are tried that
have such a form, or are near such a word.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from contextwright.redaction.checks import DATE, IBAN_LENGTHS, near
from contextwright.redaction.edges import opening
from contextwright.redaction.haystack import Haystack

NUMBER = r"[+(0-9](?:[ .()/-]{0,3}[0-9]){6,17}"
"""What a match of any kind is within."""
GLUE = "-."

_IBAN_HEAD = re.compile(r"([A-Z]{2})(?<=\b..)[0-9]{2}(?: [A-Z0-9]{4}){0,7} $")
_PHONE_FORMS = (
    r"(?:\+[1-9](?:[ .()/-]{0,2}[0-9]){6,14}"  # international
    r"|(?:(?:1|001)[ .-])?(?:\([2-9][0-9]{2}\)[ .-]?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-][0-9]{4}"
    r"|00[1-9][0-9]{0,2}(?:[ .-][0-9]{2,5}){2,4}"  # international, dialled
    r"|\(?0[1-9][0-9]{0,3}\)?[ -][0-9]{2,8}(?:[ -][0-9]{2,4}){0,3}"  # national, trunk prefix 0
    r"|[2-9][0-9]{2}-[0-9]{3}-[0-9]{2}-[0-9]{2}"
    r"|0 [1-9][0-9]{2}(?: [0-9]{2,4}){3}|0-[1-9][0-9]{2}(?:-[0-9]{2,4}){3}"
    r"|0[1-9][0-9]{8,9})(?![0-9])"
)
_FORM = re.compile(_PHONE_FORMS, re.ASCII)
_LOCAL = r"\(?[0-9](?:[ .()-]{0,2}[0-9]){6,12}(?![0-9])"
_LOCAL_PHONE = re.compile(_LOCAL)
_NO_DIGITS = dict.fromkeys(map(ord, "+ .()/-"))
_EXTENSION = re.compile(r" ?(?:x|ext\.? ?)[0-9]{1,6}\b", re.ASCII)
_PHONE_WORDS = re.compile(
    r"\b(?:phone|mobile|cell|call|tele?f?o?n?|fax|desk|contact|dial|sms|whatsapp|text|"
    r"reach|answering|messages|registered|msisdn|hotline)(?:[^a-zà-ɏ]|_?no|_?number|s\b)|office:"
)
_ABROAD = (
    *("handy", "mobil", "rufnummer", "movil", "celular", "gsm", "telefon", "telepon", "telefoon"),
    *("téléphone", "tél", "portable", "móvil", "teléfono", "telefone", "telemóvel", "cellulare"),
    *("komórk", "cep", "телефон", "мобильн", "мобільн", "сотов", "тел", "τηλέφωνο", "κινητό"),
    *("τηλ", "هاتف", "جوال", "موبايل", "تلفون", "تلفن", "טלפון", "נייד", "फ़ोन", "फोन", "मोबाइल"),
    *("โทร", "มือถือ", "เบอร์", "hp", "ponsel", "điện thoại", "sđt", "di động", "电话", "電話"),
    *("手机", "手機", "微信", "联系方式", "热线", "携帯", "連絡先"),
    *("전화", "휴대폰", "핸드폰", "연락처"),
)
"""What a phone is called elsewhere."""
_NAMED_ABROAD = re.compile(
    rf"(?=[{''.join(sorted({word[0] for word in _ABROAD}))}])"
    rf"(?:(?<![a-z])(?:{'|'.join(word for word in _ABROAD if word.isascii())})"
    rf"|{'|'.join(word for word in _ABROAD if not word.isascii())})"
    # a colon, or a word at most, such as `es` or `号码是`
    r"(?:[^0-9\n.;!?。；！？]{0,24}:|\w{0,10}\.?[^\w\n,;!?。；！？、，]{0,3}[^\W\d]{0,10}) {0,3}$"
)
_PHONE_AFTER = re.compile(r"[^a-z0-9]{1,3}(?:office|fax|mobile|cell|home|work)\b", re.IGNORECASE)
_OPENS_FORM = re.compile(opening("[+(0-9]", GLUE, _PHONE_FORMS))
_OPENS = re.compile(opening("[+(0-9]", GLUE, f"{_LOCAL}|{_PHONE_FORMS}"))
_BEFORE = (
    *("phone", "mobil", "cell", "call", "tel", "fax", "desk", "contact", "dial", "sms"),
    *("whatsapp", "text", "reach", "answering", "messages", "registered", "msisdn", "hotline"),
    "office:",
    *(word for word in _ABROAD if not word.startswith(("mobil", "tel"))),
)
"""What every match of `_PHONE_WORDS` and of `_NAMED_ABROAD` begins with."""
# without regard to case, a dotless i is an i
_AFTER = ("office", "off\u0131ce", "fax", "mobile", "mob\u0131le", "cell", "home", "work")
_FEW = 100
"""Signs of a text for each place with digits from which on words for phones are looked for: else
each of these places is tried."""
_WORD_BEFORE = 48
"""Signs before a number in which a word for phones is looked for."""
_WORD_AFTER = 48
"""More signs than a number without an extension and what is between it and a word have."""


def starts(haystack: Haystack) -> list[int]:
    """Where a number that is one may begin, in order."""
    text = haystack.text
    places = [number.start() for number in _OPENS.finditer(text)]
    if len(places) * _FEW < len(text):
        return places
    forms = (form.start() for form in _OPENS_FORM.finditer(text))
    near = (at for start, end in _near_words(haystack) for at in _between(places, start, end))
    return sorted({*forms, *near})


def _between(places: list[int], start: int, end: int) -> list[int]:
    return places[bisect_left(places, start) : bisect_left(places, end)]


def _near_words(haystack: Haystack) -> Iterator[tuple[int, int]]:
    """The parts of a text in which digits are near a word for phones, in order and disjoint."""
    near = [(at, at + _WORD_BEFORE + 1) for at in haystack.places(_BEFORE, fold=True)]
    near += [(max(0, at - _WORD_AFTER), at) for at in haystack.places(_AFTER, fold=True)]
    last = 0
    for start, end in sorted(near):
        if end > last:
            yield max(start, last), end
            last = end


def phone(match: re.Match[str]) -> tuple[int, int] | None:
    """A form that only a phone number has, or any 7 to 13 digits near a word for phones."""
    text, start = match.string, match.start()
    if DATE.match(text, start):
        return None
    number = _FORM.match(text, start)
    is_marked = text[start] == "+"
    if number and not is_marked and not 9 <= len(number[0].translate(_NO_DIGITS)) <= 15:
        number = None
    if not number and not is_marked:
        local = _LOCAL_PHONE.match(text, start)
        if local and (_PHONE_AFTER.match(text, local.end()) or _is_named(match)):
            number = local
    if not number or (not is_marked and _in_iban(text, start)):
        return None
    extension = _EXTENSION.match(text, number.end())
    return start, extension.end() if extension else number.end()


def _is_named(match: re.Match[str]) -> bool:
    """Whether a word for phones is near; elsewhere than in English one right before it."""
    return near(_PHONE_WORDS, match, 48) or near(_NAMED_ABROAD, match, 32)


def _in_iban(text: str, start: int) -> bool:
    """Whether groups of four before a number make it the end of an account's, mistyped or not."""
    head = _IBAN_HEAD.search(text, max(0, start - 40), start)
    return head is not None and head[1] in IBAN_LENGTHS
