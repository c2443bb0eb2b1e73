"""Secrets in a column of a table whose head has their name: CSV, text parted by tabs, Markdown."""

import re
from collections.abc import Iterator

from contextwright.redaction import checks
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import Pattern
from contextwright.redaction.secret_names import KEYS, PASSWORDS, PINS, names_of, places_of_names

_ENGLISH = """
en passw(ord|d|ort|) passphrase passcode kennwort pwd api_key(s|)
en secret_key secret access_key private_key token
"""
_TABLES = (_ENGLISH, PASSWORDS, KEYS, PINS)
_PARTING = ",;\t|"
_AROUND = " \"'*`\r"
_LONGEST_HEAD = 2_000
"""Signs of the longest line that is taken for a head."""
_BEFORE = re.compile(r"(?:^|[,;\t|\n])[^,;\t|\n]{0,24}$")
_BEHIND = re.compile(r"[ \"'*`]{0,4}(?:[,;\t|\r\n]|$)")
_SHORTEST, _LONGEST = 4, 500
"""Signs of the shortest value that is taken, and of the longest that is looked at."""


def _cells(haystack: Haystack) -> list[int]:
    """Where the cells of such columns begin, with the sign before them, in order."""
    text = haystack.text
    places: list[int] = []
    if "\n" not in text or not any(sign in text for sign in _PARTING):
        return places
    head = done = 0  # where the last head ends, and where its table does
    below: tuple[list[tuple[int, int]], str, set[int]] = [], "", set()
    names = (name for table in _TABLES for name in places_of_names(table, haystack))
    for start, end in sorted(set(names)):
        if head < start < done or not (parting := _parting(text, start, end)):
            continue
        line = text.rfind("\n", max(0, start - _LONGEST_HEAD), start) + 1
        if start >= head:
            places += _in_columns(text, *below)
            head = text.find("\n", end, line + _LONGEST_HEAD)
            head = head if head >= 0 else end
            rows = list(_rows(text, head, parting, text.count(parting, line, head)))
            done = rows[-1][1] if rows else head
            below = rows, parting, set()
        below[2].add(text.count(parting, line, start))
    return places + list(_in_columns(text, *below))


def _parting(text: str, start: int, end: int) -> str:
    """The sign between the cells of a line, one of which a name is; empty if it is none."""
    behind = _BEHIND.match(text, end)
    before = _BEFORE.search(text, max(0, start - 25), start) if behind else None
    if not behind or not before:
        return ""
    signs = (behind[0][-1:], before[0][:1])
    return next((sign for sign in signs if sign and sign in _PARTING), "")


def _rows(text: str, end: int, parting: str, size: int) -> Iterator[tuple[int, int]]:
    """From where to where the lines below a head are that have as many cells."""
    while end < len(text):
        row = end + 1
        end = text.find("\n", row)
        end = end if end >= 0 else len(text)
        if text.count(parting, row, end) != size:
            return
        yield row, end


def _in_columns(
    text: str, rows: list[tuple[int, int]], parting: str, columns: set[int]
) -> Iterator[int]:
    """Where some cells of each line begin, with the sign before them."""
    for row, end in rows:
        place = row - 1
        for column, cell in enumerate(text[row:end].split(parting)):
            if column in columns and len(cell) >= _SHORTEST:
                yield place
            place += len(cell) + 1


def _cell(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of a cell."""
    sign, rest = match[0][0], match[1]
    if sign == "\n":
        sign = next((one for one in rest if one in _PARTING), "\n")
    cell = rest.partition(sign)[0]
    value = cell.strip(_AROUND)
    if len(value) < _SHORTEST or " " in value or not checks.is_stated(value):
        return None
    start = match.start(1) + len(cell) - len(cell.lstrip(_AROUND))
    return start, start + len(value)


NAMED_COLUMNS = Pattern(
    "password",
    rf"[,;\t|\n]([^\n]{{4,{_LONGEST}}})",
    tuple(dict.fromkeys(word for table in _TABLES for word in names_of(table))),
    starts=_cells,
    fold=True,
    free=True,
    check=_cell,
)
