"""Conversations of OpenHands: the events of its SDK, and those of its versions before 1.0.

Events of the SDK say what they are in `kind`; actions that one answer of the model asked for share
its `llm_response_id` and are one message. Condensations are summaries; what they stand for stays.
Older events hold an `action` or an `observation`; they come back as they were read. States,
pauses, and what the agent noted for itself are kept and not shown.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from contextwright.formats.document import Document, body_of, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Fields, Json, list_if, object_if, text_if, text_of
from contextwright.formats.format_evidence import most
from contextwright.formats.openai_chat import image_of, tool_json
from contextwright.formats.openhands_actions import OlderEvents
from contextwright.formats.provenance import EventDraft, RecordReader, in_order
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Role,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "openhands"
LINES = False
_LISTS = ("events", "history", "trajectory")
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_RESULTS = {"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"}
_KINDS = _RESULTS | {
    "SystemPromptEvent", "MessageEvent", "ActionEvent", "Condensation", "CondensationSummaryEvent",
    "ConversationStateUpdateEvent", "CondensationRequest", "PauseEvent", "TokenEvent",
}  # fmt: skip


def sniff(document: Document) -> bool:
    """Whether these are events of OpenHands, in a list, in lines or in the body of a run."""
    return most(items_of(document, *_LISTS), is_message)


def is_message(event: Json) -> bool:
    """Whether an event has the form of the SDK's, or of an older one's."""
    if "source" not in event or "timestamp" not in event:
        return False
    is_older = "id" in event and ("action" in event) != ("observation" in event)
    return event.get("kind") in _KINDS or (is_older and "kind" not in event)


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: there is no list of events, or one breaks the format.
    """
    body, key, _ = body_of(document, *_LISTS)
    reader = _EventReader()
    for at, (value, where) in enumerate(numbered(document, "event", *_LISTS)):
        reader.take(at, value, where)
    header = {name: item for name, item in body.items() if name != key} if key else {}
    id = text_if(body.get("id"), text_if(body.get("instance_id")))
    session = reader.session(id, key=key, header=header)
    session.tools = tuple(reader.schemas)
    return session


class _EventReader(RecordReader):
    """The events so far."""

    format = NAME

    def __init__(self) -> None:
        super().__init__()
        self.schemas: list[Tool] = []
        self._older = OlderEvents()
        self._answers: dict[str, EventDraft] = {}

    def take(self, at: int, value: Any, where: str) -> None:
        """Read the event at this place."""
        event = Fields(value, where, ", field ")
        if "kind" not in event.whole:
            self._take_older(at, event)
            return
        kind = event.text("kind")
        if kind == "SystemPromptEvent":
            self.schemas = list(_tools(event.get("tools")))
        role, parts = _role(kind, event), _parts(kind, event)
        if role is None or not parts:
            self.hide(at, event.whole)
            return
        self._keep(at, event, role, parts, kind, text_if(event.get("llm_response_id")))

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The event of these parts; an older one stands whole in its residue."""
        return {} if shape == "older" else event_json(events[0], shape)

    def _take_older(self, at: int, event: Fields) -> None:
        read = self._older.read(event)
        self.schemas = read.tools or self.schemas
        if read.role is None or not read.parts:
            self.hide(at, event.whole)
        else:
            self._keep(at, event, read.role, read.parts, "older", read.response)

    def _keep(
        self, at: int, event: Fields, role: Role, parts: list[AnyPart], shape: str, response: str
    ) -> None:
        """Give an event's parts to a new message, or to that of the answer which they are of."""
        draft = self._answers.get(response) if role == "assistant" and response else None
        if draft is None or draft is not self.drafts[-1]:
            is_summary = shape.startswith("Condensation")
            id = event.get("id")
            draft = self.draft(
                id if isinstance(id, str) and id else f"event-{at}",
                role,
                time_ms=ms_of_iso(event.get("timestamp")),
                metadata=self.summary() if is_summary else NO_FIELDS,
            )
            self._answers[response] = draft
        named = [self.named(part) if isinstance(part, ToolResult) else part for part in parts]
        self.keep(at, event.whole, [(draft, named)], shape)


def _role(kind: str, event: Fields) -> Role | None:
    if kind in _RESULTS:
        return "tool"
    if kind == "MessageEvent":
        return _ROLES.get(text_if(object_if(event.get("llm_message")).get("role")), "user")
    roles: dict[str, Role] = {
        "SystemPromptEvent": "system",
        "ActionEvent": "assistant",
        "Condensation": "user",
        "CondensationSummaryEvent": "user",
    }
    return roles.get(kind)


