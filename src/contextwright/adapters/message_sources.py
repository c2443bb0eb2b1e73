"""Which chat message was which, before a context and behind it."""

from collections.abc import Sequence
from typing import Any

Wire = dict[str, Any]
"""A message of OpenAI Chat."""


def message_sources(before: Sequence[Wire], after: Sequence[Wire]) -> list[int | None]:
    """Of each chat message that came back, which one it was: the same object, the same call, or
    the next one of its role between two that are known; None for one that was added.

    Args:
        before, after: the chat messages that a context was given, and those that it gave.
    """
    by_object = {id(wire): place for place, wire in enumerate(before)}
    by_key = {key: place for place, wire in enumerate(before) if (key := _key(wire))}
    sources = [by_object.get(id(wire), by_key.get(_key(wire) or "")) for wire in after]
    taken = {source for source in sources if source is not None}
    last = -1
    for place, wire in enumerate(after):
        if sources[place] is None and not _key(wire):
            end = next((s for s in sources[place:] if s is not None), len(before))
            sources[place] = next(
                (
                    number
                    for number in range(last + 1, end)
                    if number not in taken
                    and before[number]["role"] == wire["role"]
                    and not _key(before[number])
                ),
                None,
            )
        known = sources[place]
        last = last if known is None else known
    return sources


def _key(wire: Wire) -> str | None:
    """What tells a chat message with a call or a result from all others."""
    if wire["role"] == "tool":
        return f"result {wire['tool_call_id']}"
    calls = wire.get("tool_calls")
    return f"calls {calls[0]['id']}" if calls else None


def plain_text(content: Any) -> str:
    """The text of a chat message's content."""
    if isinstance(content, str):
        return content
    parts = [part.get("text", "") for part in content or () if part.get("type") == "text"]
    return "\n".join(parts)
