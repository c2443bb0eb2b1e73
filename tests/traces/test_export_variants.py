"""Exports in odd but legal forms: nothing of them is lost in silence. What is read is in a session;
what is not, is counted among the unread calls or the gaps."""

import copy
import gzip
import json

import pytest
from tests.traces.agent_calls import (
    SYSTEM,
    agent_calls,
    genai_attributes,
    genai_export,
    openinference_attributes,
    otlp,
    otlp_span,
    written,
)

from contextwright.traces import call_marks, read_traces

STEPS = 4
CALLS = STEPS + 1
EVENTS = 2 * STEPS + 3


def langfuse(number, call, **more):
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "sessionId": "case-7",
        "type": "GENERATION",
        "startTime": f"2026-10-01T10:00:{number:02}Z",
        "model": "gpt-5",
        "input": call[0],
        "output": call[1],
        **more,
    }


def langsmith(number, call, **more):
    return {
        "id": f"r{number}",
        "trace_id": "t1",
        "run_type": "llm",
        "start_time": f"2026-10-01T10:00:{number:02}Z",
        "inputs": {"messages": call[0]},
        "outputs": {"choices": [{"message": call[1]}]},
        "extra": {"metadata": {"session_id": "case-7"}},
        **more,
    }


def openinference(number, call):
    return otlp_span(number, openinference_attributes(*call))


def is_whole(traces):
    (session,) = traces
    assert len(session.log) == EVENTS and len(call_marks(session)) == CALLS
    return session


def snake(value):
    """OTLP as its messages are printed with the names that they are defined with."""
    if isinstance(value, list):
        return [snake(one) for one in value]
    if not isinstance(value, dict):
        return value
    names = {key: "".join(f"_{c.lower()}" if c.isupper() else c for c in key) for key in value}
    return {names[key]: snake(inner) for key, inner in value.items()}


def renamed(value, names):
    text = json.dumps(value)
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    return json.loads(text)


