"""How a dump of google-adk is spelled: camelCase or snake_case, nulls or none, base64 alphabet."""

import re
from typing import Any, cast

import msgspec

_PART = {
    key: key
    for key in (
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
        "videoMetadata",
    )
}
_INSIDE: dict[str, dict[str, str]] = {
    "session": {},
    "event": {"content": "content", "actions": "actions"},
    "actions": {"compaction": "compaction"},
    "compaction": {"compactedContent": "content"},
    "content": {"parts": "part"},
    "part": _PART,
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

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return msgspec.to_builtins(self)

    @staticmethod
    def of(data: Any) -> "Wire":
        """From plain data."""
        return Wire() if data is None else msgspec.convert(data, Wire)


def spelling_of(session: dict[str, Any], events: list[Any]) -> Wire:
    """The spelling of a dump, told from its first events."""
    fields: dict[str, list[str]] = {}
    _note_fields(session, "session", fields)
    for event in events[:64]:
        _note_fields(event, "event", fields)
    first: Any = next((event for event in events if isinstance(event, dict)), {})
    snake = "app_name" in session or "invocation_id" in first
    return Wire(snake, any(_is_standard64(event) for event in events), fields)


def _note_fields(value: Any, kind: str, fields: dict[str, list[str]]) -> None:
    if isinstance(value, list):
        for item in cast(list[Any], value):
            _note_fields(item, kind, fields)
    if not isinstance(value, dict):
        return
    whole = cast(dict[str, Any], value)
    known = fields.setdefault(kind, [])
    known += [name for key in whole if whole[key] is None and (name := camel(key)) not in known]
    for key, item in whole.items():
        inner = _INSIDE[kind].get(camel(key))
        if inner:
            _note_fields(item, inner, fields)


def _is_standard64(event: Any) -> bool:
    content: Any = event.get("content") if isinstance(event, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    parts: Any = cast(dict[str, Any], content).get("parts") if isinstance(content, dict) else None
    for part in cast(list[Any], parts) if isinstance(parts, list) else ():
        blob = get(part, "inlineData")
        data = get(blob, "data")
        if isinstance(data, str) and ("+" in data or "/" in data):
            return True
    return False


def get(value: Any, key: str) -> Any:
    """The value under a key, in either spelling; None where there is none."""
    if not isinstance(value, dict):
        return None
    whole = cast(dict[str, Any], value)
    return whole[key] if key in whole else whole.get(snake(key))


def from_wire(part: Any) -> Any:
    """A part in Gemini's own spelling: camelCase, no nulls, standard base64."""
    return _recoded(_plain(part, "part"), "-_", "+/")


def _plain(value: Any, kind: str) -> Any:
    if not isinstance(value, dict):
        return value
    whole = cast(dict[str, Any], value)
    named = {camel(key): item for key, item in whole.items() if item is not None}
    return {
        key: _plain(item, _INSIDE[kind][key]) if key in _INSIDE[kind] else item
        for key, item in named.items()
    }


def to_wire(value: Any, wire: Wire, kind: str = "event") -> Any:
    """An object of this kind in the spelling of a dump."""
    if isinstance(value, list):
        return [to_wire(item, wire, kind) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    whole = cast(dict[str, Any], value)
    if kind == "part" and not wire.standard64:
        whole = _recoded(whole, "+/", "-_")
    whole = whole | {key: None for key in wire.fields.get(kind, ()) if key not in whole}
    written: dict[str, Any] = {}
    for key, item in whole.items():
        inner = _INSIDE[kind].get(key)
        name = snake(key) if wire.snake else key
        written[name] = to_wire(item, wire, inner) if inner else item
    return written


def _recoded(part: Any, old: str, new: str) -> Any:
    """A part with its bytes in another base64 alphabet."""
    if not isinstance(part, dict):
        return part
    whole = dict(cast(dict[str, Any], part))
    table = str.maketrans(old, new)
    if isinstance(whole.get("thoughtSignature"), str):
        whole["thoughtSignature"] = whole["thoughtSignature"].translate(table)
    blob = whole.get("inlineData")
    if isinstance(blob, dict) and isinstance(blob.get("data"), str):  # pyright: ignore[reportUnknownMemberType]
        whole["inlineData"] = {**cast(dict[str, Any], blob), "data": blob["data"].translate(table)}
    return whole


def snake(key: str) -> str:
    """`invocationId` as `invocation_id`."""
    return re.sub("([A-Z])", lambda match: "_" + match[0].lower(), key)


def camel(key: str) -> str:
    """`invocation_id` as `invocationId`."""
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), key)
