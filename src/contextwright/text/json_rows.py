"""JSON as rows in few words: names once, values as they are, without what identifies nothing.

The short form of a note about what lies far back, where every token is weighed. Truth values stay:
without its `refundable false` an order would read as any other. `json_units` is the form that says
of all that is missing what it is.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from contextwright.json_depth import is_shallow_json
from contextwright.memo.ownership import cached_in_passing
from contextwright.text.cut import beginning

LONG, SHOWN = 80, 60
"""Characters from which on a text value is cut, and what stays of it."""
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\+\d)?")
_is_number = re.compile(r"-?\d+(?:\.\d+)?").fullmatch
_is_seconds = re.compile(r"1\d{9}(?:\d{3})?(?:\.\d+)?").fullmatch
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
_LOGGED = re.compile(r"(?i)(?:created|updated|modified|seen|logged|synced)(?:_?(?:at|on|time))?$")
"""Names of times that a system notes by itself."""
FEW_STAMPS = 2
"""Times that are told: when an appointment begins, and when it ends."""
_NO_BLANKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s"]+|"', re.DOTALL)


@cached_in_passing
def loaded(text: str) -> Any:
    """The JSON that a text of one line is; None for other texts. What is spread over lines is
    read as a file's text: its lines count; what is nested too deep is a text too."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[" or "\n" in stripped:
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value if is_shallow_json(stripped, value) else None


@cached_in_passing
def minimal(text: str) -> str:
    """JSON without the blanks that mean nothing: the same value in fewer tokens."""
    return text if loaded(text) is None else without_blanks(text)


def without_blanks(text: str) -> str:
    """JSON text without the blanks outside its strings; numbers keep their digits."""
    pieces = text.split('"')  # where nothing is escaped, each second one is a string
    if "\\" in text or len(pieces) % 2 == 0:
        return "".join(_NO_BLANKS.findall(text))
    outside = '"'.join(pieces[::2])
    pieces[::2] = "".join(outside.split()).split('"')
    return '"'.join(pieces)


def leaves(value: Any) -> list[tuple[str, Any]]:
    """Every scalar of a JSON value, with its path of names."""
    scalars: list[tuple[str, Any]] = []
    _gather(value, "", scalars.append)
    return scalars


@cached_in_passing
def scalars(text: str) -> tuple[Any, ...]:
    """The values of `leaves` of a JSON text, without their names: several features of a result are
    made of them. None of a text that is not JSON."""
    return tuple([value for _, value in leaves(loaded(text))])


def _gather(value: Any, name: str, put: Callable[[tuple[str, Any]], None]) -> None:
    if isinstance(value, dict):
        pairs: dict[str, Any] = value
        for key, item in pairs.items():
            path = f"{name}.{key}" if name else str(key)
            if isinstance(item, (dict, list)):
                _gather(item, path, put)
            elif item is not None and item != "":
                put((path, item))
    elif isinstance(value, list):
        items: list[Any] = value
        for item in items:
            _gather(item, name, put)
    elif value is not None and value != "":
        put((name, value))


def json_rows(value: Any) -> str:
    """A JSON value as rows; without long prose beyond its beginning, and of tables without columns
    of times of day, which their heads name."""
    return "; ".join(_rows(value, ""))


def values_only(text: str) -> str:
    """JSON to its different values, in their order, under the names of its parts; without truth
    values, times of day and seconds, and of many times without those: a few are what it is about.
    Nothing of a text that is not JSON."""
    value = loaded(text)
    few = _few_stamps(value) if _STAMP.search(text) is not None else frozenset[str]()
    parts: list[tuple[str, Any]] = list(value.items()) if isinstance(value, dict) else [("", value)]
    words: list[str] = []
    known: set[str] = set()
    for name, part in parts:
        scalars = [text for _, leaf in leaves(part) if (text := _value(leaf))]
        new = [
            s
            for s in dict.fromkeys(scalars)
            if s not in known and (s in few or not _STAMP.fullmatch(s))
        ]
        known.update(new)
        if new and name and isinstance(part, (dict, list)):
            words.append(f"{name}:")
        words += new
    return " ".join(words)


def _few_stamps(value: Any) -> frozenset[str]:
    """The times of a value, while they are few, without those that a system notes by itself."""
    every = [leaf for name, leaf in leaves(value) if not _LOGGED.search(name)]
    stamps = frozenset(leaf for leaf in every if isinstance(leaf, str) and _STAMP.fullmatch(leaf))
    return stamps if len(stamps) <= FEW_STAMPS else frozenset()