def _parts(kind: str, event: Fields) -> list[AnyPart]:
    match kind:
        case "SystemPromptEvent":
            prompts = (event.get("system_prompt"), event.get("dynamic_context"))
            texts = (text_if(object_if(prompt).get("text")) for prompt in prompts)
            return [Text(text=text) for text in texts if text]
        case "MessageEvent":
            message = event.inner("llm_message")
            extended = event.items("extended_content", required=False)
            added = [part for block in extended for part in _content_part(*block)]
            calls = [_call(*item) for item in message.items("tool_calls", required=False)]
            return [*_thoughts(message), *_content(message, "content"), *added, *calls]
        case "ActionEvent":
            call = _call(event.get("tool_call"), event.place("tool_call"))
            return [*_thoughts(event), *_content(event, "thought"), call]
        case "Condensation" | "CondensationSummaryEvent":
            text = event.text("summary", "")
            return [Text(text=text)] if text else []
        case _ if kind in _RESULTS:
            return [_result(kind, event)]
        case _:
            return []


def _thoughts(message: Fields) -> Iterator[Thinking]:
    blocks = list_if(message.get("thinking_blocks"))
    for block in map(object_if, blocks):
        text, signature = text_if(block.get("thinking")), text_if(block.get("signature"))
        redacted = text_if(block.get("data"))
        yield Thinking(text=text, signature=signature, redacted=redacted, provider="anthropic")
    reasoning = message.text("reasoning_content", "")
    if reasoning and not blocks:
        yield Thinking(text=reasoning)


def _content(fields: Fields, key: str) -> list[Text | Image | File | Opaque]:
    if isinstance(fields.get(key), str):
        return [Text(text=fields.text(key))] if fields.get(key) else []
    listed = fields.items(key, required=False)
    return [part for value, where in listed for part in _content_part(value, where)]


def _content_part(value: Any, where: str) -> Iterator[Text | Image | Opaque]:
    block = Fields(value, where)
    if isinstance(block.get("text"), str):
        yield Text(text=block.text("text"))
    elif isinstance(block.get("image_urls"), list):
        urls = [url for url in list_if(block.get("image_urls")) if isinstance(url, str)]
        yield from map(image_of, urls)
    else:
        yield Opaque(format=NAME, kind=block.text("type", ""), value=block.whole)


def _call(value: Any, where: str) -> ToolCall:
    """A call as the SDK has it, or as LiteLLM has."""
    call = Fields(value, where)
    inner = call.inner("function") if isinstance(call.get("function"), dict) else call
    return ToolCall(
        id=call.text("id"), name=inner.text("name"), arguments=inner.text("arguments", "{}")
    )


def _result(kind: str, event: Fields) -> ToolResult:
    content: list[Text | Image | File | Opaque]
    failed = kind != "ObservationEvent"
    if kind == "AgentErrorEvent":
        content = [Text(text=event.text("error", ""))]
    elif kind == "UserRejectObservation":
        content = [Text(text=f"Action rejected: {event.text('rejection_reason', '')}")]
    else:
        observation = event.inner("observation")
        failed = observation.get("is_error") is True
        content = _observed(observation) + _content(event, "extended_content")
    id, name = event.text("tool_call_id"), event.text("tool_name", "")
    status = "error" if failed else "ok"
    return ToolResult(call_id=id, name=name, content=tuple(content), status=status)


def _observed(observation: Fields) -> list[Text | Image | File | Opaque]:
    """What a tool gave: its content, or the fields of a kind that has none."""
    for key in ("content", "output"):
        if observation.get(key):
            return _content(observation, key)
    fields = {key: value for key, value in observation.whole.items() if key != "kind" and value}
    fields.pop("content", None)
    return [Text(text=text_of(fields))] if fields else []


def _tools(value: Any) -> Iterator[Tool]:
    """Tools as OpenAI has them, or as the SDK says what they are."""
    for tool in map(object_if, list_if(value)):
        inner = object_if(tool.get("function")) or tool
        name = text_if(inner.get("name"), text_if(inner.get("title")))
        if name:
            schema = object_if(inner.get("parameters") or inner.get("input_schema"))
            described = text_if(inner.get("description"))
            yield Tool(name=name, description=described, parameters=schema)


