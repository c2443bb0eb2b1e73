"""Breakpoints of ours beside a caller's own (rules.md#caching): at most four in all, none in front
of one that lasts longer."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from contextwright.formats.fields import Json, list_if, object_if

MOST = 4
LOOK_BACK = 18
"""Parts between two breakpoints: the cache looks back 20 blocks, so a long loop needs a
second one."""
BREAKPOINT = {"type": "ephemeral"}
MARKABLE = {"text", "tool_result", "tool_use", "image", "document"}
_Place = tuple[str, int, int]


def with_breakpoints(context: Json, tail: Json | None, body: Mapping[str, Any]) -> Json:
    """The context with a breakpoint behind what will stand there again, one within reach of its
    look-back, and one behind the system text, as far as the caller's leave room.

    Args:
        context: messages, system and tools.
        tail: the part that will not stand there again.
        body: the request's fields; a `cache_control` of its own counts as one.
    """
    parts = list(_parts(context))
    own = [n for n, (_, part) in enumerate(parts) if object_if(part).get("cache_control")]
    room = MOST - len(own) - bool(body.get("cache_control"))
    longest = max((n for n in own if _lasts(parts[n][1])), default=-1)
    wanted = [n for n in _wanted(parts, tail) if n > longest and n not in own]
    for number in wanted[: max(0, room)]:
        context = _marked(context, parts[number][0])
    return context


def _lasts(part: Json) -> bool:
    return object_if(part.get("cache_control")).get("ttl") == "1h"


def _parts(context: Json) -> Iterator[tuple[_Place, Json]]:
    """All that may have a breakpoint, in the order in which a cache reads it."""
    for number, tool in enumerate(list_if(context.get("tools"))):
        yield ("tools", 0, number), tool
    for number, part in enumerate(_content(context.get("system"))):
        yield ("system", 0, number), part
    for at, message in enumerate(context["messages"]):
        for number, part in enumerate(_content(message.get("content"))):
            yield ("messages", at, number), part


def _content(value: Any) -> list[Json]:
    if isinstance(value, str):
        return [{"type": "text", "text": value}] if value else []
    return cast("list[Json]", list_if(value))


def _wanted(parts: list[tuple[_Place, Json]], tail: Json | None) -> list[int]:
    stop = next((n for n, (_, part) in enumerate(parts) if part is tail), len(parts))
    markable = [n for n in range(stop) if parts[n][1].get("type") in MARKABLE]
    lasting = [n for n in markable if parts[n][0][0] == "messages"]
    system = [n for n in markable if parts[n][0][0] == "system"]
    reach = lasting[-LOOK_BACK : 1 - LOOK_BACK] if len(lasting) > LOOK_BACK else []
    return [*lasting[-1:], *system[-1:], *reach]


def _marked(context: Json, place: _Place) -> Json:
    key, at, number = place
    if key == "system":
        return {**context, key: _with_mark(_content(context[key]), number)}
    messages = list(context[key])
    content = _with_mark(_content(messages[at]["content"]), number)
    messages[at] = {**messages[at], "content": content}
    return {**context, key: messages}


def _with_mark(parts: list[Json], number: int) -> list[Json]:
    return [
        {**part, "cache_control": BREAKPOINT} if place == number else part
        for place, part in enumerate(parts)
    ]
