"""The rows that have one word, in order, with how often each has it and how long the row is.

Times and length stand in one number beside the row, so that a word costs eight bytes a row, and
what it adds to a score is looked up by that number. Of a word that many rows have, the rows are
the bits of integers as well (`bit_slices`), brought up to date by hundreds.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

TIMES = 15
"""Bits of a row's length; how often it has the word stands above them."""
MOST = (1 << TIMES) - 1
LEVELS = (1, 2, 4, 8)
"""How often a row must have the word for its bit in each of the integers."""
PENDING = 256
"""Rows that are put in before their bits are."""
CHUNK = 32
"""Rows whose bits are put together before they are joined to the others."""
REPEATED = 2 << TIMES
"""The least code of a row that has the word twice."""
FEW = 8
"""Rows that are looked up one by one, in a word of so many times as many."""
EXACT = 8
"""Lengths below it are told apart."""
SPARSE = 256
"""A word that fewer than one row in so many has: its bits are made anew when they are asked for."""


class Posting:
    """Rows of one word."""

    __slots__ = ("_due", "_joined", "_last", "_levels", "codes", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.codes = array("I")
        self._levels = [0] * len(LEVELS)
        self._joined = 0
        self._due = PENDING
        self._last = -1

    def put(self, row: int, code: int) -> None:
        """Puts a row in that is not there."""
        rows = self.rows
        if row > self._last:
            self._last = row
            rows.append(row)
            self.codes.append(code)
            if len(rows) >= self._due:
                self._due = len(rows) + PENDING
                if self._is_dense(row):
                    self._join()
            return
        at = bisect_left(rows, row)
        rows.insert(at, row)
        self.codes.insert(at, code)
        if at < self._joined:
            self._joined += 1
            self._turn(row, code)

    def remove(self, row: int) -> None:
        """Takes a row out, if it is there."""
        at = bisect_left(self.rows, row)
        if at == len(self.rows) or self.rows[at] != row:
            return
        if at < self._joined:
            self._joined -= 1
            self._turn(row, self.codes[at])
        del self.rows[at], self.codes[at]

    def codes_of(self, once: Mapping[int, int], among: int = 0) -> Iterator[tuple[int, int]]:
        """Of some rows, in their order, those that are here, each with its code.

        Args:
            once: each row, with the code that it has if the word stands there once.
            among: the rows' bits, if the word's were asked for; else each is looked up.
        """
        here, codes = self.rows, self.codes
        if len(once) * FEW > len(here):
            yield from ((row, code) for row, code in zip(here, codes, strict=True) if row in once)
            return
        if among and self._joined == len(here):
            yield from self._codes_by_bits(once, among)
            return
        at, end = 0, len(here)
        for row in once:
            at = bisect_left(here, row, at)
            if at == end:
                return
            if here[at] == row:
                yield row, codes[at]

    def _codes_by_bits(self, once: Mapping[int, int], among: int) -> Iterator[tuple[int, int]]:
        """The same: most rows have a word once, which their bits tell without a search."""
        size = among.bit_length() // 8 + 1
        here = (self._levels[0] & among).to_bytes(size, "little")
        twice = self._levels[1] & among
        repeated = twice.to_bytes(size, "little") if twice else bytes(size)
        at = 0
        for row, code in once.items():
            byte, bit = row >> 3, 1 << (row & 7)
            if repeated[byte] & bit:
                at = bisect_left(self.rows, row, at)
                yield row, self.codes[at]
            elif here[byte] & bit:
                yield row, code

    def levels(self, span: int) -> list[int]:
        """The bits of its rows: of all; of those that have the word twice; 4 times; 8 times.

        Args:
            span: rows there are, those between that are gone counted.
        """
        if self._is_dense(span):
            self._join()
            return self._levels
        levels = [_bits_of(self.rows)] + [0] * (len(LEVELS) - 1)
        if max(self.codes, default=0) >= REPEATED:
            for place, least in enumerate(LEVELS[1:], 1):
                pairs = zip(self.rows, self.codes, strict=True)
                levels[place] = _bits_of([row for row, code in pairs if code >> TIMES >= least])
        return levels

    def _is_dense(self, span: int) -> bool:
        return len(self.rows) * SPARSE >= span

    def _join(self) -> None:
        if self._joined < len(self.rows):
            _join(self._levels, self.rows[self._joined :], self.codes[self._joined :])
            self._joined = len(self.rows)

    def _turn(self, row: int, code: int) -> None:
        times = code >> TIMES
        for place, least in enumerate(LEVELS):
            if times >= least:
                self._levels[place] ^= 1 << row


def _bits_of(rows: Sequence[int]) -> int:
    if not rows:
        return 0
    cells = bytearray((rows[-1] >> 3) + 1)
    for row in rows:
        cells[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(cells, "little")


def _join(levels: list[int], rows: "array[int]", codes: "array[int]") -> None:
    for start in range(0, len(rows), CHUNK):
        first = rows[start]
        chunk = [0] * len(LEVELS)
        for row, code in zip(
            rows[start : start + CHUNK], codes[start : start + CHUNK], strict=True
        ):
            bit = 1 << (row - first)
            chunk[0] |= bit
            if code < REPEATED:
                continue
            for place in range(1, len(LEVELS)):
                if code >> TIMES >= LEVELS[place]:
                    chunk[place] |= bit
        for place, bits in enumerate(chunk):
            if bits:
                levels[place] |= bits << first


def code_of(times: int, size: int) -> int:
    """How often a row has a word, and how long the row is, in one number."""
    return (min(MOST, times)) << TIMES | (min(MOST, size))


def size_class(size: int) -> int:
    """The number of a length's class: each to 8 its own, then four to a doubling."""
    if size < EXACT:
        return size
    bits = size.bit_length()
    return EXACT + 4 * (bits - 4) + (size >> (bits - 3) & 3)


def mean_size(number: int) -> float:
    """The middle of the lengths of a class."""
    if number < EXACT:
        return number
    doubling, quarter = divmod(number - EXACT, 4)
    return (4 + quarter + 0.5) * 2 ** (doubling + 1)
