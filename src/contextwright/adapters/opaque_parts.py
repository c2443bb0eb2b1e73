"""Parts that only their framework knows, as data that a context counts and redacts, and back."""

import base64
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from contextwright.formats.record_copies import put_data
from contextwright.memo.ownership import cached_text

KIND = "framework_part"
"""The type of the part of a chat message that stands for one."""
_NOT_SENT = frozenset({"metadata", "raw_representation", "timestamp"})
"""Fields that frameworks have for themselves."""


def data_of(part: Any) -> Any:
    """What a part says, as JSON data; what is neither data nor an object of fields is left out.
    Bytes are a provider's own, which no redaction touches."""
    if part is None or isinstance(part, bool | int | float):
        return part
    if isinstance(part, str):
        return part.value if isinstance(part, Enum) else part
    if isinstance(part, bytes):
        return {"data": base64_of(part)}
    if isinstance(part, Mapping):
        entries = cast("Mapping[Any, Any]", part)
        return {str(key): data_of(value) for key, value in entries.items()}
    if isinstance(part, list | tuple):
        return [data_of(item) for item in cast("list[Any]", part)]
    values = {name: data_of(value) for name, value in _fields(part).items()}
    return {name: value for name, value in values.items() if value is not None} or None


@cached_text
def base64_of(data: bytes) -> str:
    """Bytes in base64; those of the request before from memory."""
    return base64.b64encode(data).decode()


def text_of(value: Any) -> str:
    """A text, or the JSON of data."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def like(value: Any, text: str) -> Any:
    """What a text says in a value's place: data in that of data, as long as it is JSON."""
    if isinstance(value, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def part_with(part: Any, data: Any) -> Any:
    """A copy of a part that says this; what says the same is itself.

    Args:
        data: as `data_of` had it, with other values.
    """
    return put_data(part, data_of(part), data, lambda one: {name: name for name in _fields(one)})


def _fields(part: Any) -> dict[str, Any]:
    """What an object holds, by name."""
    if isinstance(part, type):
        return {}
    if is_dataclass(part):
        own = {field.name: getattr(part, field.name) for field in fields(part)}
    else:
        own = dict(getattr(part, "__dict__", {})) if _is_record(part) else {}
    return {name: own[name] for name in own if not (name.startswith("_") or name in _NOT_SENT)}


def _is_record(part: Any) -> bool:
    """Whether an object is made of its fields: a client, say, has others, and goes in circles."""
    return hasattr(type(part), "model_fields") or hasattr(type(part), "to_dict")
