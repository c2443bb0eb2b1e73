"""JSON in few tokens: rows stay rows, names are written once, what is missing is named.

A ladder of forms, from all of it (`lossless`) over shorter strings and fewer columns to bare
identifiers; the first that fits is taken, and of the last one as many rows as fit.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, groupby
from typing import Any

import msgspec

from contextwright.text.binary_label import binary_label
from contextwright.text.json_fields import MAX_JSON
from contextwright.text.json_rows import is_map_of_rows, is_shallow
from contextwright.text.line_selection import NAMES, Unit
from contextwright.text.log_lines import has_error
from contextwright.text.readable_text import readable
from contextwright.text.table_rows import row_rank

IDENTIFIER = 120
"""Characters up to which what looks like an identifier, a path or an address is never cut."""
EDGE = 3
"""Rows at the beginning of a table that rank before numbers and words beside it."""
RANKS: dict[str, tuple[int, ...]] = {"end": (2,), "row": (4, 1)}
FIELDS: tuple[tuple[int, ...], ...] = ((1, 0), (1, 1), (3,), (4, 0), (5,))
"""Ranks of rows, and of fields by their class: what identifies, the ends of every table, numbers,
words, the other rows, prose."""
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
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z_#@/-])\S{3,}|[A-Z]{3,}|\S+@\S+|\S*/\S+")
_PLAIN = re.compile(r"[^\s,|;:\"{}\[\]](?:[^\n,|;\"]*[^\s,|;\"])?")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\+\d)?")
_ONE = re.compile(r"[\d@/]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
_PLAIN_KEY = re.compile(r"[^\s,|;:\"]+")
_LIKE_OTHERS = re.compile(r"-|-?[\d.]+(?:[eE][+-]?\d+)?|null|true|false|-?Infinity|NaN")


class Literal(str):
    """A number as the source writes it: `1.10` stays `1.10`."""

    __slots__ = ()


class Nested(str):
    """A list within a row, as JSON."""

    __slots__ = ()


class Form(msgspec.Struct, frozen=True):
    """How much a value says.

    Args:
        characters: of a string at most; 0 for all.
        columns: of a table, by `_class`: 4 all; 3 without truth values, nulls and prose; 2 without
            words; 1 what identifies; 0 what identifies one by one.
    """

    characters: int = 0
    columns: int = 4


FORMS = (Form(), Form(160), Form(80), Form(48), Form(48, 3), Form(32, 2), Form(24, 1), Form(24, 0))
"""From all to the least."""


def read_json(text: str) -> Any | None:
    """The object or list that a text is, or the list of its lines where each is one; None for
    anything else. Numbers keep their digits."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or len(stripped) > MAX_JSON:
        return None
    value = _parsed(stripped)
    if value is None and stripped[0] == "{" and "\n" in stripped:
        rows = [_parsed(line) for line in stripped.splitlines() if line.strip()]
        value = rows if len(rows) > 1 and all(isinstance(row, dict) for row in rows) else None
    return value if isinstance(value, (dict, list)) and is_shallow(value) else None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Literal, parse_int=Literal, parse_constant=Literal)
    except (ValueError, RecursionError):
        return None


def long_string(value: Any, least: int) -> tuple[str, str] | None:
    """The one string that an object mostly is, such as the output of a command, and its key;
    None where no string has `least` characters, or several have."""
    if not isinstance(value, dict):
        return None
    pairs: dict[str, Any] = value
    long = [(k, v) for k, v in pairs.items() if isinstance(v, str) and len(v) >= least]
    return long[0] if len(long) == 1 else None


def json_forms(value: Any, forms: Sequence[Form] = FORMS) -> Iterator[list[Unit]]:
    """The value in each form of the ladder, the one that says most first; a form that shortens
    nothing more than the one before is that one's list again."""
    shared = _Shared()
    builder: _Builder | None = None
    for form in forms:
        if builder is None or not builder.says_as_much(form):
            builder = _Builder(form, shared)
            builder.put(value, "", 0, -1)
        yield builder.units


def cell(value: Any, form: Form) -> str:
    """A scalar as it is; a string in quotes where it could not be told from what is around it, and
    in the form that loses nothing where it could be read as a number, too."""
    if isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    most = form.characters
    text = readable(value) if "\x1b" in value else value
    text = _clipped(text, most) if most and len(text) > most else str(text)
    if isinstance(value, (Literal, Nested)):
        return text
    if _PLAIN.fullmatch(text) and (form.characters or not _LIKE_OTHERS.fullmatch(text)):
        return text
    return json.dumps(text, ensure_ascii=False)


