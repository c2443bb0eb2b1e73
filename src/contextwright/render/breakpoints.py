"""Breakpoints of ours beside a caller's own (rules.md#caching): in all no more than the cache has,
none in front of one that lasts longer."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.tokens.model_rules import CacheRules

REACH = 2
"""Parts by which two breakpoints stand nearer than a cache looks back: a long loop needs a second
one, and what comes next is no reason to miss it."""
BREAKPOINT = {"type": "ephemeral"}
MARKABLE = {"text", "tool_result", "tool_use", "image", "document"}
_Place = tuple[str, int, int]


def reach_of(rules: CacheRules) -> int:
    """Parts between two breakpoints; 0 where one is enough."""
    return max(0, rules.look_back - REACH)


class MarkedTask(msgspec.Struct, frozen=True, eq=False):
    """The first message of a request with a breakpoint behind the task.

    Args:
        part: of it, behind which the breakpoint stands.
        marked: with it; the same object in each request that begins with that message.
    """

    part: int
    marked: Json


def with_breakpoints(
    context: Json,
    tail: Json | None,
    body: Mapping[str, Any],
    rules: CacheRules,
    task: MarkedTask | None = None,
) -> Json:
    """The context with a breakpoint behind what will stand there again, one within reach of its
    look-back, one behind the system text, and one behind the task, as far as the caller's leave
    room.

    Args:
        context: messages, system and tools.
        tail: the part that will not stand there again.
        body: the request's fields; a `cache_control` of its own counts as one.
        rules: of the model's cache.
        task: the first message with its task marked, where that is long enough.
    """
    parts = list(_parts(context))
    own = [n for n, (_, part) in enumerate(parts) if object_if(part).get("cache_control")]
    room = rules.breakpoints - len(own) - bool(body.get("cache_control"))
    longest = max((n for n in own if _lasts(parts[n][1])), default=-1)
    behind = None if task is None else ("messages", 0, task.part)
    wanted = dict.fromkeys(_wanted(parts, tail, reach_of(rules)))
    wanted.update((n, None) for n, (place, _) in enumerate(parts) if place == behind)
    free = [n for n in wanted if n > longest and n not in own]
    places = [parts[n][0] for n in free[: max(0, room)]]
    if task is not None and behind in places:
        places.remove(behind)
        context = {**context, "messages": [task.marked, *context["messages"][1:]]}
    for place in places:
        context = _marked(context, place)
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


def _wanted(parts: list[tuple[_Place, Json]], tail: Json | None, reach: int) -> list[int]:
    stop = next((n for n, (_, part) in enumerate(parts) if part is tail), len(parts))
    markable = [n for n in range(stop) if parts[n][1].get("type") in MARKABLE]
    lasting = [n for n in markable if parts[n][0][0] == "messages"]
    system = [n for n in markable if parts[n][0][0] == "system"]
    earlier = lasting[-reach : len(lasting) - reach + 1] if 0 < reach < len(lasting) else []
    return [*lasting[-1:], *system[-1:], *earlier]


def _marked(context: Json, place: _Place) -> Json:
    key, at, number = place
    if key == "system":
        return {**context, key: with_mark(_content(context[key]), number)}
    messages = list(context[key])
    content = with_mark(_content(messages[at]["content"]), number)
    messages[at] = {**messages[at], "content": content}
    return {**context, key: messages}


def with_mark(parts: list[Json], number: int) -> list[Json]:
    """Parts with a breakpoint behind one of them."""
    return [
        {**part, "cache_control": BREAKPOINT} if place == number else part
        for place, part in enumerate(parts)
    ]
