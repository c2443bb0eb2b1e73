"""Tables as text, CSV, Markdown, or in columns as programs print them: the header always, then
rows."""

import csv
import re
from collections import Counter
from collections.abc import Sequence

from contextwright.text.line_selection import Unit
from contextwright.text.log_lines import severity

_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_BORDER = re.compile(r"\s*\+?(?:[-=]{2,}\+)+[-=]*\s*")
"""What a database's shell draws below a header: `----+----`, `+----+----+`."""
_PADDING = re.compile(r"(?<=\S) {2,}(?=\|)|(?<=\|) {2,}(?=\S)|^ {2,}(?=\S)")
_DASHES = re.compile(r"[-=]{4,}")
_GAP = re.compile(r"\s{2,}|\t")
_NUMBER = re.compile(r"[-+]?[$€£]?\d[\d.,]*%?|NaN|nan|None|NULL|null|-")
DELIMITERS = ("\t", ";", ",", "|")
LEAST = 3
"""Rows of a table, its header included."""
HEAD_LINES = 200
"""Lines from the beginning without a gap that rows over several lines are told from."""
MANY, UNLIKE = 8, 20
"""Rows from which on it is told what nearly all have, and percent of these that may have another
value."""
HEAD_CELLS = 12
"""Cells of a header in columns, about, at most."""
CELL = 60
"""Characters a cell at most, on average: longer ones are sentences with commas."""


def is_table(lines: list[str]) -> bool:
    """Whether nearly all lines have the header's cells, or a Markdown rule stands below one."""
    full = [line for line in lines if line.strip()]
    if len(full) < LEAST:
        return False
    return _rule_at(full) > 0 or bool(delimiter_of(full)) or is_in_columns(full)


def is_in_columns(lines: Sequence[str]) -> bool:
    """Whether lines are a table whose columns blanks keep apart: below a header in capitals, as
    `kubectl`, `docker` and `ps` print one, or numbers below names, as a data frame is printed."""
    head, rows = lines[0], lines[1:]
    if len(rows) < LEAST - 1 or len(head) > CELL * HEAD_CELLS:
        return False
    if head.isupper() and len(_GAP.split(head.strip())) >= LEAST:
        return sum(len(_GAP.split(row.strip())) >= LEAST for row in rows) * 10 >= len(rows) * 8
    names = len(head.split())
    if names < 2 or sum(map(_is_number, head.split())) * 2 > names:
        return False
    cells = [row.split() for row in rows]
    fit = sum(len(row) in (names, names + 1) for row in cells)
    numbers = sum(_is_number(cell) for row in cells for cell in row)
    return fit * 10 >= len(rows) * 9 and numbers * 2 >= sum(map(len, cells))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


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
        is_rule = _RULE.fullmatch(line) if "|" in line else _BORDER.fullmatch(line)
        if is_rule and "|" in lines[place - 1]:
            return place
    return 0


def table_units(text: str) -> list[Unit]:
    """A unit a row. What stands above the rows ranks first, then rows that tell of an error or
    differ where nearly all are the same, the first ones and the last; every row needs its
    header."""
    lines = text.splitlines()
    rule = _rule_at(lines)
    if rule:
        lines = [_PADDING.sub(" ", line) for line in lines]
        lines[rule] = _DASHES.sub("---", lines[rule])
    if not rule and '"' in text and (mark := delimiter_of(lines[:HEAD_LINES])):
        lines = records(lines, mark)
    head = rule or next((n for n, line in enumerate(lines) if line.strip()), 0)
    units = [Unit(line, (0, head - place)) for place, line in enumerate(lines[: head + 1])]
    in_table = [bool(line.strip()) and (not rule or "|" in line) for line in lines[head + 1 :]]
    total = sum(in_table)
    unlike = _unlike_rows(lines[head + 1 :], "|" if rule else "")
    for place, is_row in enumerate(in_table, head + 1):
        rank = row_rank(lines[place], place, len(lines))
        if place - head - 1 in unlike:
            rank = min(rank, (1, place))
        noun, of = ("rows", total) if is_row else ("lines", 0)
        units.append(Unit(lines[place], rank, head, noun=noun, total=of))
    return units


def table_line(text: str, characters: int) -> str:
    """A table in one line: its header and the rows that rank first."""
    units = table_units(text)
    shown = set[int]()
    left = characters
    for place in sorted(range(len(units)), key=lambda place: units[place].rank):
        left -= len(" ".join(units[place].text.split())) + 3
        if left < 0:
            break
        shown.add(place)
    rows = [" ".join(units[place].text.split()) for place in sorted(shown)]
    total = max([unit.total for unit in units], default=0)
    more = total - sum(units[place].noun == "rows" for place in shown)
    return " | ".join([*filter(_says, rows), *[f"… {more} more rows"] * (more > 0)])


def _says(row: str) -> bool:
    return any(map(str.isalnum, row))


def _unlike_rows(rows: Sequence[str], mark: str) -> set[int]:
    """Places of the few rows of a table in columns that have another value where nearly all have
    the same: the one pod of thirty that does not run.

    Args:
        mark: what separates cells; blanks where it is empty.
    """
    split = [row.strip().split(mark) if mark else _GAP.split(row.strip()) for row in rows]
    cells = {place: [cell.strip() for cell in row] for place, row in enumerate(split)}
    width = Counter(map(len, cells.values())).most_common(1)
    if not width or width[0][0] < LEAST or width[0][1] < MANY:
        return set()
    unlike: set[int] = set()
    for column in range(1, width[0][0]):
        values = Counter(row[column] for row in cells.values() if len(row) > column)
        value, number = values.most_common(1)[0]
        others = {at for at, row in cells.items() if len(row) > column and row[column] != value}
        if others and len(others) * 100 <= number * UNLIKE:
            unlike |= others
    return unlike if len(unlike) * 3 <= len(rows) else set()


def row_rank(row: str, place: int, size: int, *, may_be_error: bool = True) -> tuple[int, ...]:
    """Errors, the last row and the first ones, then the others in their order.

    Args:
        place: the row's, of `size` rows.
        may_be_error: whether any of the rows has a word of errors.
    """
    if may_be_error and severity(row) == 0:
        return (1, place)
    return (2, 0) if place == size - 1 else (3, place)
