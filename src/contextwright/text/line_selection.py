"""Choose the units of a text that fit a number of tokens, and mark every hole where it is.

A unit is a line, a row, a field or a sentence. Each kind of content says how its units rank;
how many fit, and what stands for the others, is decided here once for all kinds.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from operator import ne

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
    units: Sequence[Unit],
    max_tokens: int,
    count: Count,
    keep: Sequence[str] = (),
    missing: str = "",
) -> Selection:
    """The best units in at most `max_tokens`, in their order, with a mark for every hole.

    Args:
        units: all of them, in the order of the text.
        max_tokens: tokens of the result, marks included.
        count: tokens of a text.
        keep: texts whose units rank first: equal to a unit, or short and part of one.
        missing: the noun of the only units that may be left out, where there is such a one: no
            more is tried once others would have to be.

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
    layout = _Layout(units)
    others = {n for n, unit in enumerate(units) if missing and not _may_go(unit, missing)}
    least = max(0, _needed(order, others) - FILL)
    have_room = partial(_room_for, others, layout, max_tokens, count)
    if not have_room(order[:least]):
        return layout.nothing()
    search = _best if min(reach, len(order)) <= FEW else _halved
    low, holes = search(order[:reach], least, layout, max_tokens, count)
    if low < least or not have_room(order[:low]):
        return layout.nothing()
    chosen, fill, since = order[:low], order[low : low + FILL], 0
    for place in fill * 2:  # twice: what fills a hole saves its mark
        if since == len(fill):
            break  # all of them were tried beside what is chosen
        more, since = layout.filled(holes, place), since + 1
        if more is not None and count(layout.text(more)) <= max_tokens:
            holes, since = more, 0
            chosen.append(place)
            if not have_room(chosen):
                return layout.nothing()
    return layout.selection(holes)


def _room_for(
    others: Collection[int], layout: "_Layout", max_tokens: int, count: Count, chosen: Sequence[int]
) -> bool:
    """Whether others that have to stand have room beside what is chosen."""
    return not others or count(layout.alone({*others, *chosen})) <= max_tokens


def _needed(order: Sequence[int], others: Collection[int]) -> int:
    """How many of the best there are up to the last one of some others: with fewer, one of those
    is missing, too."""
    return max([needed for needed, place in enumerate(order, 1) if place in others], default=0)


def _may_go(unit: Unit, noun: str) -> bool:
    """Whether it is of this noun, or would stand where a mark would."""
    return unit.noun == noun or len(unit.text) <= CHEAP


Holes = dict[int, int]
"""Where neighbouring units are left out: the first place of each hole, and the one behind it."""


def _best(
    order: Sequence[int], least: int, layout: "_Layout", max_tokens: int, count: Count
) -> tuple[int, Holes]:
    """How many of few fit: all numbers that may are tried, the largest first, for a field more may
    save a mark that is longer than it; none below `least`."""
    steps = layout.steps(order)
    most = _most(steps, least, layout, max_tokens, count)
    starts = layout.holes(list(chain.from_iterable(steps[:most])))
    stops = {stop: start for start, stop in starts.items()}
    is_new = True
    for size in range(most, max(least - 1, 0), -1):
        if is_new and count(layout.text(starts)) <= max_tokens:
            return size, starts
        is_new = bool(steps[size - 1])
        for place in steps[size - 1]:
            start, stop = stops.pop(place, place), starts.pop(place + 1, place + 1)
            starts[start], stops[stop] = stop, start
    return 0, starts


def _most(
    steps: Sequence[list[int]], least: int, layout: "_Layout", max_tokens: int, count: Count
) -> int:
    """How many fit without what stands for the others; with it, no more do. 0 for fewer than
    `least`."""

    def tokens(size: int) -> int:
        return count(layout.alone(chain.from_iterable(steps[:size])))

    if least > 0 and tokens(least) > max_tokens:
        return 0
    low = max(0, least)
    return low + bisect_right(range(low + 1, len(steps) + 1), max_tokens, key=tokens)


def _halved(
    order: Sequence[int], least: int, layout: "_Layout", max_tokens: int, count: Count
) -> tuple[int, Holes]:
    """How many of many fit: what a mark takes evens out among them, and they are halved."""
    low, high = 0, len(order)
    holes = layout.holes(())
    while low < high:
        middle = (low + high + 1) // 2
        tried = layout.holes(list(chain.from_iterable(layout.steps(order[:middle]))))
        if count(layout.text(tried)) <= max_tokens:
            low, holes = middle, tried
        else:
            high = middle - 1
    return low, holes


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


