"""Calls in spans of OpenInference (Phoenix, Arize): messages flattened into attributes,
`llm.input_messages.0.message.role` and so on."""

from typing import Any

from contextwright.formats.fields import Json, list_if, object_if, text_if, text_of
from contextwright.tokens.usage import Usage, usage_of
from contextwright.traces.recorded_call import (
    RecordedCall,
    UnreadCall,
    choice_gaps,
    has_contents,
    not_read,
    text_gaps,
)
from contextwright.traces.span import TraceSpan, json_attribute, nested

SOURCE = "openinference"
_KIND = "openinference.span.kind"


def is_call(span: TraceSpan) -> bool:
    """Whether a span is a call of a model, by these conventions."""
    return span.attributes.get(_KIND) == "LLM"


def call_of(span: TraceSpan) -> RecordedCall | UnreadCall:
    """The call that a span is."""
    attributes = span.attributes
    try:
        messages = [_message(each) for each in list_if(nested(attributes, "llm.input_messages"))]
        answer = [_message(each) for each in list_if(nested(attributes, "llm.output_messages"))]
        tools = [_tool(each) for each in list_if(nested(attributes, "llm.tools"))]
    except ValueError as error:
        return UnreadCall(span.where, f"an attribute is cut off or no JSON: {error}")
    if not has_contents(messages):
        return UnreadCall(span.where, "no input messages: hidden, or a call of a plain prompt")
    gaps = [*text_gaps([*messages, *answer])]
    gaps += choice_gaps(0 if _is_parted(answer) else len(answer))
    if span.dropped:
        gaps.append(f"{span.dropped:,} attributes of a span were left out by its SDK")
    models = ("llm.model_name", "llm.request.model_name", "llm.response.model_name")
    return RecordedCall(
        id=span.id,
        where=span.where,
        conversation=text_if(attributes.get("session.id"), span.trace),
        start_ms=span.start_ms,
        model=next((text for key in models if (text := text_if(attributes.get(key)))), ""),
        body={"messages": messages, **({"tools": tools} if tools else {})},
        answer=_one_answer(answer),
        usage=_usage(attributes),
        gaps=tuple(gaps),
    )


def _is_parted(answer: list[Json]) -> bool:
    """Whether messages are the parts of one answer, as of the Responses API: thoughts, a text and
    each call stand alone. Answers to choose from have a text each."""
    return any(each.get("tool_calls") or each.get("reasoning_content") for each in answer)


def _one_answer(answer: list[Json]) -> list[Json]:
    """The answer that is read: the first, or all parts of it in one message."""
    if len(answer) < 2 or not _is_parted(answer):
        return answer[:1]
    made: Json = {"role": "assistant", "content": ""}
    texts = [each["content"] for each in answer if each["content"]]
    if all(isinstance(text, str) for text in texts):
        made["content"] = "\n".join(texts)
    else:
        blocks = ([{"type": "text", "text": t}] if isinstance(t, str) else t for t in texts)
        made["content"] = [block for listed in blocks for block in listed]
    thoughts = [text_if(each.get("reasoning_content")) for each in answer]
    calls = [call for each in answer for call in list_if(each.get("tool_calls"))]
    if any(thoughts):
        made["reasoning_content"] = "\n".join(filter(None, thoughts))
    return [{**made, "tool_calls": calls} if calls else made]


def _fields(value: Any, noun: str) -> Json:
    """The fields of a message, a content or a call, nested or with `noun.` before their names."""
    fields = object_if(value)
    inner = object_if(fields.get(noun))
    start = noun + "."
    return {**{key.removeprefix(start): item for key, item in fields.items()}, **inner}


def _message(value: Any) -> Json:
    fields = _fields(value, "message")
    role = text_if(fields.get("role"), "user")
    contents = [_content(each) for each in list_if(fields.get("contents"))]
    content: Any = [block for block in contents if block] or fields.get("content") or ""
    made: Json = {"role": {"model": "assistant", "function": "tool"}.get(role, role)}
    made["content"] = content if isinstance(content, str | list) else text_of(content)
    thoughts = [_thought(each) for each in list_if(fields.get("contents"))]
    if any(thoughts):
        made["reasoning_content"] = "\n".join(filter(None, thoughts))
    calls = [_call(each) for each in list_if(fields.get("tool_calls"))]
    if calls:
        made["tool_calls"] = calls
    if made["role"] == "tool":
        made["tool_call_id"] = text_if(fields.get("tool_call_id"))
    return made


def _thought(value: Any) -> str:
    fields = _fields(value, "message_content")
    return text_if(fields.get("text")) if fields.get("type") == "reasoning" else ""


def _content(value: Any) -> Json | None:
    fields = _fields(value, "message_content")
    if fields.get("type") == "image":
        image = nested(fields, "image")
        url = object_if(_fields(image, "image")).get("url")
        url = url if isinstance(url, str) else object_if(url).get("url")
        return {"type": "image_url", "image_url": {"url": text_if(url)}}
    text = fields.get("text")
    if fields.get("type") == "reasoning":
        return None
    return {"type": "text", "text": text if isinstance(text, str) else not_read(fields.get("type"))}


def _call(value: Any) -> Json:
    fields = _fields(value, "tool_call")
    function = object_if(nested(fields, "function"))
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else text_of(arguments or {})
    name = text_if(function.get("name"))
    call = {"id": text_if(fields.get("id")), "type": "function"}
    return {**call, "function": {"name": name, "arguments": text}}


def _tool(value: Any) -> Json:
    schema = object_if(json_attribute(_fields(value, "tool").get("json_schema")))
    if object_if(schema.get("function")):
        return schema
    parameters = schema.get("parameters", schema.get("input_schema")) or {"type": "object"}
    name = text_if(schema.get("name"), "tool")
    function = {"name": name, "description": text_if(schema.get("description"))}
    return {"type": "function", "function": {**function, "parameters": parameters}}


def _usage(attributes: Json) -> Usage | None:
    start = "llm.token_count."
    names = {
        "prompt": "prompt_tokens",
        "completion": "completion_tokens",
        "prompt_details.cache_read": "cache_read_input_tokens",
        "prompt_details.cache_write": "cache_creation_input_tokens",
    }
    counts = {
        name: attributes[start + key] for key, name in names.items() if start + key in attributes
    }
    return usage_of({key: int(n) for key, n in counts.items() if isinstance(n, int | float)})
