"""The lines of a text that were asked for: by their numbers, or by what is in them."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

import msgspec

Find = Callable[[str], Iterable[tuple[int, int]]]
"""The spans in a text that match."""

LONG_LINE = 400
"""Characters of a line that is shown whole; of a longer one, what is around each match."""
BEFORE, AFTER = 120, 280
"""Characters in front of and from a match on that are shown of a long line."""
PASSAGES = 20
"""Passages that are shown of one line."""
_LINES = re.compile(r"\s*(\d{1,9})\s*(?:(-|\.\.|:|,|to)\s*(\d{1,9})?\s*)?")


class LineRange(msgspec.Struct, frozen=True):
    """Lines from `first` up to `last`, both counted from 1 and both in it."""

    first: int
    last: int


def line_count(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + 1


def read_range(text: str, total: int) -> LineRange | None:
    """What `10-40`, `10-` or `7` mean for so many lines; None where it is no range."""
    match = _LINES.fullmatch(text)
    if match is None:
        return None
    first = max(1, int(match[1]))
    last = int(match[3]) if match[3] else total if match[2] else first
    return LineRange(first, min(last, total)) if first <= last and first <= total else None


def lines_in(text: str, lines: LineRange) -> str:
    """The lines as they stand."""
    return "\n".join(islice(text.split("\n"), lines.first - 1, lines.last))


def matching_lines(text: str, find: Find, lines: LineRange) -> tuple[str, int]:
    """The lines in a range that match, each with its number, and how many there are."""
    shown: list[str] = []
    matched = 0
    for number, line in enumerate(text.split("\n")[lines.first - 1 : lines.last], lines.first):
        spans = iter(find(line))
        if (first := next(spans, None)) is None:
            continue
        matched += 1
        if len(line) <= LONG_LINE:
            shown.append(f"{number}: {line}")
        else:
            shown += islice(_passages(line, number, chain((first,), spans)), PASSAGES)
    return "\n".join(shown), matched


def _passages(line: str, number: int, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """What is around the matches of a long line, none of it twice."""
    shown = 0
    for start, stop in spans:
        if stop <= shown:
            continue
        begin, shown = max(shown, start - BEFORE), min(len(line), start + AFTER)
        mark = "\u2026" if begin else ""
        more = "\u2026" if shown < len(line) else ""
        yield f"{number}, character {begin}: {mark}{line[begin:shown]}{more}"
