"""The rows that have one word, in order, with how often each has it and how long the row is.

Times and length stand in one number beside the row, so that a word costs eight bytes a row, and
what it adds to a score is looked up by that number. Of a word that many rows have, the rows are
the bits of integers as well (`bit_slices`), brought up to date by hundreds.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress

TIMES = 15
"""Bits of a row's length; how often it has the word stands above them."""
MOST = (1 << TIMES) - 1
LEVELS = (1, 2, 4, 8)
"""How often a row must have the word for its bit in each of the integers."""
PENDING = 256
"""Rows that are put in before their bits are."""
_ONE = ord("1")
REPEATED = 2 << TIMES
"""The least code of a row that has the word twice."""
FEW = 8
"""Rows that are looked up one by one, in a word of so many times as many."""
EXACT = 8
"""Lengths below it are told apart."""
SPARSE = 256
"""A word that fewer than one row in so many has: its bits are made anew when they are asked for."""


class Pool:
    """Rows that words are looked for in, in their order.

    Args:
        once: of each row the code that it has if a word stands there once.
        is_rough: whether they were chosen by their bits.
    """

    def __init__(self, rows: Sequence[int], once: Sequence[int], *, is_rough: bool) -> None:
        self.rows, self.once, self.is_rough = rows, once, is_rough

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each row."""
        return {row: place for place, row in enumerate(self.rows)}

    @cached_property
    def cells(self) -> list[tuple[int, int]]:
        """Where each row's bit stands: its byte, and what is set there."""
        return [(row >> 3, 1 << (row & 7)) for row in self.rows]


class Posting:
    """Rows of one word."""

    __slots__ = ("_cells", "_due", "_joined", "_last", "_levels", "codes", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.codes = array("I")
        self._levels = [0] * len(LEVELS)
        self._cells: dict[int, tuple[int, bytes]] = {}
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

    def extend(self, rows: list[int], codes: list[int]) -> None:
        """Puts rows in that are not there, in their order."""
        if rows[0] <= self._last:
            for row, code in zip(rows, codes, strict=True):
                self.put(row, code)
            return
        self._last = rows[-1]
        self.rows.fromlist(rows)
        self.codes.fromlist(codes)
        if len(self.rows) >= self._due:
            self._due = len(self.rows) + PENDING
            if self._is_dense(rows[-1]):
                self._join()

    def remove(self, row: int) -> None:
        """Takes a row out, if it is there."""
        at = bisect_left(self.rows, row)
        if at == len(self.rows) or self.rows[at] != row:
            return
        if at < self._joined:
            self._joined -= 1
            self._turn(row, self.codes[at])
        del self.rows[at], self.codes[at]

    def codes_of(self, pool: "Pool") -> Iterable[tuple[int, int]]:
        """Of a pool's rows those that are here, each as its place in the pool, with its code."""
        here, codes = self.rows, self.codes
        if len(pool.rows) * FEW > len(here):
            places = pool.places
            shared = zip(here, codes, strict=True)
            return [(places[row], code) for row, code in shared if row in places]
        if pool.is_rough and self._joined == len(here):
            return self._codes_by_bits(pool)
        return self._codes_by_search(pool)

    def _codes_by_search(self, pool: "Pool") -> Iterator[tuple[int, int]]:
        here, at, end = self.rows, 0, len(self.rows)
        for place, row in enumerate(pool.rows):
            at = bisect_left(here, row, at)
            if at == end:
                return
            if here[at] == row:
                yield place, self.codes[at]

    def _codes_by_bits(self, pool: "Pool") -> list[tuple[int, int]]:
        """The same: most rows have a word once, which their bits tell without a search."""
        once, here, repeated = pool.once, self._cells_of(0), self._cells_of(1)
        last, most = len(here), len(repeated)
        placed: list[tuple[int, int]] = []
        for place, (byte, bit) in enumerate(pool.cells):
            if byte >= last:
                break
            if here[byte] & bit:
                is_repeated = byte < most and repeated[byte] & bit
                code = self._code_of(pool.rows[place]) if is_repeated else once[place]
                placed.append((place, code))
        return placed

    def _code_of(self, row: int) -> int:
        return self.codes[bisect_left(self.rows, row)]

    def _cells_of(self, level: int) -> bytes:
        """A level's bits as bytes, which are looked up one by one: an integer's can not be."""
        bits, known = self._levels[level], self._cells.get(level)
        if known is None or known[0] is not bits:
            known = self._cells[level] = bits, bits.to_bytes(bits.bit_length() // 8 + 1, "little")
        return known[1]

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


def _dense_bits_of(rows: Sequence[int]) -> int:
    """The same of rows of which some stand near each other."""
    first, last = rows[0], rows[-1]
    digits = bytearray(b"0") * (last - first + 1)  # the number's, its last row in front
    for row in rows:
        digits[last - row] = _ONE
    return int(digits, 2) << first


def _join(levels: list[int], rows: "array[int]", codes: "array[int]") -> None:
    levels[0] |= _dense_bits_of(rows)
    are_repeated = map(REPEATED.__le__, codes)
    repeated = list(compress(zip(rows, codes, strict=True), are_repeated))
    for place, least in enumerate(LEVELS[1:] if repeated else (), 1):
        levels[place] |= _bits_of([row for row, code in repeated if code >> TIMES >= least])


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
