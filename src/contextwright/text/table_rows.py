"""Tables as text, CSV or Markdown: the header always, then rows."""

import csv
import re

from contextwright.text.line_selection import Unit
from contextwright.text.log_lines import severity

_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
DELIMITERS = ("\t", ";", ",", "|")
LEAST = 3
"""Rows of a table, its header included."""
HEAD_LINES = 200
"""Lines from the beginning without a gap that rows over several lines are told from."""
CELL = 60
"""Characters a cell at most, on average: longer ones are sentences with commas."""


def is_table(lines: list[str]) -> bool:
    """Whether nearly all lines have the header's cells, or a Markdown rule stands below one."""
    full = [line for line in lines if line.strip()]
    if len(full) < LEAST:
        return False
    return _rule_at(full) > 0 or bool(delimiter_of(full))


def is_quoted_table(head: str) -> bool:
    """Whether a text begins as CSV with line ends within quotes: no sample of its lines shows it,
    for one that begins in a cell reads all others the wrong way round."""
    if '"' not in head:
        return False
    lines = head.splitlines()[:HEAD_LINES]
    mark = delimiter_of(lines)
    return bool(mark) and len(records(lines, mark)) < len(lines)


def records(lines: list[str], mark: str) -> list[str]:
    """The rows of CSV as they stand, each with all of its lines."""
    reader = csv.reader(lines, delimiter=mark)
    rows: list[str] = []
    at = 0
    try:
        for _ in reader:
            rows.append("\n".join(lines[at : reader.line_num]))
            at = reader.line_num
    except csv.Error:
        pass  # a cell too long for the reader: the rest stands line by line
    return rows + lines[at:]


def delimiter_of(lines: list[str]) -> str:
    """What separates the cells of a table; empty where the lines are none."""
    for mark in DELIMITERS:
        width = _cells(lines[0], mark) - 1
        if width < (1 if mark == "\t" else 2) or len(lines[0]) > CELL * (width + 1):
            continue
        try:
            rows = list(csv.reader(lines, delimiter=mark))
        except csv.Error:
            continue
        if len(rows) >= LEAST and sum(len(row) == width + 1 for row in rows) * 10 >= len(rows) * 9:
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
    """A unit a row. What stands above the rows ranks first, then rows that tell of an error, the
    first ones and the last; every row needs its header."""
    lines = text.splitlines()
    rule = _rule_at(lines)
    if not rule and '"' in text and (mark := delimiter_of(lines[:HEAD_LINES])):
        lines = records(lines, mark)
    head = rule or next((n for n, line in enumerate(lines) if line.strip()), 0)
    units = [Unit(line, (0, head - place)) for place, line in enumerate(lines[: head + 1])]
    in_table = [bool(line.strip()) and (not rule or "|" in line) for line in lines[head + 1 :]]
    total = sum(in_table)
    for place, is_row in enumerate(in_table, head + 1):
        rank = row_rank(lines[place], place, len(lines))
        noun, of = ("rows", total) if is_row else ("lines", 0)
        units.append(Unit(lines[place], rank, head, noun=noun, total=of))
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