EXPORT = genai_export(STEPS)
SPANS = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(agent_calls(STEPS))]
METRICS = {"resourceMetrics": [{"resource": {}, "scopeMetrics": []}]}
FORMS = {
    "as it is": [EXPORT],
    "a list": [[EXPORT]],
    "a span a line": [otlp([span]) for span in SPANS],
    "newest first": [otlp([span]) for span in reversed(SPANS)],
    "another signal first": [METRICS, EXPORT],
    "names as defined": [snake(EXPORT)],
    "tempo": [{"batches": EXPORT["resourceSpans"]}],
    "before scopes": [renamed(EXPORT, {"scopeSpans": "instrumentationLibrarySpans"})],
    "sent twice": [EXPORT, EXPORT],
    "langfuse, a trace first": [
        {"id": "t1", "name": "support", "sessionId": "case-7"},
        *(langfuse(n, call) for n, call in enumerate(agent_calls(STEPS))),
    ],
    "langsmith, within a chain": [
        {
            **langsmith(99, ([], None), run_type="chain"),
            "child_runs": [langsmith(n, call) for n, call in enumerate(agent_calls(STEPS))],
        }
    ],
    "openinference": [otlp([openinference(n, c) for n, c in enumerate(agent_calls(STEPS))])],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_an_export_is_whole_in_every_form(form, packed, tmp_path):
    path = written(tmp_path, FORMS[form], "export.jsonl")
    if packed:
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
        path = path.with_suffix(".jsonl.gz")
    traces = read_traces(path)
    is_whole(traces)
    assert not traces.unread


def test_spans_of_one_id_in_two_traces_are_two(tmp_path):
    other = copy.deepcopy(EXPORT)
    for span in other["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span["traceId"] = "b" * 32
        for pair in span["attributes"]:
            if pair["key"] == "gen_ai.conversation.id":
                pair["value"]["stringValue"] = "case-8"
    traces = read_traces(written(tmp_path, [EXPORT, other], "export.jsonl"))
    assert sorted(session.id for session in traces) == ["case-7", "case-8"]
    assert [len(session.log) for session in traces] == [EVENTS, EVENTS]


def test_a_client_within_a_framework_is_one_call(tmp_path):
    spans = []
    for number, call in enumerate(agent_calls(STEPS)):
        outer = otlp_span(number, openinference_attributes(*call))
        within = otlp_span(100 + number, openinference_attributes(*call))
        spans += [within, outer]
        within["parentSpanId"] = outer["spanId"]
    traces = read_traces(written(tmp_path, otlp(spans)))
    is_whole(traces)
    assert len(traces.unread) == CALLS
    assert all("the same call as" in one.why for one in traces.unread)


def test_a_call_within_an_agent_s_span_is_read(tmp_path):
    agent = otlp_span(900, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"})
    spans = [{**span, "parentSpanId": agent["spanId"]} for span in SPANS]
    is_whole(read_traces(written(tmp_path, otlp([agent, *spans]))))


def test_a_span_that_was_sent_when_it_began_is_no_call_of_its_own(tmp_path):
    pending = []
    for number, call in enumerate(agent_calls(STEPS)):
        attributes = genai_attributes(call[0]) | {"logfire.span_type": "pending_span"}
        pending.append(otlp_span(500 + number, attributes))
    traces = read_traces(written(tmp_path, otlp([*pending, *SPANS])))
    is_whole(traces)
    assert not traces.unread


@pytest.mark.parametrize(
    "record",
    [
        langsmith(7, ([], None), inputs=None, outputs=None),
        {"id": "r7", "run_type": "llm", "trace_id": "t1", "start_time": "2026-10-01T10:00:09Z"},
        langsmith(7, ([[SYSTEM], [SYSTEM]], None)),
    ],
    ids=["hidden", "not asked for", "a batch"],
)
def test_a_run_without_messages_is_counted(record, tmp_path):
    runs = [langsmith(n, call) for n, call in enumerate(agent_calls(STEPS))]
    traces = read_traces(written(tmp_path, [record, *runs], "runs.jsonl"))
    is_whole(traces)
    assert len(traces.unread) == 1


@pytest.mark.parametrize("fields", [("input",), ("input", "output")])
def test_an_observation_without_contents_is_counted(fields, tmp_path):
    listed = [langfuse(n, call) for n, call in enumerate(agent_calls(STEPS))]
    bare = langfuse(50, (None, None))
    for name in fields:
        del bare[name]
    traces = read_traces(written(tmp_path, {"data": [bare, *listed]}))
    is_whole(traces)
    assert len(traces.unread) == 1 and "fields=core" in traces.unread[0].why


def test_parts_of_another_kind_are_named_in_their_place(tmp_path):
    calls = agent_calls(STEPS)
    spans = [openinference(number, call) for number, call in enumerate(calls)]
    for span in spans:
        start = "llm.input_messages.1.message."
        span["attributes"] = [p for p in span["attributes"] if p["key"] != start + "content"]
        for n, fields in enumerate(({"type": "text", "text": "Where?"}, {"type": "audio"})):
            for name, value in fields.items():
                key = f"{start}contents.{n}.message_content.{name}"
                span["attributes"].append({"key": key, "value": {"stringValue": value}})
    session = is_whole(read_traces(written(tmp_path, otlp(spans))))
    assert "[audio: not read]" in session.log[1].text and "Where?" in session.log[1].text
    assert any("not read" in gap for gap in session.metadata["trace"]["gaps"])


def test_an_inspect_ai_part_of_another_kind_is_named_in_its_place(tmp_path):
    asked = [
        {"type": "text", "text": "Hear this."},
        {"type": "audio", "audio": "data:", "format": "wav"},
    ]
    answer = {"choices": [{"message": {"role": "assistant", "content": "Heard."}}] * 2}
    event = {
        "event": "model",
        "timestamp": "2026-10-01T10:00:00Z",
        "model": "openai/gpt-5",
        "input": [{"role": "user", "content": asked}],
        "output": answer,
    }
    sample = {"id": 1, "epoch": 1, "messages": [], "target": "", "events": [event]}
    (session,) = read_traces(written(tmp_path, {"eval": {}, "samples": [sample]}))
    gaps = " ".join(session.metadata["trace"]["gaps"])
    assert "[audio: not read]" in session.log[0].text
    assert "1 part of a kind" in gaps and "2 answers to one call" in gaps


def test_the_items_of_one_answer_are_one_and_answers_to_choose_from_are_counted(tmp_path):
    (messages, answer), *_ = agent_calls(1)
    parted = otlp_span(1, openinference_attributes(messages, answer))
    start = "llm.output_messages."
    more = {
        "1.message.role": "assistant",
        "1.message.tool_calls.0.tool_call.id": "c9",
        "1.message.tool_calls.0.tool_call.function.name": "get_order",
        "1.message.tool_calls.0.tool_call.function.arguments": '{"id": "A-9"}',
    }
    parted["attributes"] += [
        {"key": start + key, "value": {"stringValue": text}} for key, text in more.items()
    ]
    (session,) = read_traces(written(tmp_path, otlp([parted])))
    assert [call.id for call in session.log[-1].calls] == ["c1", "c9"]

    attributes = genai_attributes(messages, {"role": "assistant", "content": "One."})
    listed = json.loads(attributes["gen_ai.output.messages"])
    attributes["gen_ai.output.messages"] = json.dumps(listed * 3)
    (session,) = read_traces(written(tmp_path, otlp([otlp_span(1, attributes)])))
    assert session.log[-1].text == "One."
    assert "3 answers to one call" in " ".join(session.metadata["trace"]["gaps"])
