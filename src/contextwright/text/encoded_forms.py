"""Text within text: JSON escapes, percent and HTML encoding, base64, and what they mean."""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

Unit = tuple[str, int, int]
"""The meaning of a piece of a text, and from where to where it stands."""

_ESCAPE = re.compile(
    r"(?<!\\)(?:\\++u[dD][89abAB][0-9a-fA-F]{2}\\++u[dD][c-fC-F][0-9a-fA-F]{2}|\\++u[0-9a-fA-F]{4})"
    r"|(?<!\\)\\++(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8})"
    r"|(?<!\\)\\++[nrtbf\"'/]"
)
_HEX = re.compile(r"(?:u\{|[uUx])([0-9a-fA-F]{1,8})")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|\+")
_ENTITY = re.compile(r"&(?:#(?:[0-9]{1,7}+|[xX][0-9a-fA-F]{1,6}+);?|[a-zA-Z]{2,31};)")
_MEANINGS = 4_096
"""Escapes and names of characters whose meaning is remembered."""
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_TEXTY = bytes((*b"\t\n\r", *range(0x20, 0x7F), *range(0xA0, 0x100)))


def plainly(text: str, units: Iterable[Unit]) -> str:
    """A text with what its pieces stand for, where it does not matter what stood where."""
    return "".join(meaning for meaning, _, _ in pieces_of(text, units))


def pieces_of(text: str, units: Iterable[Unit]) -> Iterator[Unit]:
    """All of a text: the units, and between them what stands for itself."""
    at = 0
    for unit in units:
        yield text[at : unit[1]], at, unit[1]
        yield unit
        at = unit[2]
    yield text[at:], at, len(text)


def escapes(text: str) -> Iterator[Unit]:
    r"""The meanings of `\u00e9` and `\n` in JSON text, however often it was put into JSON, and of
    `\xe9`, `\u{e9}` and `\U000000e9`, as programs print them."""
    for match in _ESCAPE.finditer(text):
        yield _unescaped(match[0].replace("\\", "")), match.start(), match.end()


@lru_cache(maxsize=_MEANINGS)
def _unescaped(escape: str) -> str:
    codes = [int(code, 16) for code in _HEX.findall(escape)]
    if not codes:
        return _CONTROL.get(escape[-1], escape[-1])
    if len(codes) == 2:
        return chr(0x10000 + ((codes[0] - 0xD800) << 10) + (codes[1] - 0xDC00))
    return chr(min(codes[0], 0x10FFFF))


def percents(text: str) -> Iterator[Unit]:
    """The meanings of `%C3%A9` and `+` in URLs."""
    for match in _PERCENT.finditer(text):
        if match[0] == "+":
            yield " ", match.start(), match.end()
            continue
        data = bytes.fromhex(match[0].replace("%", ""))
        at = match.start()
        for sign in data.decode("utf-8", "surrogateescape"):
            if sign < "\x80":
                size = 3
            elif "\udc80" <= sign <= "\udcff":  # no character
                at += 3
                continue
            else:
                size = 3 * len(sign.encode())
            yield sign, at, at + size
            at += size


def entities(text: str) -> Iterator[Unit]:
    """The meanings of `&eacute;` and `&#233;` in HTML."""
    for match in _ENTITY.finditer(text):
        entity = match[0]
        meaning = _character(entity)
        if meaning != entity:
            yield meaning, match.start(), match.end()


_character = lru_cache(maxsize=_MEANINGS)(html.unescape)


FORMS: tuple[tuple[str, Callable[[str], Iterable[Unit]]], ...] = (
    ("\\", escapes),
    ("%", percents),
    ("+", percents),
    ("&", entities),
    ("", lambda text: ()),
)
"""A sign that a text of each form has, and what stands for what in it. The plain form is last: of
`Ada+Lovelace` the surname alone is found as it is."""


def decoded(data: bytes) -> Iterator[str]:
    """The texts that bytes may be: UTF-8; UTF-16 where they look so; Latin-1 where most of them
    are characters. Nothing for other bytes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield data.decode("utf-16", "ignore")
        return
    zeros = data.count(0)
    if zeros and zeros * 5 >= len(data) * 2:
        yield data.decode("utf-16-le", "ignore")
        yield data.decode("utf-16-be", "ignore")
        return
    if zeros:
        return
    try:
        yield data.decode("utf-8")
    except UnicodeDecodeError:
        if len(data.translate(None, _TEXTY)) * 20 <= len(data):
            yield data.decode("latin-1")
            yield data.decode("utf-8", "ignore")


def standard_base64(data: str) -> str:
    """Base64 in the alphabet that every provider takes: pydantic writes the other one, so that
    stored messages and the requests of Google's SDK have it."""
    return data.replace("-", "+").replace("_", "/")


def decode_base64(text: str, *, strict: bool = False) -> bytes | None:
    """The bytes of base64, with or without its padding, of either alphabet; None for none.

    Args:
        strict: whether a sign of neither alphabet is no base64; else it is passed over.
    """
    plain = standard_base64(text.rstrip("="))
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=strict)
    except (ValueError, binascii.Error):
        return None
