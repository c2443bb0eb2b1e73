"""Numbers of many rows at once: a number's lowest bits of all rows stand in one integer, its next
bits in another (O'Neil and Quass 1997).

Adding a weight to 100,000 rows is a few dozen operations on integers of 12,500 bytes, each half a
microsecond: a hundred times faster than a loop over the rows.
"""

import re

_FILLED = re.compile(b"\0*+[^\0]")
"""Up to a byte with a bit that is set: bytes without one are passed over five times sooner by their
count than by a search for another."""


def put_weight(columns: list[list[int]], rows: int, weight: int) -> None:
    """Puts a weight of some rows among what is to be added up."""
    place = 0
    while weight and rows:
        if weight & 1:
            _put(columns, rows, place)
        weight >>= 1
        place += 1


def added(columns: list[list[int]]) -> list[int]:
    """The numbers that the columns add up to: three integers of a column are one of it and one of
    the next."""
    slices: list[int] = []
    for place, column in enumerate(columns):  # it grows meanwhile
        while len(column) > 2:
            one, other, third = column.pop(), column.pop(), column.pop()
            either = one ^ other
            column.append(either ^ third)
            if carry := one & other | either & third:
                _put(columns, carry, place + 1)
        if len(column) == 2:
            one, other = column
            column[:] = [one ^ other]
            if carry := one & other:
                _put(columns, carry, place + 1)
        slices.append(column[0] if column else 0)
    return slices


def product(slices: list[int], factors: list[int]) -> list[int]:
    """Each row's number times its factor."""
    columns: list[list[int]] = []
    for shift, rows in enumerate(factors):
        for place, bits in enumerate(slices, shift):
            _put(columns, bits & rows, place)
    return added(columns)


def largest(slices: list[int], among: int, count: int) -> int:
    """The rows with the largest numbers: so many, and those level with the last of them."""
    above, level = 0, among
    for bits in reversed(slices):
        higher = level & bits
        if not higher:
            continue
        if (above | higher).bit_count() >= count:
            level = higher
        else:
            above |= higher
            level ^= higher
    return above | level


def rows_of(bits: int) -> list[int]:
    """The rows whose bits are set, in order."""
    cells = bits.to_bytes(bits.bit_length() // 8 + 1, "little")
    rows: list[int] = []
    for cell in _FILLED.finditer(cells):
        at = 8 * (cell.end() - 1)
        left = cell[0][-1]
        while left:
            lowest = left & -left
            rows.append(at + lowest.bit_length() - 1)
            left ^= lowest
    return rows


def _put(columns: list[list[int]], bits: int, place: int) -> None:
    while place >= len(columns):
        columns.append([])
    columns[place].append(bits)
