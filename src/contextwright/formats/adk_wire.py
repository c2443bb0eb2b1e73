"""How a dump of google-adk is spelled: camelCase or snake_case, nulls or none, base64 alphabet."""

import re
from typing import Any

import msgspec

from contextwright.formats.fields import Json, list_if, object_if

_PART = (
    "functionCall", "functionResponse", "inlineData", "fileData", "executableCode",
    "codeExecutionResult", "videoMetadata",
)  # fmt: skip
_INSIDE: dict[str, dict[str, str]] = {
    "session": {},
    "event": {"content": "content", "actions": "actions"},
    "actions": {"compaction": "compaction"},
    "compaction": {"compactedContent": "content"},
    "content": {"parts": "part"},
    "part": {kind: kind for kind in _PART},
    **{kind: {} for kind in _PART},
}
"""What stands under which key of which kind of object; anything else is the user's own data,
whose keys are never respelled."""


class Wire(msgspec.Struct, frozen=True):
    """The spelling of one dump.

    Args:
        snake: `invocation_id` rather than `invocationId`.
        standard64: `+/` rather than pydantic's own `-_`.
        fields: for each kind of object, the keys that are dumped as null.
    """

    snake: bool = False
    standard64: bool = False
    fields: dict[str, list[str]] = {}


def spelling_of(session: Json, events: list[Any]) -> Wire:
    """The spelling of a dump, told from its first events."""
    fields: dict[str, list[str]] = {}
    _note_fields(session, "session", fields)
    for event in events[:64]:
        _note_fields(event, "event", fields)
    first = next((event for event in events if isinstance(event, dict)), object_if(None))
    snake = "app_name" in session or "invocation_id" in first
    return Wire(snake, any(map(_is_standard64, events)), fields)


def _note_fields(value: Any, kind: str, fields: dict[str, list[str]]) -> None:
    for item in list_if(value):
        _note_fields(item, kind, fields)
    if not isinstance(value, dict):
        return
    known = fields.setdefault(kind, [])
    for key, item in object_if(value).items():
        name = camel(key)
        if item is None and name not in known:
            known.append(name)
        elif inner := _INSIDE[kind].get(name):
            _note_fields(item, inner, fields)


def _is_standard64(event: Any) -> bool:
    parts = list_if(object_if(object_if(event).get("content")).get("parts"))
    blobs = (get(get(part, "inlineData"), "data") for part in parts)
    return any(isinstance(data, str) and ("+" in data or "/" in data) for data in blobs)


def get(value: Any, key: str) -> Any:
    """The value under a key, in either spelling; None where there is none."""
    whole = object_if(value)
    return whole[key] if key in whole else whole.get(snake(key))


def from_wire(part: Any) -> Any:
    """A part in Gemini's own spelling: camelCase, no nulls, standard base64."""
    return _recoded(_plain(part, "part"), "-_", "+/")


def _plain(value: Any, kind: str) -> Any:
    if not isinstance(value, dict):
        return value
    items = object_if(value).items()
    named = {camel(key): item for key, item in items if item is not None}
    inside = _INSIDE[kind]
    return {k: _plain(item, inside[k]) if k in inside else item for k, item in named.items()}


def to_wire(value: Any, wire: Wire, kind: str = "event") -> Any:
    """An object of this kind in the spelling of a dump."""
    if isinstance(value, list):
        return [to_wire(item, wire, kind) for item in list_if(value)]
    if not isinstance(value, dict):
        return value
    whole = object_if(value)
    if kind == "part" and not wire.standard64:
        whole = _recoded(whole, "+/", "-_")
    whole = whole | {key: None for key in wire.fields.get(kind, ()) if key not in whole}
    written: Json = {}
    for key, item in whole.items():
        inner = _INSIDE[kind].get(key)
        name = snake(key) if wire.snake else key
        written[name] = to_wire(item, wire, inner) if inner else item
    return written


def _recoded(part: Any, old: str, new: str) -> Any:
    """A part with its bytes in another base64 alphabet."""
    if not isinstance(part, dict):
        return part
    whole = dict(object_if(part))
    table = str.maketrans(old, new)
    if isinstance(whole.get("thoughtSignature"), str):
        whole["thoughtSignature"] = whole["thoughtSignature"].translate(table)
    blob = object_if(whole.get("inlineData"))
    if isinstance(blob.get("data"), str):
        whole["inlineData"] = {**blob, "data": blob["data"].translate(table)}
    return whole


def snake(key: str) -> str:
    """`invocationId` as `invocation_id`."""
    return re.sub("([A-Z])", lambda match: "_" + match[0].lower(), key)


def camel(key: str) -> str:
    """`invocation_id` as `invocationId`."""
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), key)
