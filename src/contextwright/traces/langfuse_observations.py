"""Calls in exports of Langfuse: observations of its API (v2, and v1 within traces) or of its
interface, as JSON or a line each, in either spelling of their fields."""

from collections.abc import Iterable, Iterator
from typing import Any

from contextwright.formats.document import Record
from contextwright.formats.fields import Json, list_if, object_if, text_if
from contextwright.formats.timestamps import ms_of_iso
from contextwright.tokens.usage import Usage, usage_of
from contextwright.traces.chat_message import answer_of_output, body_of_input, json_value
from contextwright.traces.recorded_call import RecordedCall, UnreadCall, guarded, text_gaps

SOURCE = "langfuse"
_SIGNS = (("traceId", "trace_id"), ("startTime", "start_time"), ("type",), ("id",))
_CALL = "GENERATION"
_KINDS = {"GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EMBEDDING"}
"""Of observations, by which they are known where the export has neither input nor output."""


def sniff(value: Any) -> bool:
    """Whether a record of an export holds observations, or is one."""
    return next(_observations(value), None) is not None


def calls_of(records: Iterable[Record]) -> Iterator[RecordedCall | UnreadCall]:
    """The calls of an export."""
    for record in records:
        for observation, session in _observations(record.value):
            if observation.get("type") == _CALL:
                where = f"{record.where}, observation {observation.get('id')}"
                yield guarded(_call, where, observation, session, where)


def _observations(value: Any) -> Iterator[tuple[Json, str]]:
    """Observations, each with the id of the session that its trace names."""
    fields = object_if(value)
    listed = list_if(value) or list_if(fields.get("data")) or list_if(fields.get("observations"))
    session = _text(fields, "sessionId", "session_id")
    for each in listed:
        inner = object_if(each)
        if "observations" in inner:
            yield from _observations(inner)
        elif _is_observation(inner):
            yield inner, _text(inner, "sessionId", "session_id") or session
    if not listed and _is_observation(fields):
        yield fields, session


def _is_observation(fields: Json) -> bool:
    return all(any(name in fields for name in names) for names in _SIGNS) and (
        "input" in fields or "output" in fields or fields["type"] in _KINDS
    )


def _text(fields: Json, *names: str) -> str:
    return next((text for name in names if (text := text_if(fields.get(name)))), "")


def _call(observation: Json, session: str, where: str) -> RecordedCall | UnreadCall:
    value = observation.get("input")
    body, answer = body_of_input(value), answer_of_output(observation.get("output"))
    if body is None:
        return UnreadCall(where, "no input: ask the API for fields=core,basic,io,usage")
    if isinstance(value, str) and value[:1] in "[{" and json_value(value) is value:
        return UnreadCall(where, "its input is cut off: no whole JSON")
    return RecordedCall(
        id=_text(observation, "id"),
        where=where,
        conversation=session or _text(observation, "traceId", "trace_id"),
        start_ms=ms_of_iso(_text(observation, "startTime", "start_time")),
        model=_text(observation, "model", "providedModelName", "provided_model_name"),
        body=body,
        answer=answer,
        usage=_usage(observation),
        gaps=tuple(text_gaps([body, answer])),
    )


def _usage(observation: Json) -> Usage | None:
    """Langfuse's counts: kinds of input stand beside each other, and their sum is the input."""
    details = observation.get("usageDetails", observation.get("usage_details"))
    counts = object_if(json_value(details)) or object_if(json_value(observation.get("usage")))
    numbers = {key: n for key, n in counts.items() if isinstance(n, int)}
    inputs = {key: n for key, n in numbers.items() if key.startswith(("input", "cache_"))}
    if not inputs:
        return usage_of(numbers)
    cached = sum(n for key, n in inputs.items() if "cache_read" in key or "cached" in key)
    written = sum(n for key, n in inputs.items() if "cache_creation" in key or "cache_write" in key)
    whole = sum(inputs.values())
    output = sum(n for key, n in numbers.items() if key.startswith("output"))
    return Usage(input=whole, cached=cached, cache_write=written, output=output, context=whole)
