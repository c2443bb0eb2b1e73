"""Select fields of JSON text (context-algebra.md#projection)."""

import json
import re
from typing import Any

from contextwright.json_depth import is_shallow_json

MAX_JSON = 20_000_000
"""Characters of a text that is parsed; longer ones count as not JSON."""
_FENCED = re.compile(r"\A([^`]*```(?:json)?[ \t]*\n)([^`]*?)(\n[ \t]*```[^`]*)\Z")


def load_json(text: str) -> Any | None:
    """The object or list that a text is, or None for anything else, such as what nests too deep
    for a walk. Key order is kept."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[" or len(stripped) > MAX_JSON:
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value if is_shallow_json(stripped, value) else None


def dump_json(value: Any) -> str:
    """Compact JSON, with the characters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def project_json(text: str, fields: tuple[str, ...], exclude: tuple[str, ...]) -> str | None:
    """The text with only these fields, or without those; None where it is not JSON.

    A field is a name at the top, or a dotted path; lists are walked through. What stands around
    the only code fence of a text stays.
    """
    value = load_json(text)
    if value is None:
        fenced = _FENCED.match(text) if len(text) <= MAX_JSON else None
        inner = project_json(fenced[2], fields, exclude) if fenced else None
        return f"{fenced[1]}{inner}{fenced[3]}" if fenced and inner is not None else None
    paths = [tuple(field.split(".")) for field in fields or exclude]
    return dump_json(_keep(value, paths) if fields else _leave(value, paths))


Paths = list[tuple[str, ...]]


def _keep(value: Any, paths: Paths) -> Any:
    if isinstance(value, list):
        return [_keep(item, paths) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return value
    projected: dict[str, Any] = {}
    items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    for key, item in items.items():
        rest = [path[1:] for path in paths if path[0] == key]
        if rest:
            deeper = [path for path in rest if path]
            projected[key] = item if len(deeper) < len(rest) else _keep(item, deeper)
    return projected


def _leave(value: Any, paths: Paths) -> Any:
    if isinstance(value, list):
        return [_leave(item, paths) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return value
    remainder: dict[str, Any] = {}
    items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    for key, item in items.items():
        rest = [path[1:] for path in paths if path[0] == key]
        if any(not path for path in rest):
            continue
        remainder[key] = _leave(item, rest) if rest else item
    return remainder
