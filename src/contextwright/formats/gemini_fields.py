"""What a Gemini part says beside the fields that a part of ours has: a file's name, a film's cut, a
picture's resolution. It stays in the part's `extra`, and goes back to Gemini with the part."""

from typing import Any

from contextwright.formats.fields import Json, object_if

OTHER_FIELDS = "beside"
"""In `extra["gemini"]` of a part: its other fields, with what its own objects hold beside."""
_INNER = {
    "function_call": ("id", "name", "args"),
    "inline_data": ("mime_type", "data"),
    "file_data": ("mime_type", "file_uri"),
}
"""What a part of ours has of the objects in a part."""
_OWN = ("text", "thought", "thought_signature", "function_response", *_INNER)


def fields_beside(part: Json) -> Json:
    """The fields of a part that no part of ours has. A file's are there, and may be none: it came
    as one by its address, wherever that is."""
    rest = _others(part, _OWN)
    for name, known in _INNER.items():
        inner = next((part[key] for key in _spellings(name) if key in part), None)
        if isinstance(inner, dict):
            others = _others(object_if(inner), known)
            if others or name == "file_data":
                rest[name] = others
    return rest


def with_fields_beside(wire: Json, came_with: Any) -> Json:
    """A part as it is sent, with the fields that it came with."""
    fields = object_if(came_with)
    inner = {key: {**fields[key], **wire[key]} for key in fields.keys() & _INNER & wire.keys()}
    others = {key: item for key, item in fields.items() if key not in _INNER}
    return {**others, **wire, **inner}


def _others(value: Json, known: tuple[str, ...]) -> Json:
    own = {name for key in known for name in _spellings(key)}
    return {key: item for key, item in value.items() if key not in own and item is not None}


def _spellings(snake: str) -> tuple[str, str]:
    head, *rest = snake.split("_")
    return snake, head + "".join(map(str.title, rest))
