"""Calls in spans of OpenTelemetry's GenAI conventions, in today's spelling and in older ones.

Today's: `gen_ai.input.messages`, `gen_ai.system_instructions`, `gen_ai.output.messages` and
`gen_ai.tool.definitions`, as attributes of the span or of an event of it. Until 1.36: an event a
message, `gen_ai.user.message` and others, as events or as log records. Older yet, and those of
OpenLLMetry: `gen_ai.prompt.0.role` and so on, or a whole prompt as JSON in an event.
"""

from collections.abc import Iterator
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if, text_if, text_of
from contextwright.tokens.usage import Usage, usage_of
from contextwright.traces.recorded_call import (
    RecordedCall,
    UnreadCall,
    choice_gaps,
    has_contents,
    text_gaps,
)
from contextwright.traces.span import TraceSpan, json_attribute, nested

SOURCE = "opentelemetry"
_NO_CALLS = {
    "invoke_agent", "create_agent", "execute_tool", "embeddings", "invoke_workflow", "retrieval",
}  # fmt: skip
"""Operations that hold calls, or are none of a model that reads messages."""
_WHOLE = ("gen_ai.input.messages", "gen_ai.prompt")
_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def is_call(span: TraceSpan) -> bool:
    """Whether a span is a call of a model, by these conventions."""
    operation = span.attributes.get("gen_ai.operation.name")
    named = any(key.startswith("gen_ai.") for key in span.attributes)
    pending = span.attributes.get("logfire.span_type") == "pending_span"  # sent again when it ends
    is_model = operation not in _NO_CALLS and "gen_ai.tool.name" not in span.attributes
    return named and is_model and not pending


def call_of(span: TraceSpan) -> RecordedCall | UnreadCall:
    """The call that a span is."""
    attributes = _with_details(span)
    try:
        messages, answers = _messages(span, attributes), _answers(span, attributes)
        tools = [_tool(tool) for tool in _tool_values(attributes)]
    except ValueError as error:
        return UnreadCall(span.where, f"an attribute is cut off or no JSON: {error}")
    if not has_contents(messages):
        why = "no messages: the contents were not recorded (they are off by default)"
        return UnreadCall(span.where, why)
    answer = answers[0] if answers else []
    gaps = [*text_gaps([*messages, *answer]), *choice_gaps(len(answers))]
    if span.dropped:
        gaps.append(f"{span.dropped:,} attributes of a span were left out by its SDK")
    model = attributes.get("gen_ai.request.model") or attributes.get("gen_ai.response.model")
    return RecordedCall(
        id=span.id,
        where=span.where,
        conversation=_conversation(attributes) or span.trace,
        start_ms=span.start_ms,
        model=text_if(model),
        body={"messages": messages, **({"tools": tools} if tools else {})},
        answer=answer,
        usage=_usage(attributes),
        gaps=tuple(gaps),
    )


def _with_details(span: TraceSpan) -> Json:
    """The attributes, with those of the event that holds the contents in today's spelling."""
    attributes = dict(span.attributes)
    for event in span.events:
        if event.name == _DETAILS:
            attributes |= event.attributes | object_if(event.body)
    return attributes


def _conversation(attributes: Json) -> str:
    names = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
    return next((text for name in names if (text := text_if(attributes.get(name)))), "")


def _messages(span: TraceSpan, attributes: Json) -> list[Json]:
    system = json_attribute(attributes.get("gen_ai.system_instructions"))
    system = [{"role": "system", "parts": system}] if system else []
    if "gen_ai.input.messages" in attributes:
        listed = json_attribute(attributes["gen_ai.input.messages"])
        return [made for value in [*system, *list_if(listed)] for made in _parts_message(value)]
    flat = nested(attributes, "gen_ai.prompt")
    if flat:
        return _older_messages(flat)
    events = [
        _event_message(_ROLES[event.name], {**event.attributes, **object_if(event.body)})
        for event in span.events
        if event.name in _ROLES
    ]
    prompts = [e.attributes.get("gen_ai.prompt") for e in span.events]
    return events or _older_messages(next((each for each in prompts if each), []))


def _answers(span: TraceSpan, attributes: Json) -> list[list[Json]]:
    """The answers to choose from, each its messages."""
    if "gen_ai.output.messages" in attributes:
        listed = list_if(json_attribute(attributes["gen_ai.output.messages"]))
        return [list(_parts_message(value)) for value in listed]
    flat = nested(attributes, "gen_ai.completion")
    if flat:
        return [[each] for each in _older_messages(flat)]
    choices = [
        {**event.attributes, **object_if(event.body)}
        for event in span.events
        if event.name == "gen_ai.choice"
    ]
    if choices:
        messages = [object_if(json_attribute(each.get("message", each))) for each in choices]
        return [[_event_message("assistant", each)] for each in messages]
    written = [event.attributes.get("gen_ai.completion") for event in span.events]
    return [[each] for each in _older_messages(next((each for each in written if each), []))]


