"""Lists of objects in a JSON as tables: names once, a row an object."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, groupby, repeat
from typing import Any

from contextwright.text.json_cells import (
    CODE,
    FORMS,
    IDENTIFIER,
    Form,
    Literal,
    Nested,
    Scalars,
    key_of,
    keys_of,
)
from contextwright.text.line_selection import NAMES, Unit
from contextwright.text.log_lines import has_error
from contextwright.text.table_rows import row_rank

EDGE = 3
"""Rows at the beginning of a table that rank before numbers and words beside it."""
RANKS: dict[str, tuple[int, ...]] = {"end": (2,), "row": (4, 1)}
"""Ranks of the ends of every table, before numbers and words beside it; of the other rows."""
NOTHING = 4
"""The class of truth values, nulls and empty ones."""
CONSTANT = 60
"""Characters up to which what all rows have in common is told once, whatever it is."""
ABSENT = "-"
"""Stands in a row for a field that it has not."""
Row = dict[str, Any]
_IDENTIFIES = re.compile(
    r"(?:^|_)(?:id|number|code|key|name|email|path|url|status)s?$", re.IGNORECASE
)
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\+\d)?")
_ONE = re.compile(r"[\d@/]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")


class RowTable:
    """Rows, and what of their columns is the same in every form.

    Attributes:
        columns: what stands in them, row for row, by their names in their order.
        classes: of the columns, by their names.
        constants: columns with one value in all rows.
        longest: characters of a value at most.
        whole_from: characters of a form from which on it cuts none.
        units: that stand for it, by the form, as far as it matters here, and by where they stand.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        present = {c: [row[c] for row in rows if c in row] for c in names}
        self.number = len(rows)
        self.classes = {c: _class(c, values) for c, values in present.items()}
        self.constants = {c for c in names if len(rows) > 1 and _is_constant(present[c], len(rows))}
        self.columns = {
            c: Scalars(values if len(values) == len(rows) else [row.get(c, _NONE) for row in rows])
            for c, values in present.items()
        }
        self.longest = max([column.longest for column in self.columns.values()], default=0)
        self.whole_from = max([column.whole_from for column in self.columns.values()], default=0)
        self.units: dict[tuple[int, int, str, int, int, int], list[Unit]] = {}


def class_of(name: str, value: Any) -> int:
    """That of one field."""
    return _class(name, [value]) if value and isinstance(value, str) else NOTHING


def table_units(
    table: RowTable, name: str, form: Form, depth: int, parent: int, place: int
) -> list[Unit]:
    """A line that says what the columns are, and the rows below it.

    Args:
        place: of that line among all units.
    """
    columns, classes = table.columns, table.classes
    same = {
        column: f"{key_of(column)} {text}"
        for column in classes
        if column in table.constants
        if len(text := columns[column].texts(form)[0]) <= CONSTANT
    }
    others = [c for c in classes if c not in same]
    shown = [c for c in others if classes[c] <= form.columns]
    shown = shown or [min(others or classes, key=classes.__getitem__)]
    left = [c for c in others if c not in shown]
    common = [text for column, text in same.items() if column not in shown]
    head = f"{name} ({table.number}) " if name else f"{table.number} rows: "
    head += _header(shown)
    head += f"; all: {', '.join(common)}" if common else ""
    head += f" [… without {_names(left)}]" if left else ""
    indent = "  " * depth
    units = [Unit(indent + head, (0, depth), parent, "\n", "parts", omits=len(left))]
    cells = [columns[column].texts(form) for column in shown]
    gap = " | " if " " in "".join(chain.from_iterable(cells)) else " "
    texts = [indent + gap.join(row) for row in zip(*cells, strict=True)]
    whole = form == FORMS[0]  # all of it has its order, too
    lines = [(text, 1) for text in texts] if whole else list(Counter(texts).items())
    for (text, number), rank in zip(lines, _row_ranks([text for text, _ in lines]), strict=True):
        text += f" (×{number})" if number > 1 else ""
        units.append(Unit(text, rank, place, "\n", "rows", stands_for=number))
    return units


def _row_ranks(rows: list[str]) -> list[tuple[int, ...]]:
    """As `row_rank` has them, the ends and errors apart from the others."""
    ranks: list[tuple[int, ...]] = [*zip(repeat(3), range(len(rows) - 1)), (2, 0)]
    if has_error("\n".join(rows)):
        ranks = [row_rank(row, nth, len(rows)) for nth, row in enumerate(rows)]
    return [RANKS["end" if rank < (3, EDGE) else "row"] + rank for rank in ranks]


