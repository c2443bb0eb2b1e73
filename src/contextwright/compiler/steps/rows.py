"""JSON as rows: names once, values as they are, without what identifies nothing."""

import re
from collections.abc import Iterator
from typing import Any

from contextwright.compiler.steps.exchange_features import leaves, loaded

_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\+\d)?")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
LONG, KEPT = 80, 60
"""Characters from which a text value is cut, and what stays of it."""


def json_rows(value: Any) -> str:
    """A JSON value as rows; without truth values, times of day, long prose beyond its beginning."""
    return "; ".join(_rows(value, ""))


def values_only(text: str) -> str:
    """JSON to its different values, in their order, under the names of its parts; without truth
    values, times of day and seconds. Nothing of a text that is not JSON."""
    value = loaded(text)
    parts: list[tuple[str, Any]] = list(value.items()) if isinstance(value, dict) else [("", value)]
    found: list[str] = []
    known: set[str] = set()
    for name, part in parts:
        told = [text for _, leaf in leaves(part) if (text := _scalar(leaf))]
        new = [one for one in dict.fromkeys(told) if one not in known and not _STAMP.fullmatch(one)]
        known.update(new)
        if new and name and isinstance(part, (dict, list)):
            found.append(f"{name}:")
        found += new
    return " ".join(found)


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
            told = [text for item in flat if (text := _scalar(item))]
            if told:
                yield f"{name} {', '.join(told)}".strip()
    elif text := _scalar(value):
        yield f"{name} {text}".strip()


def _object(value: dict[str, Any], name: str) -> Iterator[str]:
    if len(value) > 1 and all(isinstance(v, dict) and not _nested(v) for v in value.values()):
        yield from _table([{"": key, **_unlike(key, item)} for key, item in value.items()], name)
        return
    scalars = [(k, _scalar(v)) for k, v in value.items() if not isinstance(v, (dict, list))]
    told = [f"{key} {text}" for key, text in scalars if text]
    if told:
        yield (f"{name}: " if name else "") + ", ".join(told)
    for key, item in value.items():
        if isinstance(item, (dict, list)):
            yield from _rows(item, key)


def _unlike(key: str, item: dict[str, Any]) -> dict[str, Any]:
    """What an item says beyond its key."""
    return {k: v for k, v in item.items() if not (isinstance(v, str) and v and v in key)}


def _nested(value: dict[str, Any]) -> bool:
    return any(isinstance(item, (dict, list)) for item in value.values())


def _table(items: list[Any], name: str) -> Iterator[str]:
    lines = [dict(_told(item)) for item in items]
    columns = list(dict.fromkeys(key for line in lines for key in line))
    same = [c for c in columns if len(lines) > 1 and len({line.get(c) for line in lines}) == 1]
    head = "/".join(c.rsplit(".", 1)[-1] for c in columns if c not in same)
    common = ", ".join(f"{column} {lines[0][column]}" for column in same)
    told = (" ".join(line.get(c, "-") for c in columns if c not in same) for line in lines)
    body = " | ".join(dict.fromkeys(told))
    yield f"{name} ({common}) {head}: {body}" if common else f"{name} {head}: {body}".strip()


def _told(item: Any) -> Iterator[tuple[str, str]]:
    for key, value in leaves(item):
        if text := _scalar(value):
            yield key, text


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, (bool, dict, list)):
        return ""
    text = str(value)
    if _TIME.fullmatch(text):
        return ""
    return text if len(text) <= LONG else text[:KEPT] + "\u2026"
