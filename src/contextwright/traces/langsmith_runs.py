"""Calls in exports of LangSmith: runs, a line each or in a list, as its API and its bulk export
have them. A run of LangChain holds its messages as LangChain writes them."""

from collections.abc import Iterable, Iterator
from typing import Any

from contextwright.formats.document import Record
from contextwright.formats.fields import Json, list_if, object_if, text_if
from contextwright.formats.timestamps import ms_of_iso
from contextwright.tokens.usage import Usage, usage_of
from contextwright.traces.chat_message import answer_of_output, body_of_input, json_value
from contextwright.traces.recorded_call import RecordedCall, UnreadCall, guarded, text_gaps

SOURCE = "langsmith"
_OF_RUNS = frozenset({"inputs", "outputs", "trace_id", "dotted_order", "session_id"})
"""One of these stands beside a run's type, whatever fields were asked for."""
_THREADS = ("session_id", "thread_id", "conversation_id")
"""Keys of a run's metadata by which LangSmith knows a thread."""


def sniff(value: Any) -> bool:
    """Whether a record of an export holds runs, or is one."""
    return next(_runs(value), None) is not None


def calls_of(records: Iterable[Record]) -> Iterator[RecordedCall | UnreadCall]:
    """The calls of an export."""
    for record in records:
        for run in _runs(record.value):
            if run["run_type"] == "llm":
                where = f"{record.where}, run {run.get('id')}"
                yield guarded(_call, where, run, where)


def _runs(value: Any) -> Iterator[Json]:
    """Runs, and those within them."""
    fields = object_if(value)
    listed = list_if(value) or list_if(fields.get("runs"))
    for each in listed or [fields]:
        run = object_if(each)
        if "run_type" in run and not run.keys().isdisjoint(_OF_RUNS):
            yield run
            yield from _runs(list_if(run.get("child_runs"))) if run.get("child_runs") else ()


def _call(run: Json, where: str) -> RecordedCall | UnreadCall:
    inputs, outputs = object_if(json_value(run.get("inputs"))), json_value(run.get("outputs"))
    body = body_of_input(inputs)
    if body is None:
        return UnreadCall(where, "no messages in its inputs: hidden, or a call of another kind")
    extra = object_if(json_value(run.get("extra")))
    parameters = object_if(extra.get("invocation_params"))
    metadata = object_if(extra.get("metadata"))
    tools = list_if(parameters.get("tools")) or list_if(body.get("tools"))
    key = next(key for key in ("messages", "input", "contents") if key in body)
    whole = {key: body[key], **({"tools": tools} if tools else {})}
    for name in ("system", "instructions"):
        if name in body:
            whole[name] = body[name]
    answer = answer_of_output(outputs)
    models = (parameters.get("model"), parameters.get("model_name"), metadata.get("ls_model_name"))
    threads = (text_if(metadata.get(name)) for name in _THREADS)
    return RecordedCall(
        id=text_if(run.get("id")),
        where=where,
        conversation=next(filter(None, threads), "") or text_if(run.get("trace_id")),
        start_ms=ms_of_iso(run.get("start_time")),
        model=next((text for m in models if (text := text_if(m))), text_if(body.get("model"))),
        body=whole,
        answer=answer,
        usage=_usage(run, object_if(outputs)),
        gaps=tuple(text_gaps([whole, answer])),
    )


def _usage(run: Json, outputs: Json) -> Usage | None:
    listed = object_if(outputs.get("usage_metadata")) or object_if(outputs.get("usage"))
    if listed:
        return usage_of({"total_tokens": 0, **listed})  # input tokens hold the cached ones
    answer = answer_of_output(outputs)
    message = object_if(answer[0]) if answer else {}
    message = object_if(message.get("kwargs")) or message
    usage = usage_of({"total_tokens": 0, **object_if(message.get("usage_metadata"))})
    count = run.get("prompt_tokens")
    if usage is not None or not isinstance(count, int) or not count:
        return usage
    details = object_if(run.get("prompt_token_details"))
    counts = {"prompt_tokens": count, "prompt_tokens_details": details}
    return usage_of({**counts, "completion_tokens": run.get("completion_tokens")})
