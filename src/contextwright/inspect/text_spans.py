"""A shortened text beside its original: what of it stayed, what was cut, what was put in.

Lines first, then the beginnings and ends of lines that differ: what shortens keeps whole lines and
sentences. Every span that is said to be kept is byte for byte in the original, in its order, so the
shortened text can be rebuilt from the spans whatever wrote it.
"""

from bisect import bisect_left
from collections import defaultdict

import msgspec

LEAST, FAR = 8, 24
"""Characters that a piece of a line must share with what follows in the original to be told as
kept, and with what stands further on."""
NEAR = 200
"""Characters that are what follows."""


class TextPiece(msgspec.Struct, frozen=True, array_like=True):
    """A piece of a shortened text: `start` to `stop` of the original, or `text` that was put in."""

    start: int
    stop: int
    text: str = ""


def text_spans(original: str, short: str) -> list[TextPiece]:
    """The pieces of `short` in their order; places count characters of `original`."""
    lines = _places(original)
    spans: list[TextPiece] = []
    reached = 0
    for line in short.splitlines(keepends=True):
        at = _next(lines.get(line.rstrip("\n"), ()), reached)
        if at >= 0 and original.startswith(line, at):
            spans.append(TextPiece(at, at + len(line)))
            reached = at + len(line)
        elif at >= 0:
            bare = line.rstrip("\n")
            spans += [TextPiece(at, at + len(bare)), TextPiece(0, 0, line[len(bare) :])]
            reached = at + len(bare)
        else:
            new, reached = _within(original, line, reached)
            spans += new
    return _joined(spans)


def rebuilt(original: str, spans: list[TextPiece]) -> str:
    """The shortened text."""
    return "".join(span.text or original[span.start : span.stop] for span in spans)


def _places(original: str) -> dict[str, list[int]]:
    """Where each line of the original begins."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    at = 0
    for line in original.splitlines(keepends=True):
        places[line.rstrip("\n")].append(at)
        at += len(line)
    return places


def _next(places: "list[int] | tuple[()]", reached: int) -> int:
    at = bisect_left(places, reached)
    return places[at] if at < len(places) else -1


def _within(original: str, line: str, reached: int) -> tuple[list[TextPiece], int]:
    """A line that is no line of the original: its longest beginning that stands there, and what
    follows."""
    spans: list[TextPiece] = []
    rest = line
    while rest:
        at, size = _beginning(original, rest, reached)
        if size < (LEAST if at - reached <= NEAR else FAR):
            cut = _next_word(rest)
            spans.append(TextPiece(0, 0, rest[:cut]))
            rest = rest[cut:]
            continue
        spans.append(TextPiece(at, at + size))
        reached, rest = at + size, rest[size:]
    return spans, reached


def _beginning(original: str, text: str, reached: int) -> tuple[int, int]:
    """Where the longest beginning of a text stands in the original from `reached` on, and its
    length, found by halving."""
    low, high, place = 0, len(text), -1
    while low < high:
        middle = (low + high + 1) // 2
        at = original.find(text[:middle], reached)
        if at < 0:
            high = middle - 1
        else:
            low, place = middle, at
    whole = low == len(text) or (low > 0 and not text[low - 1 : low + 1].isalnum())
    while not whole and low and text[low - 1].isalnum():
        low -= 1  # half a word is not what was kept
    return place, low


def _next_word(text: str) -> int:
    space = text.find(" ", 1)
    return space if space > 0 else len(text)


def _joined(spans: list[TextPiece]) -> list[TextPiece]:
    """Neighbours of one kind as one."""
    out: list[TextPiece] = []
    for span in spans:
        last = out[-1] if out else None
        if last is not None and bool(last.text) == bool(span.text):
            if span.text:
                out[-1] = TextPiece(0, 0, last.text + span.text)
                continue
            if last.stop == span.start:
                out[-1] = TextPiece(last.start, span.stop)
                continue
        if span.text or span.stop > span.start:
            out.append(span)
    return out
