"""A text in the parts that stay word for word and those that may be shortened."""

import re
from collections.abc import Callable, Sequence

import msgspec

from contextwright.adapters.wrap.water_fill import water_fill
from contextwright.text.sentence_cut import sentence_cut

_USER_LINE = re.compile(r"^[ \t]*(?:user|human)[ \t]*:.*$", re.IGNORECASE | re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
SHARE = 2
"""What stays of a text has half of its room at most; what is more is no question but context."""


class TextSpan(msgspec.Struct, frozen=True):
    """A part of a text; `kept` word for word."""

    text: str
    is_kept: bool


def spans_of(text: str, room: int, count: Callable[[str], int], *, bare: bool) -> list[TextSpan]:
    """The text in its spans; joined they are the text.

    Lines that begin `user:` or `human:` stay, and in a `bare` text its last paragraph, which is
    what is asked; the latest first, as long as they are short beside the room.

    Args:
        room: tokens that the text may have.
    """
    left = room // SHARE
    is_kept: list[tuple[int, int]] = []
    for start, end in _candidates(text, bare=bare):
        left -= count(text[start:end]) + 1
        if left < 0:
            break
        is_kept.append((start, end))
    spans: list[TextSpan] = []
    at = 0
    for start, end in sorted(is_kept):
        spans += [TextSpan(text[at:start], False), TextSpan(text[start:end], True)]
        at = end
    spans.append(TextSpan(text[at:], False))
    return [span for span in spans if span.text]


def _candidates(text: str, *, bare: bool) -> list[tuple[int, int]]:
    """What would stay, the latest first, none within another."""
    question = _last_paragraph(text) if bare else None
    places = [question] if question else []
    limit = question[0] if question else len(text)
    user_lines = [(match.start(), match.end()) for match in _USER_LINE.finditer(text)]
    return places + [place for place in reversed(user_lines) if place[1] <= limit]


def _last_paragraph(text: str) -> tuple[int, int] | None:
    """The last paragraph, where there is one before it."""
    breaks = list(_PARAGRAPH.finditer(text.rstrip()))
    return (breaks[-1].end(), len(text)) if breaks else None


def is_prose(text: str) -> bool:
    """Whether it can be shortened: base64, a key or an address without a space can not."""
    return not text.isascii() or any(map(str.isspace, text))


class Portion(msgspec.Struct, frozen=True):
    """A text and the room that it has.

    Args:
        spans: what it is of.
        tail: what stands behind it, saying where the whole is.
        most: tokens that each span which may be shortened has at most.
        room: tokens of all of it.
    """

    spans: tuple[TextSpan, ...]
    tail: str
    most: int
    room: int

    @property
    def question(self) -> str:
        """What stays word for word: what the rest is read for."""
        return "\n".join(span.text for span in self.spans if span.is_kept)

    def open(self) -> list[str]:
        """The spans that may be shortened."""
        return [span.text for span in self.spans if not span.is_kept]


def portion(text: str, room: int, count: Callable[[str], int], tail: str, *, bare: bool) -> Portion:
    """A text laid out for so many tokens: what stays, and what each of the rest may have."""
    spans = tuple(spans_of(text, room, count, bare=bare))
    tail = tail if count(tail) * 4 <= room else ""
    is_kept = sum(count(span.text) + 1 for span in spans if span.is_kept)
    joins = sum(2 for span in spans if not span.is_kept)
    sizes = [count(span.text) for span in spans if not span.is_kept]
    return Portion(spans, tail, water_fill(sizes, room - is_kept - joins - count(tail)), room)


def joined(portion: Portion, short: Sequence[str], count: Callable[[str], int]) -> str:
    """The text of its spans, those that may be shortened as they are now; within its room."""
    texts = iter(short)
    made = [span.text if span.is_kept else next(texts) for span in portion.spans]
    whole = _put_together(portion, made)
    while count(whole) > portion.room:
        # pieces may count some tokens more together than apart
        open_to = [n for n, span in enumerate(portion.spans) if not span.is_kept and made[n]]
        if not open_to:
            return sentence_cut(whole, portion.room, count)
        place = max(open_to, key=lambda n: count(made[n]))
        over = count(whole) - portion.room
        made[place] = sentence_cut(made[place], max(0, count(made[place]) - over - 1), count)
        whole = _put_together(portion, made)
    return whole


def _put_together(portion: Portion, made: list[str]) -> str:
    out = ""
    for span, text in zip(portion.spans, made, strict=True):
        if text == span.text or not text:
            out += text
            continue
        before = "" if not out or out.endswith("\n") else "\n"
        end = span.text[len(span.text.rstrip()) :]
        out += before + text + (end if "\n" in end else "\n")
    changed = made[-1] != portion.spans[-1].text
    return (out.rstrip("\n") if changed else out) + portion.tail
