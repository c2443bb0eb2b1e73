"""The readings of a text: what stands in it once it is decoded, and where.

An address in `bob\\u0040example.com`, `bob%40example.com`, `bob&#64;example.com` or base64 is the
same address to who receives it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from string import ascii_letters, digits
from typing import Protocol

from contextwright.redaction.unfold import unfold
from contextwright.text.encoded_forms import (
    Unit,
    decode_base64,
    decoded,
    entities,
    escapes,
    percents,
)

DEPTH = 3
"""Encodings within one another: a form's value, in a query, in JSON."""
_SIGNS = "[A-Za-z0-9+/_-]"
# one try a run
_RUN = re.compile(rf"(?<!{_SIGNS}){_SIGNS}{{16,}}={{0,2}}")
_EACH_SIGN = (ascii_letters + digits + "+/_-").encode()
_AS_SIGNS = bytes.maketrans(_EACH_SIGN, b"s" * len(_EACH_SIGN))
_ROW = b"s" * 16
_NEXT_LINE = re.compile(rf"\r?\n({_SIGNS}+={{0,2}})")
_ENCODED = ("\\", "%", "&")
_LINE = (64, 76)
"""Signs on a line of base64 in PEM and in mail."""
_BREAKS = re.compile(r"[\r\n]+")


class Mapped(Protocol):
    """A text that was made of another one."""

    @property
    def text(self) -> str:
        """It."""
        ...

    def original(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a piece of it stands in the other."""
        ...


class DecodedText:
    """A decoded text, and the way back to the offsets of the original.

    Args:
        text: the original.
        units: its pieces that stand for something else, in order.
    """

    def __init__(self, text: str, units: Iterable[Unit]) -> None:
        self._spans: list[tuple[int, int]] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        pieces: list[str] = []
        place = shift = 0
        for meaning, start, end in units:
            if start > place:
                pieces.append(text[place:start])
            pieces.append(meaning)
            behind = start + shift + len(meaning)
            self._spans.append((start, end))
            self._starts.append(start + shift)
            self._ends.append(behind)
            place, shift = end, behind - end
        self.text = "".join((*pieces, text[place:]))

    def original(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a piece stands in the original; encoded pieces are whole."""
        return self._back(start, 0), self._back(end - 1, 1)

    def _back(self, offset: int, side: int) -> int:
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return offset + side
        if offset < self._ends[at]:
            return self._spans[at][side]
        return self._spans[at][1] + offset - self._ends[at] + side


class Reading:
    """A text that was decoded several times over.

    Args:
        steps: the decodings, the last one first.
    """

    def __init__(self, steps: tuple[Mapped, ...]) -> None:
        self.steps = steps
        self.text = steps[0].text

    def original(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a piece stands in the text as it came."""
        for step in self.steps:
            start, end = step.original(start, end)
        return start, end


def readings(text: str) -> Iterator[Reading]:
    """What a text says under every encoding that it has signs of; nothing for plain text."""
    waiting: list[tuple[str, tuple[Mapped, ...]]] = [(text, ())]
    seen = {text}
    while waiting:
        current, steps = waiting.pop()
        for decode in (unfold, *_DECODERS):
            step = decode(current)
            if step is None or step.text in seen:
                continue
            seen.add(step.text)
            reading = Reading((step, *steps))
            yield reading
            if len(reading.steps) < DEPTH:
                waiting.append((reading.text, reading.steps))


def base64_texts(text: str) -> Iterator[tuple[int, int, str]]:
    """From where to where base64 stands that is text, and the text."""
    place, next_run = 0, _runs_of(text)
    while run := next_run(place):
        place, size = run.end(), len(run[0])
        line = _NEXT_LINE.match(text, place) if size in _LINE else None
        while line:
            place = line.end()
            line = _NEXT_LINE.match(text, place) if len(line[1]) == size else None
        piece = text[run.start() : place]
        data = decode_base64(_BREAKS.sub("", piece) if len(piece) > size else piece)
        for plain in decoded(data) if data else ():
            if _is_text(plain):
                yield run.start(), place, plain


def _runs_of(text: str) -> Callable[[int], re.Match[str] | None]:
    """What finds the next long run of signs from a place on: in ASCII, without a try at each."""
    search = partial(_RUN.search, text)
    if not text.isascii():
        return search
    signs = text.encode().translate(_AS_SIGNS)

    def next_run(place: int) -> re.Match[str] | None:
        start = signs.find(_ROW, place)
        return search(start) if start >= 0 else None

    return next_run


def is_read_as_is(text: str) -> bool:
    """Whether a text is ASCII without a sign of any encoding, so that it has no reading, and stands
    for no text in base64."""
    if not text.isascii() or any(map(text.__contains__, _ENCODED)):
        return False
    return _ROW not in text.encode().translate(_AS_SIGNS) or next(base64_texts(text), None) is None


def _is_text(text: str) -> bool:
    return text.isprintable() or "".join(text.split()).isprintable()


def _decoder(sign: str, units: Callable[[str], Iterable[Unit]]) -> Callable[[str], Mapped | None]:
    has = re.compile(sign).search

    def decode(text: str) -> Mapped | None:
        return DecodedText(text, units(text)) if has(text) else None

    return decode


# `\n` and `\"` alone hide nothing from patterns, and are in most JSON
_DECODERS = (
    _decoder(r"\\(?:u\{?[0-9a-fA-F]|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|/)", escapes),
    _decoder(r"%[0-9a-fA-F]{2}", percents),
    _decoder(r"&(?:#[0-9xX]|[a-zA-Z]{2,31};)", entities),
)
