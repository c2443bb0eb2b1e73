"""Arguments of tool calls: JSON text here, objects in formats that parse them."""

import json
from typing import Any, cast


def text_of(value: Any) -> str:
    """JSON text of a value, with its key order."""
    return json.dumps(value, ensure_ascii=False)


def object_of(text: str) -> dict[str, Any] | None:
    """The object that this text says; None where it says something else."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
