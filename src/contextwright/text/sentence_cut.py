"""Cut a text at the end of a sentence."""

import re

from contextwright.text.cut import Count, cut
from contextwright.text.sentences import sentences

MARKER = "[... cut ...]"
WIDEST = 48
"""Characters a token of what is looked at: far more than any text worth keeping has."""
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


def sentence_cut(text: str, max_tokens: int, count: Count, marker: str = MARKER) -> str:
    """The text's first whole sentences, and a marker, in at most `max_tokens`.

    Where not even the first sentence fits, it ends at a word, and a code block at a line with
    its fence closed. Where not even the marker fits: as much of the text as does, or nothing.
    """
    if max_tokens <= 0:
        return ""
    if len(text) <= max_tokens * WIDEST and count(text) <= max_tokens:
        return text
    seen = text[: max_tokens * WIDEST]
    ends = _ends(seen)
    if len(seen) < len(text) and ends:
        ends.pop()  # what is looked at ends somewhere in it
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(_marked(text[: ends[middle - 1]], marker)) <= max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    if low:
        return _marked(text[: ends[low - 1]], marker)
    return _within(text.lstrip(), max_tokens, count, marker)


def is_whole(text: str) -> bool:
    """Whether every code fence that it opens is closed."""
    return not _open_fence(text)


def _open_fence(text: str) -> str:
    """The fence that a text opens and does not close; empty where there is none."""
    fence = ""
    for mark in _FENCE.findall(text):
        if not fence:
            fence = mark
        elif mark == fence:
            fence = ""
    return fence


def _ends(text: str) -> list[int]:
    """Where its sentences end."""
    ends: list[int] = []
    at = 0
    for sentence in sentences(text):
        at = text.find(sentence, at) + len(sentence)
        ends.append(at)
    return ends


def _marked(head: str, marker: str) -> str:
    fence = _open_fence(head)
    return f"{head.rstrip()}\n{fence}\n{marker}" if fence else f"{head.rstrip()}\n{marker}"


def _within(text: str, max_tokens: int, count: Count, marker: str) -> str:
    """The beginning of a sentence that is too long by itself."""
    fence = _open_fence(text.partition("\n")[0])
    end = f"{fence}\n{marker}" if fence else marker
    made = cut(text, max_tokens, "head", count, end)
    if not made.endswith(end):
        return "" if fence else made
    head = made[: -len(end)].rstrip("\n")
    whole = text.startswith(head) and text[len(head) : len(head) + 1].isspace()
    head_words = head if whole else (head.rpartition("\n" if fence else " ")[0] or head)
    shorter = f"{head_words.rstrip()}\n{end}"
    return shorter if count(shorter) <= max_tokens else made
