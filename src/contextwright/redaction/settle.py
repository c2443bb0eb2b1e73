"""Spans replaced until nothing is found in what comes out, and JSON kept JSON."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

from contextwright.redaction.json_walk import JsonRegion, json_regions
from contextwright.redaction.operators import STAND_IN, Operator, Replacement, put

_EXACT_ROUNDS = 4
_LINE_ROUNDS = 8
_LONGEST_ESCAPE = 6
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Span(NamedTuple):
    """A place to redact: offsets in characters, and the pattern's name or expression."""

    start: int
    end: int
    name: str


def settled(
    text: str, matches: Callable[[str], Iterable[Span]], operator: Operator
) -> tuple[str, tuple[Span, ...]]:
    """The text with everything replaced that is found in it, and where that stood.

    A stand-in can uncover a match, as it can end a word. Expressions that go on uncovering
    matches (`\\b.`) are cut short: whole lines from the fifth round on, all from the ninth.

    Args:
        matches: what is found in a text, in any order.
        operator: what stands there instead.
    """
    spans: tuple[Span, ...] = ()
    current, replacements = text, list[Replacement]()
    regions: list[JsonRegion] | None = None
    for turn in range(_LINE_ROUNDS + 2):
        uncovered = _uncovered(current, matches)
        if not uncovered:
            break
        if turn >= _EXACT_ROUNDS:
            uncovered = _widened(current, uncovered, whole=turn >= _LINE_ROUNDS)
        if regions is None:
            regions = json_regions(text)
        shifts = _Shifts(replacements)
        spans = _merged((*spans, *(shifts.original(span) for span in uncovered)))
        current_regions = regions if turn < _EXACT_ROUNDS else []
        replacements = [
            one for span in spans for one in _replacements(text, span, operator, current_regions)
        ]
        current = put(text, replacements)
    return current, spans


def _uncovered(text: str, matches: Callable[[str], Iterable[Span]]) -> tuple[Span, ...]:
    """The matches in `text` with something besides stand-ins in them."""
    merged = _merged(matches(text))
    if not merged or not (covered := [match.span() for match in STAND_IN.finditer(text)]):
        return merged
    return tuple(span for span in merged if not _is_covered(span, covered))


def _replacements(
    text: str, span: Span, operator: Operator, regions: list[JsonRegion]
) -> list[Replacement]:
    """What a span is replaced by. In JSON: within the strings that it touches, and of other
    values the whole, so that brackets, commas and quotes stay."""
    start, end, name = span
    if not regions:
        return [(start, end, operator.stand_in(text[start:end], name))]
    out: list[Replacement] = []
    place = start
    first = max(0, bisect_right(regions, start, key=lambda region: region.start) - 1)
    for at in range(first, len(regions)):
        region = regions[at]
        if region.start >= end:
            break
        if region.end <= start:
            continue
        pieces = _in_json(text, span, operator, region)
        if not pieces:
            continue  # nothing but brackets and commas: they go
        if place < region.start:
            out.append((place, region.start, operator.stand_in(text[place : region.start], name)))
        out += pieces
        place = region.end
    if place < end:
        out.append((place, end, operator.stand_in(text[place:end], name)))
    return out


def _in_json(text: str, span: Span, operator: Operator, region: JsonRegion) -> list[Replacement]:
    start, end, name = span
    leaves = region.leaves
    first = bisect_right(leaves, (start, len(text)))
    first -= first > 0 and leaves[first - 1][1] > start
    out: list[Replacement] = []
    for at, to in leaves[first : bisect_left(leaves, (end, 0))]:
        if text[at] != '"':
            out.append((at, to, json.dumps(operator.stand_in(text[at:to], name))))
            continue
        low, high = _whole_escapes(text, max(start, at + 1), min(end, to - 1), at)
        if low < high:
            out.append((low, high, operator.stand_in(_meaning(text[low:high]), name)))
    return out


def _whole_escapes(text: str, low: int, high: int, start: int) -> tuple[int, int]:
    """A piece of a string of JSON, made longer where it cuts an escape."""
    before, behind = _escape_over(text, low, start), _escape_over(text, high, start)
    return before[0] if before else low, behind[1] if behind else high


def _escape_over(text: str, place: int, start: int) -> tuple[int, int] | None:
    """The escape that a place stands in the middle of. Only the signs before it are looked at: a
    long string has many places."""
    for first in range(place - 1, max(start, place - _LONGEST_ESCAPE), -1):
        if text[first] != "\\":
            continue
        # one backslash of a row opens an escape, and the next one is what it escapes
        row = first
        while row - 1 > start and text[row - 1] == "\\":
            row -= 1
        opens = first if (first - row) % 2 == 0 else first - 1
        escape = _ESCAPE.match(text, opens)
        return escape.span() if escape and escape.start() < place < escape.end() else None
    return None


def _meaning(piece: str) -> str:
    try:
        return cast("str", json.loads(f'"{piece}"', strict=False))
    except ValueError:
        return piece


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The union of the spans: what overlaps is one span, named after its longest part."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            longest = span.end - span.start
            continue
        last, size = merged[-1], span.end - span.start
        name = span.name if size > longest else last.name
        longest = max(longest, size)
        merged[-1] = Span(last.start, max(last.end, span.end), name)
    return tuple(merged)


def _is_covered(span: Span, covered: list[tuple[int, int]]) -> bool:
    place = span.start
    first = max(0, bisect_right(covered, (span.start, span.start)) - 1)
    for at in range(first, len(covered)):
        start, end = covered[at]
        if start > place or place >= span.end:
            break
        place = max(place, end)
    return place >= span.end


def _widened(text: str, spans: tuple[Span, ...], *, whole: bool) -> tuple[Span, ...]:
    if whole:
        return (Span(0, len(text), spans[0].name),)
    lines: list[Span] = []
    for span in spans:
        if lines and span.end <= lines[-1].end:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        lines.append(Span(start, end if end >= 0 else len(text), span.name))
    return _merged(lines)


class _Shifts:
    """From offsets in a text with pieces replaced to offsets in the original."""

    def __init__(self, replacements: list[Replacement]) -> None:
        self._replacements = replacements
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for start, end, instead in replacements:
            self._starts.append(start + shift)
            self._ends.append(start + shift + len(instead))
            shift += len(instead) - (end - start)

    def original(self, span: Span) -> Span:
        """The span in the original; one that ends inside a stand-in takes all of it."""
        return Span(self._back(span.start, 0), self._back(span.end, 1), span.name)

    def _back(self, offset: int, ends: int) -> int:
        """An offset in the original; `ends` is 1 for the end of a span, 0 for its start."""
        at = bisect_right(self._starts, offset - ends) - 1
        if at < 0:
            return offset
        start, end, _ = self._replacements[at]
        behind = offset - self._ends[at]
        if behind < ends:
            return end if ends else start
        return end + behind
