"""Messages of the Vercel AI SDK as its user interfaces hold them (`UIMessage`): a list, or what
`useChat` posts: `{"id", "messages", "trigger"}`.

An answer is one message with all its steps in it, each call together with its output. Here it
becomes an event for each step and one for each output; the part that begins a step is the border.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from contextwright.formats.document import Document, items_of
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_value,
    list_if,
    object_if,
    text_of,
    value_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.media_part import media_part
from contextwright.formats.message_document import session_of_document, with_fields
from contextwright.formats.openai_chat import data_url, url_of
from contextwright.formats.provenance import write_messages
from contextwright.formats.vercel_reasoning import reasoning_json, thinking_of
from contextwright.session.event import (
    NO_FIELDS,
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
from contextwright.session.session import Session

NAME = "vercel-ai"
LINES = False
KNOWN_KINDS = frozenset({"step-start", "source-url", "source-document", "source", "data"})
_OPEN = ("input-streaming", "input-available", "approval-requested", "approval-responded")
"""States of a call that nothing has come back of."""


def sniff(document: Document) -> bool:
    """Messages with parts of the SDK's types."""
    return most(items_of(document, "messages"), is_message)


def is_message(message: Json) -> bool:
    """Whether a message has the form of a `UIMessage`."""
    parts = list_if(message.get("parts"))
    return message.get("role") in ("system", "user", "assistant") and most(parts, _is_part)


def _is_part(part: Json) -> bool:
    kind = part.get("type")
    if kind in ("text", "reasoning"):
        return isinstance(part.get("text", part.get("reasoning")), str)
    if kind == "file":
        return "mediaType" in part or "mimeType" in part
    known = isinstance(kind, str) and (kind in KNOWN_KINDS or kind.startswith("data-"))
    return known or _tool_fields(part) is not None


def _tool_fields(part: Json) -> tuple[str, Json] | None:
    """The tool's name and the fields of a part that is a call; None for any other part."""
    kind = str(part.get("type"))
    if kind == "tool-invocation":  # the SDK's form before version 5
        inner = object_if(part.get("toolInvocation"))
        return (str(inner.get("toolName") or ""), inner) if inner else None
    if "toolCallId" not in part or not kind.startswith(("tool-", "dynamic-tool")):
        return None
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    return str(name or ""), part


def read(document: Document) -> Session:
    """The session; what stands beside the messages becomes its metadata."""
    return session_of_document(NAME, document, _events, _message)


@exporter(NAME)
def write(session: Session) -> Any:
    """The messages; a document where the session came from one."""
    return with_fields(NAME, session, write_messages(NAME, session.log, _message, _together))


def _together(before: Event, event: Event) -> bool:
    """An answer is one message, with all that the tools gave back on the way to it."""
    return {before.role, event.role} <= {"assistant", "tool"}


def _events(value: Any, where: str) -> list[Event]:
    message = Fields(value, where, ", field ")
    role, id = message.get("role"), message.text("id", "")
    parts = [(Fields(part, at), at) for part, at in message.items("parts")]
    if role in ("system", "user"):
        return [Event(id=id, role=role, parts=tuple(part_of(part, at) for part, at in parts))]
    if role != "assistant":
        raise wrong("a role of system, user or assistant", role, f"{where}, field role")
    steps: list[list[AnyPart]] = [[]]
    results: list[list[ToolResult]] = [[]]
    for part, at in parts:
        tool = _tool_fields(part.whole)
        if tool is not None:
            call, result = _call(*tool, at)
            steps[-1].append(call)
            results[-1] += [result] if result else []
            continue
        if results[-1]:  # what comes behind an output is said with it in view
            steps.append([])
            results.append([])
            if part.get("type") == "step-start":
                continue
        steps[-1].append(part_of(part, at))
    events: list[Event] = []
    for step, outputs in zip(steps, results, strict=True):
        own = "" if events else id
        events.append(Event(id=own, role="assistant", parts=tuple(step)))
        events += [Event(id="", role="tool", parts=(result,)) for result in outputs]
    return events


