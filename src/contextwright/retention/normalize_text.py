"""Texts as names are looked for in them: decoded, normalized, and every character with its place
in the original, so that what is found can be cut out of it."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from unicodedata import category, combining, normalize

Unit = tuple[str, int, int]
"""The meaning of a piece of a text, and from where to where it stands."""

_FORMAT = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_INVISIBLE = re.compile(f"[{_FORMAT}]")
_ALIKE = {ord(sign): "'" for sign in "\u2018\u2019\u02bc\u2032"} | {
    ord(sign): "-" for sign in "\u2010\u2011\u2012\u2013\u2212"
}
"""Apostrophes and hyphens that word processors and models set for those of the keyboard."""
_ESCAPE = re.compile(
    r"(?<!\\)(?:\\++u[dD][89abAB][0-9a-fA-F]{2}\\++u[dD][c-fC-F][0-9a-fA-F]{2}|\\++u[0-9a-fA-F]{4})"
    r"|(?<!\\)\\++[nrtbf\"'/]"
)
_HEX = re.compile(r"u([0-9a-fA-F]{4})")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|\+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def folded(text: str) -> str:
    """A text as names are compared: no case, no composed and no invisible characters, plain
    apostrophes and hyphens."""
    if text.isascii():
        return text.lower()
    plain = normalize("NFKD", normalize("NFKD", visible(text)).casefold())
    # last: a letter such as U+0149 has an apostrophe in it
    return plain.translate(_ALIKE)


def visible(text: str) -> str:
    """A text without the characters that nobody sees."""
    return _INVISIBLE.sub("", text)


class Folded:
    """A folded text whose places are known.

    Args:
        text: the original.
        units: pieces that stand for something else; what is between them stands for itself.
    """

    def __init__(self, text: str, units: Iterable[Unit] = ()) -> None:
        decoded, spans = _decoded(text, units)
        pieces: list[str] = []
        self._starts: list[int] = []
        """Where each cluster begins in the folded text, and from where to where it stands."""
        self._spans: list[tuple[int, int]] = []
        length = 0
        for first, last in _clusters(decoded):
            piece = folded(decoded[first:last])
            pieces.append(piece)
            self._starts.append(length)
            self._spans.append((spans[first][0], spans[last - 1][1]))
            length += len(piece)
        self._starts.append(length)
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a piece of the folded text stands in the original; None where it begins or ends
        within a character."""
        if start and is_mark(self.text[start - 1]) and self.text[start].isalnum():
            return None  # a letter with its mark stands before it
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        if self._starts[first] != start or self._starts[last + 1] != end:
            return None
        return self._spans[first][0], self._spans[last][1]


def plainly(text: str, units: Iterable[Unit]) -> str:
    """A text with what its pieces stand for, where it does not matter what stood where."""
    return "".join(meaning for meaning, _, _ in _pieces(text, units))


def _pieces(text: str, units: Iterable[Unit]) -> Iterator[Unit]:
    """All of a text: the units, and between them what stands for itself."""
    at = 0
    for unit in units:
        yield text[at : unit[1]], at, unit[1]
        yield unit
        at = unit[2]
    yield text[at:], at, len(text)


def _decoded(text: str, units: Iterable[Unit]) -> tuple[str, list[tuple[int, int]]]:
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    for meaning, start, end in _pieces(text, units):
        pieces.append(meaning)
        # an encoded piece is longer than what it means, or one character
        if len(meaning) == end - start:
            spans.extend((place, place + 1) for place in range(start, end))
        else:
            spans.extend([(start, end)] * len(meaning))
    return "".join(pieces), spans


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """From where to where a character stands with the marks and the invisible ones behind it."""
    first = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _belongs(text[place]):
            yield first, place
            first = place


def is_mark(sign: str) -> bool:
    """True if a sign belongs to the letter before it."""
    return not sign.isascii() and category(sign).startswith("M")


def _belongs(sign: str) -> bool:
    return not sign.isascii() and (
        combining(sign) != 0
        or category(sign) in {"Mn", "Mc", "Me", "Cf"}
        or "\u1160" <= sign <= "\u11ff"
    )


def escapes(text: str) -> Iterator[Unit]:
    r"""The meanings of `\u00e9` and `\n` in JSON text, however often it was put into JSON."""
    for match in _ESCAPE.finditer(text):
        codes = [int(code, 16) for code in _HEX.findall(match[0])]
        if not codes:
            sign = match[0][-1]
            yield _CONTROL.get(sign, sign), match.start(), match.end()
        elif len(codes) == 2:
            both = 0x10000 + ((codes[0] - 0xD800) << 10) + (codes[1] - 0xDC00)
            yield chr(both), match.start(), match.end()
        else:
            yield chr(codes[0]), match.start(), match.end()


def percents(text: str) -> Iterator[Unit]:
    """The meanings of `%C3%A9` and `+` in URLs."""
    for match in _PERCENT.finditer(text):
        if match[0] == "+":
            yield " ", match.start(), match.end()
            continue
        data = bytes.fromhex(match[0].replace("%", ""))
        at = match.start()
        for sign in data.decode("utf-8", "surrogateescape"):
            size = 3 * (1 if "\udc80" <= sign <= "\udcff" else len(sign.encode()))
            if not "\udc80" <= sign <= "\udcff":
                yield sign, at, at + size
            at += size


def entities(text: str) -> Iterator[Unit]:
    """The meanings of `&eacute;` and `&#233;` in HTML."""
    for match in _ENTITY.finditer(text):
        meaning = html.unescape(match[0])
        if meaning != match[0]:
            yield meaning, match.start(), match.end()


FORMS: tuple[tuple[str, Callable[[str], Iterable[Unit]]], ...] = (
    ("\\", escapes),
    ("%", percents),
    ("+", percents),
    ("&", entities),
    ("", lambda text: ()),
)
"""A sign that a text of each form has, and what stands for what in it. The plain form is last: of
`Ada+Lovelace` the surname alone is found as it is."""