def _rows(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        pairs: dict[str, Any] = value
        yield from _object(pairs, name)
    elif isinstance(value, list):
        items: list[Any] = value
        flat = [one for item in items for one in (item if isinstance(item, list) else [item])]
        if flat and all(isinstance(item, dict) for item in flat):
            yield from _table(flat, name)
        else:
            scalars = [text for item in flat if (text := _scalar(item))]
            if scalars:
                yield f"{name} {', '.join(scalars)}".strip()
    elif text := _scalar(value):
        yield f"{name} {text}".strip()


def _object(value: dict[str, Any], name: str) -> Iterator[str]:
    if is_map_of_rows(value):
        yield from _table([{"": key, **_unlike(key, item)} for key, item in value.items()], name)
        return
    scalars = [(k, _scalar(v)) for k, v in value.items() if not isinstance(v, (dict, list))]
    pairs = [f"{key} {text}" for key, text in scalars if text]
    if pairs:
        yield (f"{name}: " if name else "") + ", ".join(pairs)
    for key, item in value.items():
        if isinstance(item, (dict, list)):
            yield from _rows(item, key)


def is_map_of_rows(value: dict[str, Any]) -> bool:
    """Whether an object is a table by its keys: several flat objects and nothing else."""
    if len(value) < 2 or set(map(type, value.values())) != {dict}:
        return False
    return not any(map(_nested, value.values()))


def _unlike(key: str, item: dict[str, Any]) -> dict[str, Any]:
    """The fields of an item that its key does not hold already."""
    return {k: v for k, v in item.items() if not (isinstance(v, str) and v and v in key)}


def _nested(value: dict[str, Any]) -> bool:
    return any([isinstance(item, (dict, list)) for item in value.values()])  # noqa: C419


def _table(items: list[Any], name: str) -> Iterator[str]:
    lines = [_row(item) for item in items]
    every = list(dict.fromkeys(key for line in lines for key in line))
    columns = [c for c in every if not _is_of_times(c, lines)] or every
    left = [c for c in every if c not in columns]
    same = [c for c in columns if len(lines) > 1 and len({line.get(c) for line in lines}) == 1]
    head = "/".join(_column_names([c for c in columns if c not in same]))
    common = ", ".join(f"{column} {lines[0][column]}" for column in same)
    rows = (" ".join(line.get(c, "-") for c in columns if c not in same) for line in lines)
    body = " | ".join(dict.fromkeys(rows))
    about = "; ".join([*[common] * bool(common), *[f"without {', '.join(left)}"] * bool(left)])
    yield (f"{name} ({about}) {head}: {body}" if about else f"{name} {head}: {body}").strip()


def _column_names(columns: Sequence[str]) -> Iterator[str]:
    """Columns by their last names; by what each is in, where several have the same one and are
    alone in it: of `start.dateTime` and `end.dateTime` it tells which is which."""
    often = Counter(column.rpartition(".")[2] for column in columns)
    inside = Counter(column.rpartition(".")[0] for column in columns)
    for column in columns:
        outer, _, name = column.rpartition(".")
        is_alone = often[name] > 1 and outer and inside[outer] == 1
        yield outer.rpartition(".")[2] if is_alone else name


def _is_of_times(column: str, lines: Sequence[Mapping[str, str]]) -> bool:
    """Whether a column has nothing but times of day, which identify no row."""
    return all(_TIME.fullmatch(line[column]) for line in lines if column in line)


def _row(item: Any) -> dict[str, str]:
    """The values of a row by their names; of several of one name all, or the ends of many: the last
    alone would look like the only one."""
    cells: dict[str, list[str]] = {}
    for key, value in leaves(item):
        if text := _scalar(value):
            cells.setdefault(key, []).append(text)
    return {key: texts[0] if len(texts) == 1 else _several(texts) for key, texts in cells.items()}


def _several(texts: list[str]) -> str:
    """Several values in a cell: all of few; of many the ends, and of numbers the least and the
    most, without the seconds that stand in front of each in a series."""
    different = list(dict.fromkeys(texts))
    if len(whole := ", ".join(different)) <= LONG:
        return whole
    if len(texts) % 2 == 0 and all(map(_is_seconds, texts[::2])):
        texts = texts[1::2]
    extent = f"{texts[0]}, … {texts[-1]} ({len(texts)} values"
    if all(map(_is_number, texts)):
        extent += f", {min(texts, key=float)} to {max(texts, key=float)}"
    return f"{extent})"


def _scalar(value: Any) -> str:
    """A value behind its name; empty for none, and for what holds others."""
    if value is None or isinstance(value, (dict, list)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if len(text) <= LONG else beginning(text, SHOWN)


def _value(value: Any) -> str:
    """A value that says something without its name."""
    is_named = isinstance(value, bool) or (isinstance(value, str) and _TIME.fullmatch(value))
    return "" if is_named else _scalar(value)
