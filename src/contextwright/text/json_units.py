"""JSON in few tokens: rows stay rows, names are written once, what is missing is named.

A ladder of forms, from all of it (`lossless`) over shorter strings and fewer columns to bare
identifiers; the first that fits is taken, and of the last one as many rows as fit.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from contextwright.json_depth import is_shallow_json
from contextwright.text.json_cells import FORMS, Form, Literal, Scalars, cell, cut_at, keys_of
from contextwright.text.json_fields import MAX_JSON
from contextwright.text.json_rows import is_map_of_rows
from contextwright.text.json_tables import (
    EDGE,
    RANKS,
    Row,
    RowTable,
    class_of,
    rows_of,
    table_units,
    unlike,
)
from contextwright.text.line_selection import Unit

FIELDS: tuple[tuple[int, ...], ...] = ((1, 0), (1, 1), (3,), (4, 0), (5,))
"""Ranks of rows, and of fields by their class: what identifies, the ends of every table, numbers,
words, the other rows, prose."""


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
    return value if isinstance(value, (dict, list)) and is_shallow_json(stripped, value) else None


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


class _Fields:
    """What an object has: its scalars, and the rest.

    Attributes:
        flat: the scalars, empty lists and objects among them.
        scalars: these as they are told.
        nested: the others.
        units: of the scalars, by the form, as far as it matters here, and by where they stand.
    """

    def __init__(self, pairs: Row) -> None:
        self.flat = {k: v for k, v in pairs.items() if not isinstance(v, (dict, list)) or not v}
        self.nested = {k: v for k, v in pairs.items() if k not in self.flat}
        self.scalars = Scalars(list(self.flat.values()))
        self.units: dict[tuple[int, int, int], list[Unit]] = {}
        self._classes: list[int] = []

    @property
    def classes(self) -> list[int]:
        """Of the scalars."""
        if not self._classes:
            self._classes = [class_of(k, v) for k, v in self.flat.items()]
        return self._classes


class _Shared:
    """What the forms of a value have in common, by the ids of what is in it.

    Attributes:
        tables: of its lists; of its objects that are tables by their keys, apart for forms that
            cut strings and the one that does not.
        objects: of the others.
        lists: its lists of scalars.
    """

    def __init__(self) -> None:
        self.tables: dict[tuple[int, bool], RowTable | None] = {}
        self.objects: dict[int, _Fields] = {}
        self.lists: dict[int, Scalars] = {}


class _Builder:
    """Units of a value in one form, in the order of the value.

    Args:
        shared: by the forms of the value.
    """

    def __init__(self, form: Form, shared: _Shared) -> None:
        self.form = form
        self.units: list[Unit] = []
        self._shared = shared
        self._longest = 0

    def says_as_much(self, form: Form) -> bool:
        """Whether another form would have the same units: of the same columns, and with no string
        that it would cut."""
        same = self.form.columns == form.columns and self.form.characters >= form.characters > 0
        return same and self._longest <= form.characters

    def put(self, value: Any, name: str, depth: int, parent: int) -> None:
        """Any value under its name."""
        if isinstance(value, dict):
            self._object(value, name, depth, parent)
        elif isinstance(value, list):
            self._list(value, name, depth, parent)
        else:
            self._longest = max(self._longest, len(value) if isinstance(value, str) else 0)
            label = f"{name}: " if name else ""
            rank = (*FIELDS[class_of(name, value)], depth)
            text = label + cell(value, self.form)
            self.units.append(Unit(text, rank, parent, label=name, noun="fields"))

    def _head(self, text: str, depth: int, parent: int, joint: str = "\n", omits: int = 0) -> int:
        text = "  " * depth + text
        self.units.append(Unit(text, (0, depth), parent, joint, "parts", omits=omits))
        return len(self.units) - 1

    def _object(self, value: Row, name: str, depth: int, parent: int) -> None:
        fields = self._shared.objects.get(id(value))
        if fields is None:
            table = self._table_of_map(value)
            if table is not None:
                self._table(table, name, depth, parent)
                return
            fields = self._shared.objects[id(value)] = _Fields(value)
        if name:
            parent = self._head(f"{name}:", depth, parent, " " if fields.flat else "\n")
        if fields.flat:
            self._fields(fields, depth, parent)
        for key, item in fields.nested.items():
            self.put(item, key, depth + 1 if name else depth, parent)

    def _table_of_map(self, value: Row) -> RowTable | None:
        key = id(value), bool(self.form.characters)
        if key not in self._shared.tables:
            is_table = is_map_of_rows(value)
            items = value.items() if is_table else ()
            rows = [{"key": k, **unlike(k, item, self.form)} for k, item in items]
            self._shared.tables[key] = RowTable(rows) if is_table else None
        return self._shared.tables[key]

    def _fields(self, fields: _Fields, depth: int, parent: int) -> None:
        """Scalars of one object in a line."""
        self._longest = max(self._longest, fields.scalars.longest)
        key = cut_at(self.form, fields.scalars.whole_from), depth, parent
        units = fields.units.get(key)
        if units is None:
            keys, texts = keys_of(list(fields.flat)), fields.scalars.texts(self.form)
            units = fields.units[key] = [
                Unit(f"{key} {text}", (*FIELDS[c], depth), parent, ", ", "fields", label)
                for label, key, text, c in zip(
                    fields.flat, keys, texts, fields.classes, strict=True
                )
            ]
            units[-1] = msgspec.structs.replace(units[-1], joint="\n")
        self.units += units

    def _list(self, value: Sequence[Any], name: str, depth: int, parent: int) -> None:
        tables, key = self._shared.tables, (id(value), True)
        if key not in tables:
            rows = rows_of(value)
            tables[key] = RowTable(rows) if rows else None
        if (table := tables[key]) is not None:
            self._table(table, name, depth, parent)
            return
        if any([isinstance(item, (dict, list)) and item for item in value]):  # noqa: C419
            parent = self._head(f"{name or 'list'} ({len(value)}):", depth, parent)
            for nth, item in enumerate(value):
                self.put(item, f"{nth + 1}", depth + 1, parent)
            return
        parent = self._head(f"{name or 'list'}:", depth, parent, " " if value else "\n")
        scalars = self._shared.lists.get(id(value))
        if scalars is None:
            scalars = self._shared.lists[id(value)] = Scalars(value)
        self._longest = max(self._longest, scalars.longest)
        last = len(value) - 1
        for nth, text in enumerate(scalars.texts(self.form)):
            rank = RANKS["end" if nth < EDGE or nth == last else "row"] + (nth,)
            joint = "\n" if nth == last else ", "
            self.units.append(Unit(text, rank, parent, joint, "items"))

    def _table(self, table: RowTable, name: str, depth: int, parent: int) -> None:
        """Objects as rows below their columns; what is the same in all of them once."""
        form, place = self.form, len(self.units)
        self._longest = max(self._longest, table.longest)
        key = form.columns, cut_at(form, table.whole_from), name, depth, parent, place
        units = table.units.get(key)
        if units is None:
            units = table.units[key] = table_units(table, name, form, depth, parent, place)
        self.units += units
