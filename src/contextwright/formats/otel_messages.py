"""Messages as OpenTelemetry's GenAI conventions have them: `{"role", "parts"}`, a part with its
`type` (github.com/open-telemetry/semantic-conventions-genai, in development)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.formats.fields import Json, value_of
from contextwright.session.event import (
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)


def otel_messages(request: Json) -> dict[str, str]:
    """The attributes of a span that show what a request says, as JSON text.

    Returns:
        `gen_ai.input.messages`, and where there are any `gen_ai.system_instructions` and
        `gen_ai.tool.definitions`.

    Raises:
        SessionError: the request is in no format that is known.
    """
    from contextwright.formats import read_session

    session = read_session(request)
    events = list(session.log)
    instructions = [part for event in events if event.role == "system" for part in parts_of(event)]
    messages = [
        {"role": event.role, "parts": parts_of(event)} for event in events if event.role != "system"
    ]
    tools = [
        {"type": "function", "name": tool.name, "description": tool.description}
        | {"parameters": tool.parameters}
        for tool in session.tools
    ]
    fields: dict[str, Sequence[Any]] = {
        "gen_ai.system_instructions": instructions,
        "gen_ai.input.messages": messages,
        "gen_ai.tool.definitions": tools,
    }
    return {name: msgspec.json.encode(value).decode() for name, value in fields.items() if value}


def parts_of(event: Event) -> list[Json]:
    """The parts of a message."""
    return list(map(part_json, event.parts))


def part_json(part: AnyPart) -> Json:
    """A part in the conventions' form; one of a provider's own is generic."""
    match part:
        case Text():
            return {"type": "text", "content": part.text}
        case ToolCall():
            arguments = value_of(part.arguments)
            return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": arguments}
        case ToolResult():
            return {"type": "tool_call_response", "id": part.call_id, "response": part.text}
        case Thinking():
            return {"type": "reasoning", "content": part.text}
        case Image() | File():
            return _media(part)
        case Opaque():
            return {"type": part.kind or "unknown", "format": part.format}


def _media(part: Image | File) -> Json:
    family = part.media_type.partition("/")[0]
    modality = family if family in ("image", "audio", "video") else "document"
    shared = {"modality": modality, "mime_type": part.media_type}
    if part.data:
        return {"type": "blob", **shared, "content": part.data}
    if part.file_id:
        return {"type": "file", **shared, "file_id": part.file_id}
    return {"type": "uri", **shared, "uri": part.url}