def _parts_message(value: Any) -> Iterator[Json]:
    """A message of parts as OpenAI's Chat has it; a result of a tool is one of its own."""
    message = object_if(value)
    parts = [object_if(part) for part in list_if(message.get("parts"))]
    for part in parts:
        if part.get("type") == "tool_call_response":
            response = part.get("response", part.get("result"))
            yield {"role": "tool", "tool_call_id": _id(part), "content": _text(response)}
    words = [part for part in parts if part.get("type") not in ("tool_call", "tool_call_response")]
    calls = [_call(part) for part in parts if part.get("type") == "tool_call"]
    if not words and not calls and parts:
        return
    made: Json = {"role": text_if(message.get("role"), "user")}
    thoughts = [_text(p.get("content")) for p in words if p.get("type") == "reasoning"]
    content = [made for p in words if p.get("type") != "reasoning" for made in _content(p)]
    only_text = all(block["type"] == "text" for block in content)
    made["content"] = "\n".join(b["text"] for b in content) if only_text else content
    if made["role"] == "tool":
        made["role"] = "user"  # words beside results
    if thoughts:
        made["reasoning_content"] = "\n".join(thoughts)
    if calls:
        made["tool_calls"] = calls
    yield made


def _content(part: Json) -> Iterator[Json]:
    match part.get("type"):
        case "text":
            yield {"type": "text", "text": _text(part.get("content"))}
        case "blob" if part.get("modality") == "image":
            data = f"data:{part.get('mime_type')};base64,{part.get('content')}"
            yield {"type": "image_url", "image_url": {"url": data}}
        case "uri" if part.get("modality") == "image":
            yield {"type": "image_url", "image_url": {"url": text_if(part.get("uri"))}}
        case _:
            yield {"type": "text", "text": f"[{_text(part)[:2000]}]"}


def _call(part: Json) -> Json:
    arguments = part.get("arguments")
    text = arguments if isinstance(arguments, str) else text_of(arguments or {})
    function = {"name": text_if(part.get("name")), "arguments": text}
    return {"id": _id(part), "type": "function", "function": function}


def _id(part: Json) -> str:
    return text_if(part.get("id"), text_if(part.get("tool_call_id")))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else text_of(value)


def _older_messages(value: Any) -> list[Json]:
    """Messages of roles and contents, flattened or as JSON."""
    value = json_attribute(value) if isinstance(value, str) and value[:1] in "[{" else value
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    listed = list_if(
        value if isinstance(value, list) else object_if(value).get("messages", [value])
    )
    fields = map(object_if, listed)
    return [_event_message(text_if(each.get("role"), "user"), each) for each in fields if each]


def _event_message(role: str, fields: Json) -> Json:
    """A message whose fields are those of an event."""
    content = fields.get("content")
    if isinstance(content, str) and content[:2] == "[{":
        content = json_attribute(content)
    made: Json = {"role": text_if(fields.get("role"), role), "content": content or ""}
    calls = [
        _older_call(object_if(call)) for call in list_if(json_attribute(fields.get("tool_calls")))
    ]
    if calls:
        made["tool_calls"] = calls
    id = text_if(fields.get("tool_call_id"), text_if(fields.get("id")))
    if made["role"] == "tool":
        made |= {"tool_call_id": id, "content": _text(content)}
    return made


def _older_call(call: Json) -> Json:
    """A call in OpenAI's form, or flattened."""
    return _call({**call, **object_if(call.get("function"))})


def _tool_values(attributes: Json) -> list[Any]:
    whole = json_attribute(attributes.get("gen_ai.tool.definitions"))
    return list_if(whole) or list_if(nested(attributes, "llm.request.functions"))


def _tool(value: Any) -> Json:
    tool = object_if(json_attribute(value))
    tool = {**tool, **object_if(tool.get("function"))}
    schema = json_attribute(tool.get("parameters")) or {"type": "object"}
    function = {"name": text_if(tool.get("name")), "parameters": schema}
    function["description"] = text_if(tool.get("description"))
    return {"type": "function", "function": function}


def _usage(attributes: Json) -> Usage | None:
    older = attributes.get("gen_ai.usage.prompt_tokens")
    if older is not None and "gen_ai.usage.input_tokens" not in attributes:
        output = attributes.get("gen_ai.usage.completion_tokens")
        return usage_of({"prompt_tokens": older, "completion_tokens": output})
    return usage_of(attributes)