class _Layout:
    """The units, and what stands for neighbouring ones that are left out. Hundreds of choices are
    tried of the same units, so a choice is the holes in it: what stands between them is a slice of
    the whole, and what a hole has is told from running sums."""

    def __init__(self, units: Sequence[Unit]) -> None:
        labels = [unit.label for unit in units]
        pieces = [unit.text + unit.joint for unit in units]
        self._units = units
        self._pieces = pieces
        self._whole = "".join(pieces)
        self._offsets = [0, *accumulate(map(len, pieces))]
        self._joint = units[-1].joint if units else ""
        self._lengths = [0, *accumulate([len(unit.text) for unit in units])]
        """Characters of the units before each."""
        self._marks: dict[tuple[int, int, bool], str] = {}
        """What stood for holes so far, where no other mark stands before, or where one does."""
        self._lines = [0, *accumulate([unit.stands_for for unit in units])]
        self._labelled = [0, *accumulate(map(bool, labels))]
        self._names = [0, *accumulate(map(len, labels))]
        nouns = [unit.noun for unit in units]
        self._changes = [0, 0, *accumulate(map(ne, nouns[1:], nouns))]
        """How often the noun is another than the one before, up to the unit before each."""

    def steps(self, order: Sequence[int]) -> list[list[int]]:
        """The places that each adds: its own, and those of its parents, where they are not there
        already."""
        chosen: set[int] = set()
        steps: list[list[int]] = []
        for place in order:
            step: list[int] = []
            while place >= 0 and place not in chosen:
                chosen.add(place)
                step.append(place)
                place = self._units[place].parent
            steps.append(step)
        return steps

    def holes(self, chosen: Sequence[int]) -> Holes:
        """What is left out where these are chosen."""
        edges = [-1, *sorted(chosen), len(self._units)]
        return {last + 1: place for last, place in pairwise(edges) if place - last > 1}

    def alone(self, chosen: Iterable[int]) -> str:
        """The chosen units, and nothing for the others: no text that they stand in is shorter."""
        places = sorted(chosen)
        text = "".join([self._pieces[place] for place in places])
        return text.removesuffix(self._units[places[-1]].joint) if places else text

    def filled(self, holes: Holes, place: int) -> Holes | None:
        """The holes where one is chosen, too, with its parents; None where it is already."""
        filled = holes
        while place >= 0:
            starts = sorted(filled)
            start = starts[max(0, bisect_right(starts, place) - 1)] if starts else place + 1
            if not start <= place < filled.get(start, 0):
                break
            filled = filled.copy() if filled is holes else filled
            stop = filled.pop(start)
            if start < place:
                filled[start] = place
            if place + 1 < stop:
                filled[place + 1] = stop
            place = self._units[place].parent
        return None if filled is holes else filled

    def text(self, holes: Holes) -> str:
        """The chosen units and what stands for the others."""
        lengths, offsets, marks, whole = self._lengths, self._offsets, self._marks, self._whole
        pieces: list[str] = []
        at = 0
        for start in sorted(holes):
            stop = holes[start]
            if lengths[stop] - lengths[start] > CHEAP:
                key = start, stop, not pieces
                mark = marks.get(key) or self._mark(*key)
                pieces += whole[offsets[at] : offsets[start]], mark
                at = stop
        pieces.append(whole[offsets[at] :])
        return "".join(pieces).removesuffix(self._joint)

    def selection(self, holes: Holes) -> Selection:
        """The text, and how many lines of what are left out."""
        units, lengths, omitted = self._units, self._lengths, 0
        nouns: set[str] = set()
        if holes == {0: len(units)} or not units:
            return self.nothing()
        left_out: set[int] = set()
        for start, stop in holes.items():
            left_out.update(range(start, stop))
            if lengths[stop] - lengths[start] > CHEAP:
                omitted += self._lines[stop] - self._lines[start]
                nouns.update([unit.noun for unit in units[start:stop]])
        omits = sum([unit.omits for n, unit in enumerate(units) if n not in left_out])
        return Selection(self.text(holes), omitted + omits, frozenset(nouns))

    def nothing(self) -> Selection:
        """That none fits."""
        return Selection("", self._lines[-1])

    def _mark(self, start: int, stop: int, first: bool) -> str:
        """How many of what, fields by their names, with what stands behind; `first` where no other
        mark stands before."""
        unit, number = self._units[start], self._lines[stop] - self._lines[start]
        is_one = self._changes[start + 1] == self._changes[stop]
        noun = unit.noun if is_one else "parts"
        in_all = f" ({unit.total} in all)" if first and is_one and unit.total else ""
        noun = (noun.removesuffix("s") if number == 1 else noun) + in_all
        mark = f"[… {number} {noun} left out]" if first else f"[… {number} {noun}]"
        if is_one and unit.noun == "rows":
            mark = f"… {number} more {noun}"
        if self._labelled[stop] - self._labelled[start] == stop - start:
            characters = self._names[stop] - self._names[start] + 2 * (stop - start - 1)
            if characters <= NAMES:
                names = ", ".join([unit.label for unit in self._units[start:stop]])
                mark = f"[… without {names}]"
        mark += self._units[stop - 1].joint
        self._marks[start, stop, first] = mark
        return mark
