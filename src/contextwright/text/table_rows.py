"""Tables as text, CSV or Markdown: the header always, then rows."""

import csv
import re

from contextwright.text.line_selection import Unit
from contextwright.text.log_lines import severity

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
DELIMITERS = ("\t", ";", ",", "|")
CELL = 60
"""Characters a cell at most, on average: longer ones are sentences with commas."""


def is_table(lines: list[str]) -> bool:
    """Whether nearly all lines have the header's cells, or a Markdown rule stands below one."""
    full = [line for line in lines if line.strip()]
    if len(full) < 3:
        return False
    return _rule_at(full) > 0 or bool(delimiter_of(full))


def delimiter_of(lines: list[str]) -> str:
    """What separates the cells of a table; empty where the lines are none."""
    for mark in DELIMITERS:
        width = _cells(lines[0], mark) - 1
        if width < (1 if mark == "\t" else 2) or len(lines[0]) > CELL * (width + 1):
            continue
        rows = csv.reader(lines, delimiter=mark)
        try:
            fits = sum(len(row) == width + 1 for row in rows)
        except csv.Error:
            continue
        if fits * 10 >= len(lines) * 9:
            return mark
    return ""


def _cells(line: str, mark: str) -> int:
    """Cells of a line; a mark in quotes divides none."""
    try:
        return len(next(csv.reader([line], delimiter=mark), ()))
    except csv.Error:
        return 0


def _rule_at(lines: list[str]) -> int:
    """The line of a Markdown table's rule, within what may stand above a table; 0 for none."""
    for place, line in enumerate(lines[1:20], 1):
        if "|" in line and "|" in lines[place - 1] and _RULE.fullmatch(line):
            return place
    return 0


def table_units(text: str) -> list[Unit]:
    """A unit a line. What stands above the rows ranks first, then rows that tell of an error, the
    first ones and the last; every row needs its header."""
    lines = text.splitlines()
    rule = _rule_at(lines)
    head = rule or next((n for n, line in enumerate(lines) if line.strip()), 0)
    units: list[Unit] = []
    for place, line in enumerate(lines):
        if place <= head:
            units.append(Unit(line, (0, head - place), -1))
            continue
        in_table = not rule or "|" in line
        noun = "rows" if in_table else "lines"
        units.append(Unit(line, row_rank(line, place, len(lines)), head, noun=noun))
    return units


def row_rank(row: str, place: int, size: int, *, may_be_error: bool = True) -> tuple[int, ...]:
    """Errors, the last row and the first ones, then the others in their order.

    Args:
        place: the row's, of `size` rows.
        may_be_error: whether any of the rows has a word of errors.
    """
    if may_be_error and severity(row) == 0:
        return (1, place)
    return (2, 0) if place == size - 1 else (3, place)
