"""What a source said beside the typed fields, found by difference.

A reader makes typed values of a record, its writer makes a record of them again, and what the
two records differ in is the residue: kept in `extra`, laid over the written record on export.
So an export gives back what was imported, whatever a reader knows of the format. Keys beside
the typed ones stand in the residue as they stood in the source.
"""

from collections.abc import Mapping
from typing import Any, cast

ABSENT = "$absent"
"""Key of a residue: names the keys that writing adds and the source did not have."""
ITEMS = "$items"
"""Key of a residue: the residues of a list's items, by place, where the two are as long."""
WHOLE = "$whole"
"""Key of a residue: the source's value, where the two are of different kinds or lengths."""

_MARKS = {ABSENT, ITEMS, WHOLE}


def residue(written: Any, source: Any) -> dict[str, Any]:
    """What turns `written` into `source`; empty where they are the same JSON data."""
    if isinstance(written, dict) and isinstance(source, dict) and not _marked(source):
        return _difference(cast(dict[str, Any], written), cast(dict[str, Any], source))
    if isinstance(written, list) and isinstance(source, list):
        one, other = cast(list[Any], written), cast(list[Any], source)
        if len(one) == len(other):
            inner = {str(n): residue(*pair) for n, pair in enumerate(zip(one, other, strict=True))}
            items = {place: kept for place, kept in inner.items() if kept}
            return {ITEMS: items} if items else {}
    return {} if same(written, source) else {WHOLE: source}


def _difference(written: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in source.items():
        if key not in written:
            found[key] = {WHOLE: value} if _marked(value) else value
        elif inner := residue(written[key], value):
            found[key] = inner
    absent = [key for key in written if key not in source]
    if absent:
        found[ABSENT] = absent
    return found


def _marked(value: Any) -> bool:
    """Whether a source's value could be read as a residue."""
    return isinstance(value, dict) and not value.keys().isdisjoint(_MARKS)  # pyright: ignore[reportUnknownMemberType]


def restored(written: Any, kept: Mapping[str, Any]) -> Any:
    """The source's value: `residue(written, source)` laid over `written`."""
    if not kept:
        return written
    if WHOLE in kept:
        return kept[WHOLE]
    if ITEMS in kept:
        return _with_items(written, kept[ITEMS])
    base: dict[str, Any] = dict(written) if isinstance(written, dict) else {}
    for key in kept.get(ABSENT, ()):
        base.pop(key, None)
    for key, value in kept.items():
        if key == ABSENT:
            continue
        if isinstance(value, dict) and (key in base or _marked(value)):
            base[key] = restored(base.get(key), cast(dict[str, Any], value))
        else:
            base[key] = value
    return base


def _with_items(written: Any, kept: dict[str, Any]) -> Any:
    """A list with the residues of its items; one that has grown shorter since keeps its own."""
    if not isinstance(written, list):
        return written
    whole = cast(list[Any], written)
    return [restored(item, kept.get(str(place), {})) for place, item in enumerate(whole)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON data. `1`, `1.0` and `true` differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        left, right = cast(dict[str, Any], one), cast(dict[str, Any], other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list):
        first, second = cast(list[Any], one), cast(list[Any], other)
        return len(first) == len(second) and all(map(same, first, second))
    return one == other
