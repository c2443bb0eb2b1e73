"""What pydantic-ai tells from an agent's history beside what was said: tools that were found or
added, capabilities that were loaded, settings that changed. It stays so where the message that told
it is not sent any more. And which of its prompts no user wrote: what a tool said beside its result
(`ToolReturn(content=...)`), or put there while it ran."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pydantic_ai.messages import (
    CapabilityLoadDeltaPart,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelSettingsDeltaPart,
    NativeToolSearchReturnPart,
    ToolAvailabilityDeltaPart,
    ToolReturnPart,
    ToolSearchReturnPart,
    post_compaction_window,
)

from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.opaque_parts import like

_SEARCHES = (ToolSearchReturnPart, NativeToolSearchReturnPart)


def content_with(part: Any, text: str) -> Any:
    """A copy of a part with another text; data stays data where the text is JSON still, and the
    pictures of a result stay. A plain result, where the framework would not find in it the data
    that it reads there."""
    files = getattr(part, "files", ())
    content = [text, *files] if files else like(part.content, text)
    is_read = isinstance(part, ToolSearchReturnPart | LoadCapabilityReturnPart)
    if not is_read or isinstance(content, dict):
        return replace(part, content=content)
    same = {name: getattr(part, name) for name in ("metadata", "timestamp", "outcome")}
    return ToolReturnPart(part.tool_name, content, part.tool_call_id, **same)


class HistoryRecords:
    """What the records of a history say now. An instruction that changed is a message of its own.

    Args:
        messages: oldest first.
    """

    def __init__(self, messages: Sequence[ModelMessage]) -> None:
        self._now: dict[str, Any] = {}
        calls: dict[str, str | None] = {}
        for part in chain.from_iterable(one.parts for one in post_compaction_window(messages)):
            if isinstance(part, LoadCapabilityCallPart):
                calls[part.tool_call_id] = part.capability_id
            self._now |= dict.fromkeys(_subjects(part, calls), part)

    def told_in(self, sent: list[ModelMessage]) -> list[ModelMessage]:
        """The messages of a compiled body with what they do not tell any more, in the first request
        of them."""
        left = HistoryRecords(sent)._now
        lost = [key for key in self._now if key not in left]
        now = (one for key, one in self._now.items() if left.get(key) is not one)
        parts = [*_records(lost), *(one for one in now if isinstance(one, ModelSettingsDeltaPart))]
        place = next((n for n, each in enumerate(sent) if isinstance(each, ModelRequest)), None)
        if not parts or place is None:
            return sent
        first = replace(sent[place], parts=[*sent[place].parts, *parts])
        return [*sent[:place], first, *sent[place + 1 :]]


def _subjects(part: Any, calls: dict[str, str | None]) -> Iterator[str]:
    """What a part is a record of."""
    if isinstance(part, ToolAvailabilityDeltaPart):
        yield from (f"tool {name}" for name in part.tools_added)
    elif isinstance(part, _SEARCHES):
        yield from (f"tool {tool['name']}" for tool in part.discovered_tools)
    elif isinstance(part, CapabilityLoadDeltaPart):
        yield from (f"capability {id}" for id in part.loaded)
    elif isinstance(part, LoadCapabilityReturnPart) and calls.get(part.tool_call_id):
        yield f"capability {calls[part.tool_call_id]}"
    elif isinstance(part, ModelSettingsDeltaPart):
        yield f"settings {part.top_level}"


def _records(lost: Sequence[str]) -> list[Any]:
    """Parts that say what is lost; a capability is loaded before its tools are shown."""
    names = [key.partition(" ") for key in lost]
    loaded = CapabilityLoadDeltaPart(loaded=[n for kind, _, n in names if kind == "capability"])
    added = ToolAvailabilityDeltaPart(tools_added=[n for kind, _, n in names if kind == "tool"])
    return [*([loaded] if loaded.loaded else []), *([added] if added.tools_added else [])]


def of_tools_too(mapping: PartedMessages, history: Sequence[ModelMessage]) -> PartedMessages:
    """A mapping that knows which of a history's prompts are of tools: those of requests that answer
    calls of their own run. What a user says behind results that were deferred begins another run,
    and requests that became one name none."""
    requests: set[int] = set()
    run: str | None = None
    for message in history:
        if isinstance(message, ModelResponse):
            run = message.run_id
        elif run and message.run_id == run and any(map(_answers, message.parts)):
            requests.add(id(message))
    return mapping.with_words_of_tools(lambda message: id(message) in requests)


def _answers(part: Any) -> bool:
    is_retry = getattr(part, "part_kind", "") == "retry-prompt" and bool(part.tool_name)
    return is_retry or isinstance(part, ToolReturnPart)