_NONE = Literal(ABSENT)


def rows_of(value: Sequence[Any]) -> list[Row]:
    """The rows of a list of objects, or of lists of objects, these with their numbers; none for
    any other list."""
    kinds = set(map(type, value))
    if kinds == {dict}:
        return [_flat(item) for item in value] if any(value) else []
    if kinds != {list} or not any(value):
        return []
    if any([not item or not isinstance(item, dict) for group in value for item in group]):  # noqa: C419
        return []
    return [
        {"list": Literal(nth), **_flat(item)}
        for nth, group in enumerate(value, 1)
        for item in group
    ]


def _header(columns: Sequence[str]) -> str:
    """The names of columns; those with the same beginning share it: `prices.(basic/business)`."""
    if "." not in "".join(columns):
        return "/".join(keys_of(columns))
    parts: list[str] = []
    for parent, group in groupby(columns, key=lambda column: column.rpartition(".")[0]):
        names = [key_of(column.rpartition(".")[2]) for column in group]
        one = f"{parent}.{names[0]}" if parent else ""
        shared = f"{parent}.({'/'.join(names)})" if parent else "/".join(names)
        parts.append(one if parent and len(names) == 1 else shared)
    return "/".join(parts)


def _flat(item: Row, name: str = "") -> Row:
    """The scalars of a row under dotted names; a list within it as one JSON text."""
    kinds = set(map(type, item.values()))
    if not name and not kinds & {dict, list}:
        return item
    row: Row = {}
    for key, value in item.items():
        path = f"{name}.{key}" if name else key
        if isinstance(value, dict) and value:
            row.update(_flat(value, path))
        elif isinstance(value, list) and value:
            plain = json.dumps(_bare(value), ensure_ascii=False, separators=(",", ":"))
            row[path] = Nested(plain)
        else:
            row[path] = value
    return row


def _bare(value: Any) -> Any:
    """Without `Literal`: numbers as numbers again, where nothing of them is lost."""
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, Literal):
        number = json.loads(value) if value not in {"NaN", "Infinity", "-Infinity"} else value
        return number if str(number) == value else str(value)
    return value


def _is_constant(values: list[Any], rows: int) -> bool:
    if len(values) != rows or len(set(map(type, values))) != 1:
        return False
    return values.count(values[0]) == rows


def _class(name: str, values: Sequence[Any]) -> int:
    """0 for what looks like an identifier of one thing, 1 for other codes, dates and what its name
    says to identify, 2 for numbers and seconds, 3 for words, 4 for truth values, nulls, empty ones,
    times of day and prose."""
    texts = [v for v in values if isinstance(v, str) and v]
    if not texts:
        return NOTHING
    looks = [v for v in texts if len(v) <= IDENTIFIER and CODE.fullmatch(v)]
    numbers = all(map(_STAMP.fullmatch, [v for v in texts if not isinstance(v, Literal)]))
    if len(looks) * 2 > len(values) and not numbers:
        return int(all(map(_DATE.fullmatch, filter(_ONE.search, looks))))
    if _IDENTIFIES.search(name) and max(map(len, texts)) <= IDENTIFIER:
        return 1
    if all(map(_TIME.fullmatch, texts)):
        return 4  # a time of day identifies nothing
    if numbers:
        return 2
    return 3 if sum(map(len, texts)) <= 48 * len(texts) else 4


def unlike(key: str, item: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """The fields of an item that do not repeat its key, or a part of it; one of the name `key`
    with a mark."""

    def repeats(value: Any) -> bool:
        part = isinstance(value, str) and bool(form.characters and value) and value in key
        return value == key or part

    fields = {name: value for name, value in item.items() if not repeats(value)}
    return {("key." if name == "key" else name): value for name, value in fields.items()}


def _names(names: Sequence[str]) -> str:
    """As many names as a mark has room for, and how many more there are."""
    shown = [
        name for name, size in zip(names, accumulate(map(len, names)), strict=True) if size <= NAMES
    ]
    more = len(names) - len(shown)
    return ", ".join(shown) + (" and " * bool(shown) + f"{more} more fields" if more else "")
