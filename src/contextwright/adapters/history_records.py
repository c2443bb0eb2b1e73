"""What pydantic-ai tells from an agent's history beside what was said: tools that were found or
added, capabilities that were loaded, instructions and settings that changed. It stays so where the
message that told it is not sent any more."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pydantic_ai.messages import (
    CachePoint,
    CapabilityLoadDeltaPart,
    CompactionPart,
    InstructionBaselinePart,
    InstructionDeltaPart,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelRequest,
    ModelSettingsDeltaPart,
    NativeToolSearchReturnPart,
    SpeechPart,
    SystemPromptPart,
    ThinkingPart,
    ToolAvailabilityDeltaPart,
    ToolReturnPart,
    ToolSearchReturnPart,
    post_compaction_window,
)

from contextwright.adapters.opaque_parts import like
from contextwright.adapters.part_view import PartView
from contextwright.adapters.port import Body
from contextwright.adapters.redacted_tools import with_words_of_options

_RECORDS = (
    CachePoint,
    CapabilityLoadDeltaPart,
    InstructionBaselinePart,
    InstructionDeltaPart,
    ModelSettingsDeltaPart,
    ToolAvailabilityDeltaPart,
)
"""Parts that record a change, or a place; a model reads the words of an instruction's alone."""
_SEARCHES = (ToolSearchReturnPart, NativeToolSearchReturnPart)
_INSTRUCTION = "instruction "
_OF_CAPABILITY = "instruction capability:"
"""What holds on where a baseline takes the place of all other instructions."""


def record_view(part: Any) -> PartView | None:
    """What an instruction, another record, a summary of a history, a thought or what was spoken is;
    None of any other part."""
    if isinstance(part, SystemPromptPart | InstructionDeltaPart) and part.content:
        return PartView("text", part.content, role="system")
    if isinstance(part, SpeechPart) and part.audio is None:
        return PartView("text", part.transcript or "")
    if isinstance(part, CompactionPart):
        return PartView("own", wire=PartView.own(part).wire, pinned=True)
    if isinstance(part, ThinkingPart):
        return PartView.reasoning(part)
    return PartView("opaque") if isinstance(part, _RECORDS) else None


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
    """What the records of a history say now.

    Args:
        messages: oldest first.

    Attributes:
        options: beside the messages of a body, where a redaction looks at them: the texts of
            instructions that changed, by whose they are.
    """

    def __init__(self, messages: Sequence[ModelMessage]) -> None:
        self._now: dict[str, Any] = {}
        calls: dict[str, str | None] = {}
        for part in chain.from_iterable(one.parts for one in post_compaction_window(messages)):
            if isinstance(part, LoadCapabilityCallPart):
                calls[part.tool_call_id] = part.capability_id
            if isinstance(part, InstructionBaselinePart):
                self._now = dict(filter(_outlives_baseline, self._now.items()))
            self._now |= dict.fromkeys(_subjects(part, calls), part)
        changes = {key: one for key, one in self._now.items() if key.startswith(_INSTRUCTION)}
        texts = {key: one.content for key, one in changes.items() if one.content}
        self.options: dict[str, Any] = {"changes": texts}

    def told_in(self, sent: list[ModelMessage], compiled: Body) -> list[ModelMessage]:
        """The messages of a compiled body with what they do not tell any more, in the first request
        of them."""
        left = HistoryRecords(sent)._now
        lost = {key: one for key, one in self._now.items() if not _is_subjects(one, left.get(key))}
        parts = _records(lost, with_words_of_options(self.options, compiled)["changes"])
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
    elif isinstance(part, InstructionDeltaPart):
        yield f"{_INSTRUCTION}{part.id}"
    elif isinstance(part, ModelSettingsDeltaPart):
        yield f"settings {part.top_level}"


def _outlives_baseline(item: tuple[str, Any]) -> bool:
    return not item[0].startswith(_INSTRUCTION) or item[0].startswith(_OF_CAPABILITY)


def _is_subjects(one: Any, other: Any) -> bool:
    """Whether what is sent tells it: of what changes more than once the newest; its text may be
    redacted."""
    if isinstance(one, InstructionDeltaPart):
        return other is not None and other.base_hash == one.base_hash
    return other is one if isinstance(one, ModelSettingsDeltaPart) else other is not None


def _records(lost: dict[str, Any], instructions: dict[str, str]) -> list[Any]:
    """Parts that say what is lost; a capability is loaded before its tools are shown."""
    names: dict[str, list[str]] = {"capability": [], "tool": []}
    others: list[Any] = []
    for key, one in lost.items():
        kind, _, name = key.partition(" ")
        if kind in names:
            names[kind].append(name)
        else:
            others.append(replace(one, content=instructions[key]) if key in instructions else one)
    loaded = CapabilityLoadDeltaPart(loaded=names["capability"])
    added = ToolAvailabilityDeltaPart(tools_added=names["tool"])
    return [*([loaded] if loaded.loaded else []), *([added] if added.tools_added else []), *others]
