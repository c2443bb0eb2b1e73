"""Cut a text to a number of tokens, between graphemes."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal

from contextwright.text.ref_notes import outside_note

if TYPE_CHECKING:
    from regex import Pattern

Count = Callable[[str], int]
Keep = Literal["head", "tail", "bookend"]

WIDEST = 12
"""Characters a token at most, on average over a text worth cutting: bounds what is looked at."""
SLACK = 0.15
"""Share of what is kept that may go to end at a line or a word."""


def cut(
    text: str, max_tokens: int, keep: Keep, count: Count, marker: str = "[... truncated ...]"
) -> str:
    """The text in at most `max_tokens`, the marker where something is missing.

    It ends between graphemes, at a line or a word where that costs little, and in no note of ours.
    Where not even the marker fits, what is left is as much of the text as does, or nothing.

    Args:
        keep: the `head`, the `tail`, or half of the room for each (`bookend`).
    """
    if max_tokens <= 0:
        return ""
    if len(text) <= max_tokens * WIDEST * 4 and count(text) <= max_tokens:
        return text
    room = max_tokens - count(marker) - 2
    if room < 1:
        return _head(text, max_tokens, count)
    if keep == "head":
        return _checked(_head(text, room, count), marker, "", max_tokens, count)
    if keep == "tail":
        return _checked("", marker, _tail(text, room, count), max_tokens, count)
    head = _head(text, room - room // 2, count)
    tail = _tail(text[len(head) :], room // 2, count)
    return _checked(head, marker, tail, max_tokens, count)


def beginning(text: str, characters: int) -> str:
    """The first so many characters and an ellipsis, up to the end of a word where one ends in
    their second half: `do not` cut to `do n` may be read as anything."""
    if len(text) <= characters:
        return text
    head = text[:characters]
    place = characters if text[characters].isspace() else head.rfind(" ", characters // 2)
    return (head[:place] if place > 0 else head).rstrip() + "…"


def _checked(head: str, marker: str, tail: str, max_tokens: int, count: Count) -> str:
    """The pieces joined; shorter pieces while the whole counts more than its parts did."""
    while True:
        joined = "\n".join(piece for piece in (head.rstrip(), marker, tail.lstrip()) if piece)
        over = count(joined) - max_tokens
        if over <= 0 or not (head or tail):
            return joined if over <= 0 else ""
        if head:
            head = head[: _border(head, max(0, len(head) - 4 * over))]
        if tail:
            tail = tail[_border(tail, min(len(tail), 4 * over), forward=True) :]


def _head(text: str, tokens: int, count: Count) -> str:
    window = text[: tokens * WIDEST]
    length = _longest(lambda size: count(window[:size]), len(window), tokens)
    return text[: _border(text, _nice(window, length))]


def _tail(text: str, tokens: int, count: Count) -> str:
    widest = min(len(text), tokens * WIDEST)
    length = _longest(lambda size: count(text[len(text) - size :]), widest, tokens)
    start = len(text) - length
    last = start + int(length * SLACK) + 1
    space = text.find("\n", start, last)
    if space < 0:
        space = text.find(" ", start, last)
    return text[_border(text, start if space < 0 or start == 0 else space + 1, forward=True) :]


def _longest(taken: Callable[[int], int], size: int, tokens: int) -> int:
    """About the largest length that takes at most `tokens`: by rule of three from lengths that
    were counted, a few times; what fits is kept."""
    low, high, guess = 0, size, min(size, tokens * 4)
    for _ in range(6):
        tokens_taken = taken(guess)
        if tokens_taken <= tokens:
            low = guess
        else:
            high = guess
        guess = min(high - 1, max(low + 1, guess * tokens // max(1, tokens_taken)))
        if (
            low >= high - 1
            or low >= size
            or (tokens_taken <= tokens and tokens_taken >= tokens * 97 // 100)
        ):
            break
    return low


def _nice(text: str, end: int) -> int:
    """A line's or a word's end shortly before `end`."""
    if end >= len(text):
        return end
    earliest = end - int(end * SLACK)
    for space in ("\n", " "):
        boundary = text.rfind(space, earliest, end)
        if boundary > 0:
            return boundary
    return end


def _border(text: str, at: int, *, forward: bool = False) -> int:
    """The border of a grapheme, and of a note of ours: half of a ref leads nowhere."""
    return outside_note(text, grapheme_border(text, at, forward=forward), forward=forward)


@cache
def _grapheme() -> "Pattern[str]":
    import regex

    return regex.compile(r"\X")


def grapheme_border(text: str, at: int, *, forward: bool = False) -> int:
    """The grapheme border at `at`, or the nearest one before it (after it with `forward`)."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if text[at - 1 : at + 1].isascii() and text[at - 1 : at + 1] != "\r\n":
        return at
    start = at
    while start > 0 and not _begins(text[start]):
        start -= 1
    for match in _grapheme().finditer(text, start):
        if match.start() >= at:
            return match.start()
        if match.end() > at:
            return match.end() if forward else match.start()
    return at


def _begins(char: str) -> bool:
    """Whether a grapheme begins with this character wherever it stands: ASCII, kana, Han."""
    kana = "\u3041" <= char <= "\u3096" or "\u30a1" <= char <= "\u30fa"
    return (char.isascii() and char != "\n") or kana or "\u4e00" <= char <= "\u9fff"
