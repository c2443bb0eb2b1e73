"""Calls in logs of inspect_ai, as JSON or as `.eval`: the model events of each sample, whose texts
are kept once, among the sample's attachments or its pool of messages."""

from collections.abc import Iterable, Iterator
from typing import Any

from contextwright.formats.document import Record
from contextwright.formats.fields import Json, list_if, object_if, text_if
from contextwright.formats.timestamps import ms_of_iso
from contextwright.tokens.usage import Usage
from contextwright.traces.chat_message import plain_message
from contextwright.traces.recorded_call import (
    RecordedCall,
    UnreadCall,
    choice_gaps,
    guarded,
    not_read,
    text_gaps,
)

SOURCE = "inspect_ai"
_ATTACHED = "attachment://"
_OWN = {"id", "source", "model", "metadata", "internal", "error", "parse_error", "view"}
"""Fields of a message that no model reads."""


def sniff(value: Any) -> bool:
    """Whether a record is a log, or a sample of one."""
    fields = object_if(value)
    is_log = "eval" in fields and "samples" in fields
    return is_log or {"epoch", "messages", "events", "target"} <= fields.keys()


def calls_of(records: Iterable[Record]) -> Iterator[RecordedCall | UnreadCall]:
    """The calls of all samples."""
    for record in records:
        fields = object_if(record.value)
        samples = list_if(fields.get("samples")) if "eval" in fields else [fields]
        for sample in map(object_if, samples):
            name = f"{sample.get('id')}-{sample.get('epoch')}"
            yield from _sample_calls(sample, name, f"{record.where}, sample {name}")


def _sample_calls(sample: Json, name: str, where: str) -> Iterator[RecordedCall | UnreadCall]:
    count = 0
    for event in map(object_if, list_if(sample.get("events"))):
        if event.get("event") == "model" and event.get("cache") != "read":
            count += 1
            place = f"{where}, model event {count}"
            yield guarded(_call, place, sample, event, name, place)
    if not count and list_if(sample.get("messages")):
        yield UnreadCall(where, "no model events in it")


def _call(sample: Json, event: Json, name: str, where: str) -> RecordedCall | UnreadCall:
    attachments = object_if(sample.get("attachments"))
    pool = list_if(object_if(sample.get("events_data")).get("messages"))
    listed = list_if(event.get("input")) or list(_pooled(event.get("input_refs"), pool))
    messages = [_message(_whole(each, attachments)) for each in listed]
    if not messages:
        return UnreadCall(where, "no input messages")
    output = object_if(event.get("output"))
    choices = [object_if(each) for each in list_if(output.get("choices"))]
    answer = [_message(_whole(c.get("message"), attachments)) for c in choices[:1]]
    tools = [_tool(object_if(_whole(t, attachments))) for t in list_if(event.get("tools"))]
    return RecordedCall(
        id=text_if(event.get("uuid"), where),
        where=where,
        conversation=name,
        start_ms=ms_of_iso(event.get("timestamp")),
        model=text_if(event.get("model")).rpartition("/")[2],
        body={"messages": messages, **({"tools": tools} if tools else {})},
        answer=answer,
        usage=_usage(object_if(output.get("usage"))),
        gaps=(*text_gaps([messages, answer]), *choice_gaps(len(choices))),
    )


def _pooled(refs: Any, pool: list[Any]) -> Iterator[Any]:
    """Messages of the pool, by ranges of places."""
    for ref in list_if(refs):
        if isinstance(ref, list) and len(ref) == 2:  # pyright: ignore
            yield from pool[ref[0] : ref[1]]
        elif isinstance(ref, int):
            yield from pool[ref : ref + 1]


def _whole(value: Any, attachments: Json) -> Any:
    """A value with its attachments in their places."""
    if isinstance(value, str):
        is_attached = value.startswith(_ATTACHED)
        return attachments.get(value.removeprefix(_ATTACHED), value) if is_attached else value
    if isinstance(value, list):
        return [_whole(item, attachments) for item in list_if(value)]
    if isinstance(value, dict):
        return {key: _whole(item, attachments) for key, item in object_if(value).items()}
    return value


def _message(value: Any) -> Any:
    """A message as OpenAI's Chat has it."""
    message = {k: v for k, v in object_if(value).items() if k not in _OWN and v is not None}
    name = message.pop("function", None)
    content = message.get("content")
    if isinstance(content, list):
        blocks = [object_if(block) for block in list_if(content)]
        thoughts = [text_if(block.get("reasoning")) for block in blocks]
        message["content"] = [made for block in blocks if (made := _block(block))] or ""
        if any(thoughts):
            message["reasoning_content"] = "\n".join(filter(None, thoughts))
    if name and message.get("role") == "tool":
        message["name"] = name
    return plain_message(message)


def _block(block: Json) -> Json | None:
    match block.get("type"):
        case "text":
            return {"type": "text", "text": text_if(block.get("text"))}
        case "image":
            return {"type": "image_url", "image_url": {"url": text_if(block.get("image"))}}
        case "reasoning":
            return None
        case kind:
            return {"type": "text", "text": not_read(kind)}


def _tool(tool: Json) -> Json:
    names = ("name", "description", "parameters")
    return {"type": "function", "function": {name: tool.get(name) or "" for name in names}}


def _usage(usage: Json) -> Usage | None:
    """Whether input tokens hold those of a cache differs by provider; their total tells."""
    numbers = {key: n for key, n in usage.items() if isinstance(n, int)}
    if "input_tokens" not in numbers:
        return None
    output, read = numbers.get("output_tokens", 0), numbers.get("input_tokens_cache_read", 0)
    whole = max(numbers["input_tokens"], numbers.get("total_tokens", 0) - output)
    written = min(numbers.get("input_tokens_cache_write", 0), whole - min(read, whole))
    read = min(read, whole)
    return Usage(input=whole, cached=read, cache_write=written, output=output, context=whole)
