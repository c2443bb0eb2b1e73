"""Messages as tracing tools keep them, brought to the form that a session's format has."""

import json
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if, text_if, text_of

_CALLS = "tool_calls"


def body_of_input(value: Any) -> Json | None:
    """What a call was sent, of the input that a tool kept: a body, a list of messages, or one.

    Returns:
        A body with `messages` (or a provider's own list) in it; None where there are none.

    Raises:
        ValueError: several prompts went out in one call, as a batch.
    """
    value = json_value(value)
    fields = object_if(value)
    for key in ("messages", "input", "contents"):
        listed = fields.get(key)
        if isinstance(listed, list) and listed:
            if isinstance(listed[0], list) and len(listed) > 1:  # pyright: ignore
                raise ValueError(f"{len(listed):,} prompts in one call")  # pyright: ignore
            inner = listed[0] if isinstance(listed[0], list) else listed  # pyright: ignore
            return {**fields, key: [plain_message(each) for each in list_if(inner)]}
    if isinstance(value, list) and value:
        messages = [plain_message(each) for each in list_if(value) if not _is_tool(each)]
        tools = [object_if(each)["content"] for each in list_if(value) if _is_tool(each)]
        return {"messages": messages, **({"tools": tools} if tools else {})} if messages else None
    if "role" in fields:
        return {"messages": [plain_message(fields)]}
    text = next((t for key in ("prompt", "input", "text") if (t := text_if(fields.get(key)))), "")
    text = text or text_if(value)
    return {"messages": [{"role": "user", "content": text}]} if text else None


def answer_of_output(value: Any) -> list[Any]:
    """The messages of an answer: a message, a response of a provider, a text."""
    value = json_value(value)
    fields = object_if(value)
    if fields.get("choices"):
        value = object_if(list_if(fields["choices"])[0]).get("message")
    elif fields.get("generations"):
        generation: Any = fields["generations"]
        while isinstance(generation, list) and generation:
            generation = generation[0]  # pyright: ignore
        value = object_if(generation).get("message", object_if(generation).get("text"))
    elif "content" not in fields and isinstance(fields.get("output"), list):
        return list_if(fields["output"])
    elif isinstance(fields.get("messages"), list):
        value = list_if(fields["messages"])[-1:]
    elif "candidates" in fields:
        value = object_if(list_if(fields["candidates"])[0]).get("content")
    if isinstance(value, str):
        return [{"role": "assistant", "content": value}] if value else []
    listed = list_if(value) if isinstance(value, list) else [value]
    return [_answer(each) for each in listed if object_if(each)]


def _answer(value: Any) -> Any:
    message = plain_message(value)
    is_response = "stop_reason" in message and isinstance(message.get("content"), list)
    if is_response:
        return {"role": "assistant", "content": message["content"]}
    return message if "role" in message or "type" in message or "parts" in message else {
        "role": "assistant", **message
    }  # fmt: skip


def plain_message(value: Any) -> Any:
    """A message, with its calls in OpenAI's form where LangChain's stand beside a role."""
    message = object_if(value)
    if "role" not in message:
        return message or value
    role = message["role"]
    calls = list_if(message.get(_CALLS)) or list_if(
        object_if(message.get("additional_kwargs")).get(_CALLS)
    )
    made: Json = {k: v for k, v in message.items() if k not in (_CALLS, "additional_kwargs")}
    made["role"] = {"human": "user", "ai": "assistant"}.get(text_if(role), role)
    if calls:
        made[_CALLS] = [_call(object_if(call)) for call in calls]
        made["content"] = made.get("content") or ""
    return made


def _call(call: Json) -> Json:
    if "function" in call and isinstance(object_if(call["function"]).get("arguments"), str):
        return call
    inner = object_if(call.get("function")) or call
    name = text_if(inner.get("name"), text_if(call.get("function")))
    arguments = inner.get("arguments", inner.get("args", {}))
    text = arguments if isinstance(arguments, str) else text_of(arguments or {})
    id = text_if(call.get("id"), text_if(call.get("tool_call_id")))
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def _is_tool(value: Any) -> bool:
    """Whether an item of an input is a tool's schema that Langfuse put among the messages."""
    message = object_if(value)
    content = object_if(message.get("content"))
    return message.get("role") == "tool" and ("function" in content or "input_schema" in content)


def json_value(value: Any) -> Any:
    """The value that a text of JSON is; any other text as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