def _call(name: str, fields: Json, where: str) -> tuple[ToolCall, ToolResult | None]:
    tool = Fields(fields, where)
    id, values = tool.text("toolCallId", ""), fields.get("input", fields.get("args"))
    marks: Json = {"dynamic": True} if tool.get("type") == "dynamic-tool" else {}
    call = ToolCall(
        id=id,
        name=name,
        arguments=text_of({} if values is None else values),
        extra={NAME: marks} if marks else NO_FIELDS,
    )
    state = tool.get("state")
    if state == "output-error":
        return call, _result(id, name, tool.text("errorText", ""), failed=True)
    if state == "output-denied":
        reason = object_if(tool.get("approval")).get("reason")
        refusal = reason if isinstance(reason, str) else "The user refused this call."
        return call, _result(id, name, refusal, failed=True)
    if state in _OPEN or ("output" not in fields and "result" not in fields):
        return call, None
    return call, _result(id, name, fields.get("output", fields.get("result")))


def _result(id: str, name: str, output: Any, *, failed: bool = False) -> ToolResult:
    is_text = isinstance(output, str)
    text = (
        Text(text=output) if is_text else Text(text=text_of(output), extra={NAME: {"json": True}})
    )
    return ToolResult(call_id=id, name=name, content=(text,), status="error" if failed else "ok")


def part_of(part: Fields, where: str) -> AnyPart:
    """A part that is no call."""
    kind = part.text("type", "")
    if kind == "text":
        return Text(text=part.text("text"))
    if kind == "reasoning":
        text = part.text("text" if "text" in part.whole else "reasoning", "")
        return thinking_of(text, part.get("providerMetadata"))
    url = part.get("url")
    if kind == "file" and isinstance(url, str):
        return _file(part, url)
    return Opaque(format=NAME, kind="data" if kind.startswith("data-") else kind, value=part.whole)


def _file(part: Fields, url: str) -> Image | File:
    _, data = data_url(url)
    named = part.text("mediaType", "") or part.text("mimeType", "") or "application/octet-stream"
    return media_part(named, data=data, url="" if data else url, name=part.text("filename", ""))


def _message(events: Sequence[Event]) -> Json:
    waiting: dict[str, list[ToolResult]] = {}
    for result in (result for event in events for result in event.results):
        waiting.setdefault(result.call_id, []).append(result)
    ahead = Counter(call.id for event in events for call in event.calls)
    calls: dict[str, ToolCall] = {}
    parts: list[Json] = []
    for place, event in enumerate(events):
        if event.role == "assistant" and place and events[place - 1].role == "tool":
            parts.append({"type": "step-start"})
        for part in event.parts:
            if isinstance(part, ToolCall):
                calls[part.id] = part
                ahead[part.id] -= 1
                own = waiting.get(part.id)
                parts.append(_call_json(part, own.pop(0) if own else None))
            elif isinstance(part, ToolResult):
                own = waiting[part.call_id]
                if own and own[0] is part and not ahead[part.call_id]:
                    parts.append(_further_json(own.pop(0), calls))
            elif (wire := _part_json(part)) is not None:
                parts.append(wire)
    parts += [_further_json(result, calls) for own in waiting.values() for result in own]
    role = "assistant" if events[0].role == "tool" else events[0].role
    # a message may have none while it is read: 0 differs from all that it may say instead
    return {"id": events[0].id or 0, "role": role, "parts": parts}


def _further_json(result: ToolResult, calls: dict[str, ToolCall]) -> Json:
    """A result whose call is not here, or has a result already: an output stands with its call."""
    call = ToolCall(id=result.call_id, name=result.name or "tool")
    return _call_json(calls.get(result.call_id, call), result)


def _call_json(call: ToolCall, result: ToolResult | None) -> Json:
    dynamic = call.extra.get(NAME, {}).get("dynamic")
    kind = {"type": "dynamic-tool", "toolName": call.name} if dynamic else {}
    part: Json = {"type": f"tool-{call.name}", **kind, "toolCallId": call.id}
    part["input"] = call_value(call.arguments)
    if result is None:
        return {**part, "state": "input-available"}
    if result.status != "ok":
        return {**part, "state": "output-error", "errorText": result.text}
    own = result.content[0].extra.get(NAME, {}) if len(result.content) == 1 else {}
    output = value_of(result.text) if own.get("json") else result.text
    return {**part, "state": "output-available", "output": output}


def _part_json(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return reasoning_json(part, "providerMetadata")
        case Image() | File() if part.data or part.url:
            named = {"filename": part.name} if isinstance(part, File) and part.name else {}
            url = url_of(part)
            return {"type": "file", "mediaType": part.media_type, **named, "url": url}
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None
