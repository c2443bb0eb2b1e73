"""What a request of ADK's holds beside the conversation: a dynamic instruction, loaded artifacts,
memories, a delegated task. No event has it, so nobody else would send it."""

from collections.abc import Iterator
from typing import Any

from google.adk.events import Event
from google.genai import types

from contextwright.adapters.adk.visible_events import parts_of

QUOTED = "For context:"
"""How ADK begins what it tells an agent of another one's events."""


def extra_contents(
    contents: list[types.Content], events: list[Event]
) -> list[tuple[types.Content, int]]:
    """The contents that stem from no event, each with how many of the conversation follow it;
    -1 where all of them do."""
    payloads = {payload for event in events for payload in _payloads(_payload_parts(event))}
    outputs = _outputs(events)
    own = [_is_extra(content, payloads, outputs) for content in contents]
    extras: list[tuple[types.Content, int]] = []
    for place, content in enumerate(contents):
        if own[place]:
            first = all(own[:place])
            extras.append((content, -1 if first else own[place:].count(False)))
    return extras


def put_extra_contents(
    contents: list[types.Content], added: list[tuple[types.Content, int]]
) -> list[types.Content]:
    """The contents with those added, as far from the end as they were. None comes between a
    tool's call and its result."""
    front = [content for content, after in added if after < 0]
    places: dict[int, list[types.Content]] = {}
    for content, after in added:
        if after >= 0:
            place = max(0, len(contents) - after)
            while place < len(contents) and _has_result(contents[place]):
                place += 1
            places.setdefault(place, []).append(content)
    out = front
    for place, content in enumerate(contents):
        out += [*places.get(place, ()), content]
    return out + places.get(len(contents), [])


def _is_extra(content: types.Content, payloads: set[Any], outputs: list[str]) -> bool:
    parts = content.parts or []
    if content.role != "user" or not parts:
        return False
    if any(part.function_response or part.function_call for part in parts):
        return False
    text = parts[0].text or ""
    if text.startswith(QUOTED) or any(output in text for output in outputs):
        return False
    return not payloads.issuperset(_payloads(parts))


def _payload_parts(event: Event) -> list[types.Part]:
    """Its parts, and those that ADK makes of a summary or of what was spoken."""
    parts = list(parts_of(event))
    compaction = event.actions.compaction
    if compaction and compaction.compacted_content:
        parts += compaction.compacted_content.parts or []
    for spoken in (event.input_transcription, event.output_transcription):
        if spoken and spoken.text:
            parts.append(types.Part(text=spoken.text))
    return parts


def _outputs(events: list[Event]) -> list[str]:
    """What code gave that ran for a model: ADK tells it in other words."""
    results = (part.code_execution_result for event in events for part in parts_of(event))
    return [result.output for result in results if result and result.output]


def _payloads(parts: list[types.Part]) -> Iterator[Any]:
    for part in parts:
        if part.text:
            yield part.text
        if part.inline_data:
            yield part.inline_data.data
        if part.file_data:
            yield part.file_data.file_uri


def _has_result(content: types.Content) -> bool:
    return any(part.function_response for part in content.parts or ())