@exporter(NAME)
def write(session: Session) -> Any:
    """The events, in what they stood in. State, tags and pins have no place in them."""
    events: list[Json] = []
    for record in in_order(session, NAME):
        if record.events and not record.shape:
            events += _new_events(record.events[0], session.tools)
        else:
            events.append(record.written(lambda inner, shape: _shaped(inner, shape)))
    stored = object_if(session.metadata.get(NAME))
    if stored.get("key"):
        return {**stored["header"], stored["key"]: events}
    return events


def _shaped(events: Sequence[Event], shape: str) -> Json:
    return {} if shape == "older" else event_json(events[0], shape)


def _new_events(event: Event, tools: Sequence[Tool]) -> list[Json]:
    """The events of a message of another format: one for each call and for each result."""
    if event.role == "system":
        schemas = [tool_json(tool) for tool in tools]
        return [{**event_json(event, "SystemPromptEvent"), "tools": schemas}]
    if event.role == "tool":
        parts = [(result, "ObservationEvent") for result in event.results]
        return [event_json(_of_parts(event, part), kind) for part, kind in parts]
    if not event.calls:
        return [event_json(event, "MessageEvent")]
    words = [part for part in event.parts if not isinstance(part, ToolCall)]
    first, *others = event.calls
    whole = [_of_parts(event, *words, first), *(_of_parts(event, call) for call in others)]
    return [
        {**event_json(one, "ActionEvent"), "llm_response_id": f"answer-{event.id}"} for one in whole
    ]


def _of_parts(event: Event, *parts: AnyPart) -> Event:
    return Event(id=event.id, role=event.role, parts=parts, time_ms=event.time_ms)


def event_json(event: Event, kind: str) -> Json:
    """The SDK's event of a kind."""
    source = {"user": "user", "tool": "environment"}.get(event.role, "agent")
    made: Json = {"id": event.id, "timestamp": iso_of_ms(event.time_ms), "source": source}
    made["kind"] = kind
    reasoning = _reasoning([part for part in event.parts if isinstance(part, Thinking)])
    match kind:
        case "SystemPromptEvent":
            return {**made, "system_prompt": {"type": "text", "text": event.text}, "tools": []}
        case "MessageEvent":
            message = {"role": event.role, "content": _blocks(event.parts), **reasoning}
            return {**made, "llm_message": message}
        case "ActionEvent":
            call = event.calls[0]
            tool_call = {"id": call.id, "name": call.name, "arguments": call.arguments}
            named = {"tool_name": call.name, "tool_call_id": call.id}
            thought = {"thought": _blocks(event.parts), **reasoning}
            return {**made, **thought, **named, "tool_call": {**tool_call, "origin": "completion"}}
        case "Condensation" | "CondensationSummaryEvent":
            return {**made, "summary": event.text}
        case _:
            return {**made, **_result_json(event.results[0], kind)}


def _reasoning(thoughts: Sequence[Thinking]) -> Json:
    """What the model thought: blocks where one is signed or sealed, else a text."""
    of_claude = all(thought.provider in ("", "anthropic") for thought in thoughts)
    if of_claude and any(thought.signature or thought.redacted for thought in thoughts):
        return {"thinking_blocks": [_thinking_block(thought) for thought in thoughts]}
    texts = [thought.text for thought in thoughts if thought.text]
    return {"reasoning_content": "\n".join(texts)} if texts else {}


def _thinking_block(thought: Thinking) -> Json:
    if thought.redacted and not thought.text:
        return {"type": "redacted_thinking", "data": thought.redacted}
    signed = {"signature": thought.signature} if thought.signature else {}
    return {"type": "thinking", "thinking": thought.text, **signed}


def _result_json(result: ToolResult, kind: str) -> Json:
    named = {"tool_name": result.name, "tool_call_id": result.call_id}
    if kind == "AgentErrorEvent":
        return {**named, "error": result.text}
    if kind == "UserRejectObservation":
        return {**named, "rejection_reason": result.text.removeprefix("Action rejected: ")}
    failed = result.status == "error"
    return {**named, "observation": {"content": _blocks(result.content), "is_error": failed}}


def _blocks(parts: Sequence[AnyPart]) -> list[Json]:
    return [block for part in parts if (block := _block(part))]


def _block(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image() if part.url or part.data:
            url = part.url or f"data:{part.media_type};base64,{part.data}"
            return {"type": "image", "image_urls": [url]}
        case Opaque() if part.format == NAME:
            return part.value
        case _:
            return None
