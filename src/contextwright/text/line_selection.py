"""Choose the units of a text that fit a number of tokens, and mark every hole where it is.

A unit is a line, a row, a field or a sentence. Each kind of content says how its units rank;
how many fit, and what stands for the others, is decided here once for all kinds.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

import msgspec

from contextwright.text.cut import WIDEST, Count, cut, grapheme_border

Rank = tuple[int, ...]
FIRST: Rank = (-1,)
"""The rank of what the caller asked to keep: before anything a kind ranks by itself."""
FILL = 12
"""Units that are tried one by one in the room that the best ones leave."""
FEW = 48
"""Units of which every number is tried."""
CHEAP = 12
"""Characters up to which what is missing is shorter than the mark that would stand for it."""
NAMES = 32
"""Characters of the names of missing fields in a mark."""
LONG = 160
"""Characters that one unit may have at least, however few tokens there are."""
_MARK_ROOM = 40
"""Characters by which a unit may be longer before it is cut: the mark would take as many."""
_SHORT_WORD = 60
"""Characters up to which a text to keep is looked for inside units; longer ones equal a unit."""


class Unit(msgspec.Struct, frozen=True):
    """A part of a text that is kept or left out as one.

    Args:
        text: of it.
        rank: the lowest is kept first; of equals, the first in the text.
        parent: place of the unit without which this one would be misread; -1 for none.
        joint: what stands between it and the next unit.
        noun: what several are called in a mark.
        label: the name of a field, for the mark that says which fields are missing.
        stands_for: lines of the source that it is.
        omits: fields that it names as left out.
        total: units of its noun in all, where no other unit says how many; 0 where one does.
    """

    text: str
    rank: Rank = (0,)
    parent: int = -1
    joint: str = "\n"
    noun: str = "lines"
    label: str = ""
    stands_for: int = 1
    omits: int = 0
    total: int = 0


class Selection(msgspec.Struct, frozen=True):
    """The units that fit, how many do not (lines, rows, ... as the units count them), and what
    these are called."""

    text: str
    omitted: int
    nouns: frozenset[str] = frozenset()


def joined(units: Sequence[Unit]) -> str:
    """All units, as they stand one after the other."""
    whole = "".join([unit.text + unit.joint for unit in units])
    return whole.removesuffix(units[-1].joint) if units else ""


def select_units(
    units: Sequence[Unit], max_tokens: int, count: Count, keep: Sequence[str] = ()
) -> Selection:
    """The best units in at most `max_tokens`, in their order, with a mark for every hole.

    Args:
        units: all of them, in the order of the text.
        max_tokens: tokens of the result, marks included.
        count: tokens of a text.
        keep: texts whose units rank first: equal to a unit, or short and part of one.

    Returns:
        The text, and how many units are not in it. Empty where not even one mark fits.
    """
    longest = _longest(max_tokens)
    units = [unit if len(unit.text) <= longest else _cut(unit, max_tokens) for unit in units]
    ranks = [unit.rank for unit in units]
    if keep:
        is_wanted = _matcher(keep)
        ranks = [FIRST if is_wanted(unit.text) else unit.rank for unit in units]
    order = sorted(range(len(units)), key=ranks.__getitem__)  # of equals, the first in the text
    lengths = list(accumulate([len(units[place].text) for place in order]))
    reach = bisect_right(lengths, max_tokens * WIDEST) + 1

    holes = _Holes(units)

    def fits(size: int) -> bool:
        return count(_with_marks(_chosen(units, order[:size]), holes)[0]) <= max_tokens

    low = _most(min(reach, len(order)), fits)
    chosen = _chosen(units, order[:low])
    fill, since = [*order[low : low + FILL]], 0
    for place in fill * 2:  # twice: what fills a hole saves its mark
        if since == len(fill):
            break  # all of them were tried beside what is chosen
        more, since = chosen | _chosen(units, [place]), since + 1
        if len(more) > len(chosen) and count(_with_marks(more, holes)[0]) <= max_tokens:
            chosen, since = more, 0
    if not chosen:
        return Selection("", sum(unit.stands_for for unit in units))
    return _rendered(units, chosen, holes)


def _most(size: int, fits: Callable[[int], bool]) -> int:
    """How many fit. Of few units all numbers are tried, the largest first: a field more may save
    a mark that is longer than it; among many that evens out, and they are halved."""
    if size <= FEW:
        return next((number for number in range(size, 0, -1) if fits(number)), 0)
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def both_ends(text: str, max_tokens: int, count: Count) -> str:
    """A text without a seam to cut at: its beginning and its end, or nothing."""
    short = cut(
        text, max_tokens, "bookend", count, marker=f"[… cut, {len(text)} characters in all]"
    )
    if "[… cut" in short:
        return short
    return (
        cut(text, max_tokens, "bookend", count, marker="…") if max_tokens > 2 else "…"[:max_tokens]
    )


def _matcher(keep: Sequence[str]) -> Callable[[str], bool]:
    whole = {each.strip() for each in keep}
    words = [re.escape(each) for each in keep if 0 < len(each) <= _SHORT_WORD]
    within = re.compile("|".join(words), re.IGNORECASE) if words else None
    return lambda text: (
        text.strip() in whole or (within is not None and within.search(text) is not None)
    )


def may_miss(units: Sequence[Unit], max_tokens: int, noun: str) -> bool:
    """Whether units that do not fit could fit by one of them: by leaving it out as one of such a
    noun, or by cutting it."""
    if noun in {unit.noun for unit in units}:
        return True
    return max([len(unit.text) for unit in units], default=0) > _longest(max_tokens)


def _longest(max_tokens: int) -> int:
    return max(LONG, 2 * max_tokens) + _MARK_ROOM


def _cut(unit: Unit, max_tokens: int) -> Unit:
    """A unit that leaves room for others; what is cut off is marked."""
    most = max(LONG, 2 * max_tokens)
    head = unit.text[: grapheme_border(unit.text, most)].rstrip()
    return msgspec.structs.replace(
        unit, text=f"{head}… [{len(unit.text) - len(head)} characters left out]"
    )


def _chosen(units: Sequence[Unit], places: Sequence[int]) -> set[int]:
    """The places, and those of their parents."""
    chosen: set[int] = set()
    for place in places:
        while place >= 0 and place not in chosen:
            chosen.add(place)
            place = units[place].parent
    return chosen


def _rendered(units: Sequence[Unit], chosen: set[int], holes: "_Holes") -> Selection:
    text, left_out = _with_marks(chosen, holes)
    nouns = frozenset[str]().union(*[holes.nouns(*hole) for hole in left_out])
    omitted = sum([holes.lines(*hole) for hole in left_out])
    return Selection(text, omitted + sum([units[place].omits for place in chosen]), nouns)


def _with_marks(chosen: set[int], holes: "_Holes") -> tuple[str, list[tuple[int, int]]]:
    """The chosen units and what stands for the others; and where others are left out."""
    pieces: list[str] = []
    left_out: list[tuple[int, int]] = []
    every, lengths, marks, at = holes.pieces, holes.lengths, holes.marks, 0
    for place in [*sorted(chosen), len(every)]:
        if at < place:
            if lengths[place] - lengths[at] <= CHEAP:
                pieces += every[at:place]
            else:
                hole = at, place
                pieces.append(marks.get((hole, not left_out)) or holes.mark(hole, not left_out))
                left_out.append(hole)
        pieces += every[place : place + 1]
        at = place + 1
    return "".join(pieces).removesuffix(holes.last_joint), left_out


class _Holes:
    """What stands for neighbouring units that are left out. Hundreds of choices are tried of the
    same units, so what a hole has is told from running sums."""

    def __init__(self, units: Sequence[Unit]) -> None:
        labels = [unit.label for unit in units]
        self._units = units
        self.pieces = [unit.text + unit.joint for unit in units]
        """Each with what stands behind it."""
        self.last_joint = units[-1].joint if units else ""
        self.lengths = [0, *accumulate([len(unit.text) for unit in units])]
        """Characters of the units before each."""
        self.marks: dict[tuple[tuple[int, int], bool], str] = {}
        """What stood for holes so far, where no other mark stands before, or where one does."""
        self._lines = [0, *accumulate([unit.stands_for for unit in units])]
        self._labelled = [0, *accumulate(map(bool, labels))]
        self._names = [0, *accumulate(map(len, labels))]
        self._nouns = frozenset([unit.noun for unit in units])

    def lines(self, start: int, stop: int) -> int:
        """Lines of the source that they are."""
        return self._lines[stop] - self._lines[start]

    def nouns(self, start: int, stop: int) -> frozenset[str]:
        """What they are called."""
        if len(self._nouns) == 1:
            return self._nouns
        return frozenset([unit.noun for unit in self._units[start:stop]])

    def mark(self, hole: tuple[int, int], first: bool) -> str:
        """How many of what, fields by their names, with what stands behind; `first` where no other
        mark stands before."""
        mark = self._mark(*hole, first=first) + self._units[hole[1] - 1].joint
        self.marks[hole, first] = mark
        return mark

    def _mark(self, start: int, stop: int, *, first: bool) -> str:
        nouns, number = self.nouns(start, stop), self._lines[stop] - self._lines[start]
        noun, in_all = next(iter(nouns)) if len(nouns) == 1 else "parts", ""
        if first and len(nouns) == 1 and (total := self._units[start].total):
            in_all = f" ({total} in all)"
        noun = (noun.removesuffix("s") if number == 1 else noun) + in_all
        if self._labelled[stop] - self._labelled[start] == stop - start:
            characters = self._names[stop] - self._names[start] + 2 * (stop - start - 1)
            if characters <= NAMES:
                return f"[… without {', '.join([unit.label for unit in self._units[start:stop]])}]"
        if nouns == frozenset({"rows"}):
            return f"… {number} more {noun}"
        return f"[… {number} {noun} left out]" if first else f"[… {number} {noun}]"