def _clipped(text: str, characters: int) -> str:
    if len(text) <= IDENTIFIER and _CODE.fullmatch(text):
        return text
    return binary_label(text) or text[: characters // 2].rstrip() + "…"


class _Table(msgspec.Struct, frozen=True):
    """Rows, and what of their columns is the same in every form.

    Args:
        classes: of the columns, by their names, in their order.
        constants: columns with one value in all rows.
    """

    rows: Sequence[Row]
    classes: dict[str, int]
    constants: frozenset[str]


def _table_of(rows: Sequence[Row]) -> _Table:
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    values = {c: [row[c] for row in rows if c in row] for c in columns}
    constant = [c for c in columns if len(rows) > 1 and _is_constant(values[c], len(rows))]
    classes = {c: _class(c, values[c]) for c in columns}
    return _Table(rows, classes, frozenset(constant))


class _Shared:
    """What the forms of a value have in common.

    Attributes:
        tables: of the lists in it, by their ids.
    """

    def __init__(self) -> None:
        self.tables: dict[int, _Table] = {}
        self._classes: dict[tuple[str, type[str], str], int] = {}

    def class_of(self, name: str, value: Any) -> int:
        """That of one field."""
        if not value or not isinstance(value, str):
            return NOTHING
        key = name, type(value), value
        known = self._classes.get(key)
        if known is None:
            known = self._classes[key] = _class(name, [value])
        return known


class _Builder:
    """Units of a value in one form, in the order of the value.

    Args:
        shared: by the forms of the value.
    """

    def __init__(self, form: Form, shared: _Shared) -> None:
        self.form = form
        self.units: list[Unit] = []
        self._shared = shared
        self._cells: dict[tuple[type[str], str], str] = {}
        self._longest = 0

    def says_as_much(self, form: Form) -> bool:
        """Whether another form would have the same units: of the same columns, and with no string
        that it would cut."""
        same = self.form.columns == form.columns and self.form.characters >= form.characters > 0
        return same and self._longest <= form.characters

    def _cell(self, value: Any) -> str:
        if not isinstance(value, str):
            return cell(value, self.form)
        key = type(value), value  # a number as it is written is no text of its digits
        known = self._cells.get(key)
        if known is None:
            self._longest = max(self._longest, len(value))
            known = self._cells[key] = cell(value, self.form)
        return known

    def put(self, value: Any, name: str, depth: int, parent: int) -> None:
        """Any value under its name."""
        if isinstance(value, dict):
            self._object(value, name, depth, parent)
        elif isinstance(value, list):
            self._list(value, name, depth, parent)
        else:
            label = f"{name}: " if name else ""
            rank = (*FIELDS[self._shared.class_of(name, value)], depth)
            self._add(label + self._cell(value), rank, parent, label=name, noun="fields")

    def _add(self, text: str, rank: tuple[int, ...], parent: int, **more: Any) -> int:
        self.units.append(Unit(text, rank, parent, **more))
        return len(self.units) - 1

    def _head(self, text: str, depth: int, parent: int, joint: str = "\n", omits: int = 0) -> int:
        more = {"noun": "parts", "joint": joint, "omits": omits}
        return self._add("  " * depth + text, (0, depth), parent, **more)

    def _object(self, value: Mapping[str, Any], name: str, depth: int, parent: int) -> None:
        pairs = dict(value)
        if is_map_of_rows(pairs):
            rows = [{"key": key, **_unlike(key, item, self.form)} for key, item in pairs.items()]
            self._table(_table_of(rows), name, depth, parent)
            return
        flat = {k: v for k, v in pairs.items() if not isinstance(v, (dict, list)) or not v}
        if name:
            parent = self._head(f"{name}:", depth, parent, " " if flat else "\n")
        self._fields(flat, depth, parent)
        for key, item in pairs.items():
            if key not in flat:
                self.put(item, key, depth + 1 if name else depth, parent)

    def _fields(self, fields: Mapping[str, Any], depth: int, parent: int) -> None:
        """Scalars of one object in a line."""
        for nth, (key, value) in enumerate(fields.items()):
            text = f"{_key(key)} {self._cell(value)}"
            rank = (*FIELDS[self._shared.class_of(key, value)], depth)
            joint = "\n" if nth == len(fields) - 1 else ", "
            self._add(text, rank, parent, label=key, noun="fields", joint=joint)

    def _list(self, value: Sequence[Any], name: str, depth: int, parent: int) -> None:
        tables = self._shared.tables
        table = tables.get(id(value))
        if table is None:
            table = tables[id(value)] = _table_of(_rows_of(value))
        if table.rows:
            self._table(table, name, depth, parent)
            return
        if any(isinstance(item, (dict, list)) and item for item in value):
            parent = self._head(f"{name or 'list'} ({len(value)}):", depth, parent)
            for nth, item in enumerate(value):
                self.put(item, f"{nth + 1}", depth + 1, parent)
            return
        parent = self._head(f"{name or 'list'}:", depth, parent, " " if value else "\n")
        for nth, item in enumerate(value):
            joint = "\n" if nth == len(value) - 1 else ", "
            rank = RANKS["end" if nth < EDGE or nth == len(value) - 1 else "row"] + (nth,)
            self._add(self._cell(item), rank, parent, noun="items", joint=joint)

    def _table(self, table: _Table, name: str, depth: int, parent: int) -> None:
        """Objects as rows below their columns; what is the same in all of them once."""
        rows, classes = table.rows, table.classes
        same = {
            column: f"{_key(column)} {text}"
            for column in classes
            if column in table.constants
            if len(text := self._cell(rows[0][column])) <= CONSTANT
        }
        others = [c for c in classes if c not in same]
        shown = [c for c in others if classes[c] <= self.form.columns]
        if not shown:
            shown = [min(others or classes, key=lambda c: classes[c])]
        left = [c for c in others if c not in shown]
        common = [text for column, text in same.items() if column not in shown]
        head = f"{name} ({len(rows)}) " if name else f"{len(rows)} rows: "
        head += _header(shown)
        head += f"; all: {', '.join(common)}" if common else ""
        head += f" [… without {_names(left)}]" if left else ""
        place = self._head(head, depth, parent, omits=len(left))
        cells = [[self._cell(row[c]) if c in row else ABSENT for c in shown] for row in rows]
        gap = " | " if " " in "".join(chain.from_iterable(cells)) else " "
        texts = ["  " * depth + gap.join(row) for row in cells]
        whole = self.form == FORMS[0]  # all of it has its order, too
        lines = [(text, 1) for text in texts] if whole else list(Counter(texts).items())
        errors = has_error("\n".join(texts))
        for nth, (text, number) in enumerate(lines):
            rank = row_rank(text, nth, len(lines), may_be_error=errors)
            rank = RANKS["end" if rank < (3, EDGE) else "row"] + rank
            text += f" (×{number})" if number > 1 else ""
            self._add(text, rank, place, noun="rows", stands_for=number)


def _rows_of(value: Sequence[Any]) -> list[Row]:
    """The rows of a list of objects, or of lists of objects, these with their numbers; none for
    any other list."""
    if value and all(isinstance(item, dict) for item in value):
        return [dict(_flat(item)) for item in value] if any(value) else []
    groups = [item for item in value if isinstance(item, list)]
    if not value or len(groups) < len(value) or not any(groups):
        return []
    if not all(isinstance(item, dict) and item for group in groups for item in group):
        return []
    return [
        {"list": Literal(nth), **dict(_flat(item))}
        for nth, group in enumerate(groups, 1)
        for item in group
    ]


def _header(columns: Sequence[str]) -> str:
    """The names of columns; those with the same beginning share it: `prices.(basic/business)`."""
    parts: list[str] = []
    for parent, group in groupby(columns, key=lambda column: column.rpartition(".")[0]):
        names = [_key(column.rpartition(".")[2]) for column in group]
        one = f"{parent}.{names[0]}" if parent else ""
        shared = f"{parent}.({'/'.join(names)})" if parent else "/".join(names)
        parts.append(one if parent and len(names) == 1 else shared)
    return "/".join(parts)


def _flat(item: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The scalars of a row under dotted names; a list within it as one JSON text."""
    for key, value in item.items():
        path = f"{name}.{key}" if name else str(key)
        if isinstance(value, dict) and value:
            yield from _flat(value, path)
        elif isinstance(value, list) and value:
            plain = json.dumps(_bare(value), ensure_ascii=False, separators=(",", ":"))
            yield path, Nested(plain)
        else:
            yield path, value


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
    first = values[0] if values else None
    return len(values) == rows and all(type(v) is type(first) and v == first for v in values)


def _class(name: str, values: Sequence[Any]) -> int:
    """0 for what looks like an identifier of one thing, 1 for other codes, dates and what its name
    says to identify, 2 for numbers and seconds, 3 for words, 4 for truth values, nulls, empty ones,
    times of day and prose."""
    texts = [v for v in values if isinstance(v, str) and v]
    if not texts:
        return NOTHING
    looks = [v for v in texts if len(v) <= IDENTIFIER and _CODE.fullmatch(v)]
    numbers = all(isinstance(v, Literal) or _STAMP.fullmatch(v) for v in texts)
    if len(looks) * 2 > len(values) and not numbers:
        return 0 if any(_ONE.search(v) and not _DATE.fullmatch(v) for v in looks) else 1
    if _IDENTIFIES.search(name) and max(map(len, texts)) <= IDENTIFIER:
        return 1
    if all(_TIME.fullmatch(v) for v in texts):
        return 4  # a time of day identifies nothing
    if numbers:
        return 2
    return 3 if sum(map(len, texts)) <= 48 * len(texts) else 4


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _unlike(key: str, item: Mapping[str, Any], form: Form) -> dict[str, Any]:
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
