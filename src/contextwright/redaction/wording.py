"""What tells a random value from a word, a name of code, or a stand-in of documentation."""

import re
from operator import add

_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
# Pairs of letters in English and in names of code; chance gives a fifth of them.
_COMMON_PAIRS = """
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co
    me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us
    ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa
    im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke
    ui ck ok ap ag av da up ep bo gi ga ib sp ey ue va pi ef if ph cr ff br gr qu sw rd
"""
_PAIRS = frozenset(_COMMON_PAIRS.split())
_CODE = re.compile(
    r"[$<{(\[]|%(?:[A-Za-z_]+%|\(|[sd]\b)|\*+$|@[a-z_.]+$|(?:self|this|process|os|env|config|settings|args|params|request|req|res|"
    r"response|data|ctx|app|cfg|options|opts|props|state|user|session|client|event|input)\b[.\[]"
    r"|(?:https?|file|s3|gs|vault|arn)[:/]|~?\.{0,2}(?:/[a-z0-9._-]*)+$|[A-Za-z]:\\",
    re.ASCII,
)
_STAND_IN = re.compile(
    r"(?:your|my|the|insert|enter|change|replace|example|dummy|sample|placeholder|redacted)"
    r"|(?:null|none|nil|true|false|undefined|string|bytes|password|secret|token|required|optional)\b"
    r"|(.)\1*$",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[({\[]")
_FILLED = re.compile("[xX*.\u2022](?:(?<=x)x{4}|(?<=X)X{4}|(?<=[*.\u2022])[*.\u2022]{4})")


def is_words(value: str) -> bool:
    """Whether a value is made of words: prose, or a name of code such as `response_token`."""
    if value.isalpha() and not value.isascii():
        return True  # of another language: what chance makes is ASCII
    parts = _SPLIT.findall(value)
    pairs = sum(map(len, parts)) - len(parts)
    if not pairs or sum(map(str.isdigit, value)) * 5 > len(value):
        return False
    if sum(map(str.isalpha, value)) < 3.6 * len(parts):
        return False
    small = (part.lower() for part in parts)
    common = sum(pair in _PAIRS for part in small for pair in map(add, part, part[1:]))
    return common * 10 >= 6 * pairs


def is_stand_in(value: str) -> bool:
    """Whether a value is a variable, an expression, or what documentation writes for a value."""
    stand_in = _STAND_IN.match(value) or _CODE.match(value) or _BRACKET.search(value)
    return stand_in is not None or is_filled(value)


def is_filled(value: str) -> bool:
    """Whether a value is filled with `x`, as documentation does."""
    return _FILLED.search(value) is not None


def is_random(value: str) -> bool:
    """Whether a value looks as if it were made by chance: no word, no plain number."""
    inner = set(value.strip("-_.=/"))
    letters = any(map(str.isalpha, inner))
    mixed = letters and any(map(str.isdigit, inner))
    cases = any(map(str.islower, inner)) and any(map(str.isupper, inner))
    signs = not all(map(str.isalnum, inner))
    if not (mixed or cases or signs or (value.isalpha() and len(value) >= 10)):
        return False
    return len(set(value)) >= 5 and not is_words(value)
