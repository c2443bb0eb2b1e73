"""Values that stand across the border of two texts of a message."""

from collections.abc import Sequence
from functools import cache

from contextwright.redaction.patterns import catalogue
from contextwright.redaction.redactor import Redactor
from contextwright.redaction.settle import Span


def without_split(redactor: Redactor, texts: Sequence[str]) -> list[str]:
    """Texts without what stands across their borders: the first has what stands for it, the others
    lose their share.

    What is whole in one text ends there: behind `a@b.co` the next text's `two` is a word, no more
    of the domain.

    Args:
        redactor: what is redacted.
        texts: of one message, in order; what is in one of them alone may stay.
    """
    split = _split(redactor, texts)
    if not split:
        return list(texts)
    whole = [redactor.spans(text) for text in texts]
    left = [span for span in split if not _is_whole(span, texts, whole)]
    new = _replaced(redactor, texts, left)
    if len(left) < len(split):
        # what is whole may have hidden what is split
        new = [redactor.text(piece) for piece in new]
        new = _replaced(redactor, new, _split(redactor, new))
    return new


def _split(redactor: Redactor, pieces: Sequence[str]) -> list[Span]:
    """What is found across a border of these texts as one."""
    starts = _starts(pieces)
    return [
        span
        for span in redactor.spans("".join(pieces))
        if any(span.start < start < span.end for start in starts)
    ]


def _is_whole(split: Span, pieces: Sequence[str], whole: Sequence[Sequence[Span]]) -> bool:
    """Whether a text alone has what was found across its border, and nothing goes on there: a
    secret has no end of its own, and a digit behind a digit is of one number."""
    if split.name in _secrets():
        return False
    text, starts = "".join(pieces), _starts(pieces)
    borders = [start for start in starts if split.start < start < split.end]
    if any(text[at - 1].isdigit() and text[at].isdigit() for at in borders):
        return False
    return any(
        start + span.start < split.end and split.start < start + span.end
        for start, spans in zip(starts, whole, strict=True)
        for span in spans
    )


def _replaced(redactor: Redactor, pieces: Sequence[str], spans: Sequence[Span]) -> list[str]:
    new, text, starts = list(pieces), "".join(pieces), _starts(pieces)
    for start, end, name in reversed(spans):
        instead = redactor.operator.stand_in(text[start:end], name)
        for at, first in enumerate(starts):
            low, high = max(start - first, 0), min(end - first, len(pieces[at]))
            if low < high:
                new[at] = new[at][:low] + instead + new[at][high:]
                instead = ""
    return new


def _starts(pieces: Sequence[str]) -> list[int]:
    """Where each text begins in all of them as one."""
    return [sum(map(len, pieces[:at])) for at in range(len(pieces))]


@cache
def _secrets() -> frozenset[str]:
    return frozenset(pattern.name for pattern in catalogue()["secrets"])
