"""What a request says of how its tools are called, where it has none: providers refuse that."""

from collections.abc import Mapping
from typing import Any

from contextwright.formats.fields import Json, object_if

_LOOSE = frozenset({"auto", "none"})
_CALLING = ("function_calling_config", "functionCallingConfig")


def without_idle_choice(request: Mapping[str, Any]) -> Json:
    """The fields of a request, without those that say how tools are called where none is there. A
    call that is asked for stays: that it can not be made is the provider's to say."""
    if request.get("tools"):
        return dict(request)
    return {key: value for key, value in request.items() if not is_idle(key, value)}


def is_idle(key: str, value: Any) -> bool:
    """Whether a field of a request says nothing where it has no tools."""
    if key in ("tools", "parallel_tool_calls"):
        return True
    fields = object_if(value)
    if key == "tool_choice":
        return (fields.get("type") if fields else value) in _LOOSE
    if key not in ("tool_config", "toolConfig") or len(fields) != 1:
        return False
    modes = (object_if(fields.get(name)).get("mode") for name in _CALLING)
    return str(next(filter(None, modes), "")).lower() in _LOOSE
