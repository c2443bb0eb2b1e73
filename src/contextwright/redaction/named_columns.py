"""Secrets in a column of a table whose head has their name: CSV, text parted by tabs, Markdown."""

import re
from collections.abc import Iterator

import msgspec

from contextwright.redaction import checks
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import Pattern
from contextwright.redaction.secret_names import KEYS, PASSWORDS, PINS, names_of

_ENGLISH = """
en passw(ord|d|ort|) passphrase passcode kennwort pwd api_key(s|) secret_key secret access_key private_key token
"""
_TABLES = (_ENGLISH, PASSWORDS, KEYS, PINS)
_PARTING = ",;\t|"
_AROUND = " \"'*`\r"
_LONGEST_HEAD = 2_000
"""Signs of the longest line that is taken for a head."""
_BEFORE = re.compile(r"(?:^|[,;\t|\n])[^,;\t|\n]{0,24}$")
_BEHIND = re.compile(r"[ \"'*`]{0,4}(?:[,;\t|\r\n]|$)")
_LONGEST = 500
"""Signs of the longest value that is looked at."""


class _Head(msgspec.Struct, frozen=True):
    """The first line of a table.

    Args:
        parting: the sign between its cells.
        cells: how many of these signs it has.
    """

    start: int
    end: int
    parting: str
    cells: int


def _cells(haystack: Haystack) -> list[int]:
    """Where the cells of such columns begin, with the sign before them, in order."""
    text = haystack.text
    if "\n" not in text or not any(sign in text for sign in _PARTING):
        return []
    columns: dict[_Head, set[int]] = {}
    for start, end in _names(haystack):
        head = _head(text, start, end)
        if head:
            columns.setdefault(head, set()).add(text.count(head.parting, head.start, start))
    places: list[int] = []
    done = 0
    for head in sorted(columns, key=lambda head: head.start):
        if head.start >= done:
            done = head.end
            for row, end in _rows(text, head):
                done = end
                places += _in_row(text, row, end, head.parting, columns[head])
    return sorted(places)


def _head(text: str, start: int, end: int) -> _Head | None:
    """The head of a table whose cell a name is; None if it is none."""
    before = _BEFORE.search(text, max(0, start - 25), start)
    behind = _BEHIND.match(text, end)
    if not before or not behind:
        return None
    line = text.rfind("\n", max(0, start - _LONGEST_HEAD), start) + 1
    last = text.find("\n", end, line + _LONGEST_HEAD)
    if last < 0 or start - line > _LONGEST_HEAD:
        return None
    signs = (behind[0][-1:], before[0][:1])
    parting = next((sign for sign in signs if sign and sign in _PARTING), "")
    return _Head(line, last, parting, text.count(parting, line, last)) if parting else None


def _rows(text: str, head: _Head) -> Iterator[tuple[int, int]]:
    """From where to where the lines below a head are that have as many cells."""
    end = head.end
    while end < len(text):
        row = end + 1
        end = text.find("\n", row)
        end = end if end >= 0 else len(text)
        if text.count(head.parting, row, end) != head.cells:
            return
        yield row, end


def _in_row(text: str, row: int, end: int, parting: str, columns: set[int]) -> Iterator[int]:
    """Where some of a line's cells begin, with the sign before them."""
    place, last = row - 1, max(columns)
    for column in range(last + 1):
        if column in columns:
            yield place
        place = text.find(parting, place + 1, end)


def _cell(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of a cell."""
    sign = match[0][0]
    if sign == "\n":
        sign = min((one for one in _PARTING if one in match[1]), key=match[1].find, default="\n")
    cell = match[1].partition(sign)[0]
    value = cell.strip(_AROUND)
    start = match.start(1) + len(cell) - len(cell.lstrip(_AROUND))
    return (start, start + len(value)) if checks.is_stated(value) else None


def _names(haystack: Haystack) -> Iterator[tuple[int, int]]:
    """From where to where names of secrets stand."""
    text, folded = haystack.text, haystack.folded
    for table in _TABLES:
        names = names_of(table)
        for word in haystack.possible(tuple(names)):
            for start in haystack.places_of(word, True):
                for name in names[word]:
                    end = name.end(text, folded, start, start + len(word))
                    if end:
                        yield start, end


NAMED_COLUMNS = Pattern(
    "password",
    rf"[,;\t|\n]([^\n]{{4,{_LONGEST}}})",
    tuple(dict.fromkeys(word for table in _TABLES for word in names_of(table))),
    starts=_cells,
    fold=True,
    free=True,
    check=_cell,
)
