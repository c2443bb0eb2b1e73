"""Cache breakpoints that move: a program marks the newest message of each call, and no longer the
one that it marked before. A list that is handed over again and again has those of its newest call,
and no others, in its session's metadata; its messages have none."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from contextwright.formats.fields import Json, list_if, object_if

MOVING = "contextwright.breakpoints"
"""Key of a session's metadata: of each message that is marked now, by its place in the body, its
breakpoints, each by its part's place from the end."""
_CACHE = "cache_control"


def breakpoints_in(message: Any) -> dict[str, Any]:
    """The breakpoints of a message, by the places of its parts from the end."""
    parts = list_if(object_if(message).get("content"))
    count = len(parts)
    marked = ((n, object_if(part).get(_CACHE)) for n, part in enumerate(parts))
    return {str(count - n): mark for n, mark in marked if mark}


def without_breakpoints(message: Any) -> Any:
    """A message whose parts, and those of results, have no breakpoints; the very same object where
    they have none. What calls and results say is left alone."""
    if not isinstance(message, dict):
        return message
    fields = cast(Json, message)
    parts: Any = fields.get("content")
    own = {key: item for key, item in fields.items() if key != _CACHE}
    if isinstance(parts, list):
        own["content"] = list(map(without_breakpoints, cast("list[Any]", parts)))
    return own if own != fields else message


def with_breakpoints_of(message: Json, marks: Mapping[str, Any]) -> Json:
    """A message with these breakpoints, as far as it has parts for them."""
    content: Any = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    parts = list(list_if(content))
    for place, mark in _places(marks, len(parts)):
        if isinstance(parts[place], dict):
            parts[place] = {**parts[place], _CACHE: mark}
    return {**message, "content": parts} if parts else message


def _places(marks: Mapping[str, Any], count: int) -> Iterable[tuple[int, Any]]:
    return ((count - int(key), mark) for key, mark in marks.items() if 0 < int(key) <= count)
