"""Spans of OpenTelemetry and OpenInference: calls that repeat each other are one session."""

import json

import pytest
from tests.traces.agent_calls import (
    agent_calls,
    call_message,
    genai_attributes,
    genai_export,
    openinference_attributes,
    otlp,
    otlp_span,
    result_message,
    written,
)

from contextwright.errors import SessionError
from contextwright.traces import call_marks, read_traces


def said(session):
    return [
        (e.role, e.text or [c.name for c in e.calls] or e.results[0].call_id) for e in session.log
    ]


EXPECTED = [
    ("system", "You are a support agent."),
    ("user", "Where is order A-1?"),
    ("assistant", ["get_order"]),
    ("tool", "c1"),
    ("assistant", ["get_order"]),
    ("tool", "c2"),
    ("assistant", "It is on its way."),
]


def assert_is_the_session(traces):
    assert [said(session) for session in traces] == [EXPECTED]
    session = traces[0]
    marks = call_marks(session)
    assert [mark.at for mark in marks] == [2, 4, 6]
    assert not any(mark.lost for mark in marks)
    assert all(mark.sent is None for mark in marks)
    assert [tool.name for tool in session.tools] == ["get_order"]
    return marks


def test_calls_whose_inputs_repeat_each_other_are_one_session(tmp_path):
    traces = read_traces(written(tmp_path, genai_export(steps=2)))
    marks = assert_is_the_session(traces)
    assert traces[0].id == "case-7" and not traces.unread
    assert {mark.model for mark in marks} == {"gpt-5"}
    usage = marks[0].usage
    assert usage is not None and (usage.input, usage.cached, usage.output) == (900, 512, 20)
    assert marks[1].time_ms - marks[0].time_ms == 1000


def test_contents_in_an_event_of_the_span_are_read(tmp_path):
    spans = []
    for n, call in enumerate(agent_calls(2)):
        attributes = genai_attributes(*call)
        contents = {k: attributes.pop(k) for k in list(attributes) if "messages" in k}
        contents["gen_ai.system_instructions"] = attributes.pop("gen_ai.system_instructions")
        event = {
            "name": "gen_ai.client.inference.operation.details",
            "attributes": otlp_span(0, contents)["attributes"],
        }
        spans.append(otlp_span(n, attributes, events=[event]))
    assert_is_the_session(read_traces(written(tmp_path, [otlp(spans)], "spans.jsonl")))


def older_events(messages, answer):
    events = []
    for message in messages:
        fields = {"content": message["content"]}
        if message["role"] == "tool":
            fields["id"] = message["tool_call_id"]
        if "tool_calls" in message:
            fields["tool_calls"] = message["tool_calls"]
        events.append((f"gen_ai.{message['role']}.message", fields))
    return [*events, ("gen_ai.choice", {"index": 0, "message": answer})]


def kvlist(value):
    if isinstance(value, dict):
        pairs = [{"key": key, "value": kvlist(item)} for key, item in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [kvlist(item) for item in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def test_an_event_a_message_is_read_from_spans_and_from_log_records(tmp_path):
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
    spans, logs = [], []
    for n, call in enumerate(agent_calls(2)):
        span = otlp_span(n, {**attributes, "llm.request.functions.0.name": "get_order"})
        events = older_events(*call)
        if n % 2:
            span["events"] = [
                {"name": name, "attributes": kvlist(fields)["kvlistValue"]["values"]}
                for name, fields in events
            ]
        else:
            logs += [
                {"spanId": span["spanId"], "eventName": name, "body": kvlist(fields)}
                for name, fields in events
            ]
        spans.append(span)
    batch = {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]}
    assert_is_the_session(read_traces(written(tmp_path, [otlp(spans), batch], "all.jsonl")))


def test_flattened_prompts_are_read(tmp_path):
    spans = []
    for n, (messages, answer) in enumerate(agent_calls(2)):
        attributes = {"gen_ai.request.model": "gpt-5", "llm.request.functions.0.name": "get_order"}
        for kind, listed in (("prompt", messages), ("completion", [answer])):
            for m, message in enumerate(listed):
                start = f"gen_ai.{kind}.{m}."
                attributes[start + "role"] = message["role"]
                attributes[start + "content"] = message["content"]
                for k, call in enumerate(message.get("tool_calls", ())):
                    attributes[f"{start}tool_calls.{k}.id"] = call["id"]
                    for key, value in call["function"].items():
                        attributes[f"{start}tool_calls.{k}.{key}"] = value
                if "tool_call_id" in message:
                    attributes[start + "tool_call_id"] = message["tool_call_id"]
        spans.append(otlp_span(n, attributes))
    assert_is_the_session(read_traces(written(tmp_path, otlp(spans))))


def test_openinference_is_read_from_spans_and_from_rows_of_phoenix(tmp_path):
    calls = [openinference_attributes(*call) for call in agent_calls(2)]
    batch = otlp([otlp_span(n, attributes) for n, attributes in enumerate(calls)])
    marks = assert_is_the_session(read_traces(written(tmp_path, batch)))
    assert marks[0].usage.cached == 512
    rows = [
        {
            "context.span_id": str(n),
            "context.trace_id": "t",
            "start_time": 1_790_000_000_000 + n,
            **{f"attributes.{key}": value for key, value in attributes.items()},
        }
        for n, attributes in enumerate(calls)
    ]
    assert_is_the_session(read_traces(written(tmp_path, rows, "rows.jsonl")))


def test_the_sdk_of_opentelemetry_writes_what_is_read(tmp_path):
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    for call in agent_calls(2):
        with provider.get_tracer("t").start_as_current_span("chat") as span:
            span.set_attributes(genai_attributes(*call))
    lines = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    assert_is_the_session(read_traces(written(tmp_path, lines, "sdk.jsonl")))


def test_what_our_own_spans_say_is_read(tmp_path):
    from contextwright.formats.otel_messages import otel_messages

    ((messages, answer),) = agent_calls(2)[-1:]
    own = otel_messages({"messages": messages})
    attributes = genai_attributes(messages, answer) | own
    session = read_traces(written(tmp_path, otlp([otlp_span(1, attributes)])))[0]
    assert said(session) == EXPECTED


def test_a_window_of_the_newest_messages_is_one_session_with_all_of_them(tmp_path):
    calls = [([m[0], *m[1:][-4:]], answer) for m, answer in agent_calls(5)]
    spans = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(calls)]
    (session,) = read_traces(written(tmp_path, otlp(spans)))
    assert len(session) == 13 and said(session)[1] == ("user", "Where is order A-1?")
    marks = call_marks(session)
    assert [mark.lost for mark in marks] == [False, False, True, True, True, True]
    assert marks[0].sent is None or marks[0].sent == [0, 1]
    assert [len(mark.sent or ()) for mark in marks][2:] == [5, 5, 5, 5]


def test_a_summary_in_front_is_a_call_of_the_same_session(tmp_path):
    whole = agent_calls(5)
    summary = {"role": "user", "content": "So far: orders 1 to 3 were looked up."}
    later = [([m[0], summary, *m[-4:]], answer) for m, answer in whole[4:5]]
    spans = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate([*whole[:4], *later])]
    (session,) = read_traces(written(tmp_path, otlp(spans)))
    last = call_marks(session)[-1]
    assert last.lost and summary in [m for m in last.sent if not isinstance(m, int)]
    assert "So far" not in "".join(event.text for event in session.log)


def test_a_title_and_a_sub_agent_are_sessions_of_their_own(tmp_path):
    title = ([{"role": "user", "content": "Write a title: Where is order A-1?"}],
             {"role": "assistant", "content": "Order A-1"})  # fmt: skip
    sub = [
        ({"role": "user", "content": "Look at hall 3."},),
    ]
    inner = [
        ([*sub[0]], call_message(8)),
        ([*sub[0], call_message(8), result_message(8)], {"role": "assistant", "content": "ok"}),
    ]
    main = agent_calls(2)
    order = [main[0], title, inner[0], main[1], inner[1], main[2]]
    spans = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(order)]
    traces = read_traces(written(tmp_path, otlp(spans)))
    assert [(s.id, len(s), len(call_marks(s))) for s in traces] == [
        ("case-7", 7, 3),
        ("case-7#2", 2, 1),
        ("case-7#3", 4, 2),
    ]


def test_a_system_text_with_the_time_is_one_session_that_loses_its_prefix(tmp_path):
    calls = []
    for n, (messages, answer) in enumerate(agent_calls(3)):
        system = {"role": "system", "content": f"It is 10:0{n} o'clock."}
        calls.append(([system, *messages[1:]], answer))
    spans = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(calls)]
    (session,) = read_traces(written(tmp_path, otlp(spans)))
    marks = call_marks(session)
    assert [mark.lost for mark in marks] == [False, True, True, True]
    assert session.log[0].text == "It is 10:03 o'clock."
    assert marks[0].sent[0]["content"] == "It is 10:00 o'clock."


def test_what_is_cut_off_is_named_and_never_read_as_whole(tmp_path):
    good, bad = (genai_attributes(*call) for call in agent_calls(1))
    bad["gen_ai.input.messages"] = bad["gen_ai.input.messages"][:100]
    off = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
    spans = [otlp_span(1, good, droppedAttributesCount=2), otlp_span(2, bad), otlp_span(3, off)]
    traces = read_traces(written(tmp_path, otlp(spans)))
    assert [("cut off" in u.why, "not recorded" in u.why) for u in traces.unread] == [
        (True, False),
        (False, True),
    ]
    assert traces[0].metadata["trace"]["gaps"] == [
        "2 attributes of a span were left out by its SDK"
    ]
    with pytest.raises(SessionError, match="not recorded"):
        read_traces(written(tmp_path, otlp([otlp_span(3, off)])))


def test_a_text_that_ends_in_a_mark_of_truncation_is_named(tmp_path):
    messages, answer = agent_calls(1)[-1]
    messages[-1] = {**messages[-1], "content": "a long page ... [truncated 9000 chars]"}
    messages[1] = {**messages[1], "content": "__REDACTED__"}
    spans = [otlp_span(1, genai_attributes(messages, answer))]
    (session,) = read_traces(written(tmp_path, otlp(spans)))
    assert session.metadata["trace"]["gaps"] == ["1 text is cut off", "1 text is redacted"]


def test_rows_of_phoenix_hold_messages_as_lists(tmp_path):
    """What `get_spans_dataframe().to_json(orient="records")` gives."""
    picture = {"message_content.type": "image", "message_content.image.image.url": "http://x/a.png"}
    words = {"message_content.type": "text", "message_content.text": "What is it?"}
    call = {
        "tool_call.id": "c1",
        "tool_call.function.name": "zoom",
        "tool_call.function.arguments": '{"x": 1}',
    }
    row = {
        "context.span_id": "s1",
        "context.trace_id": "t1",
        "start_time": "2026-10-01T10:00:00+00:00",
        "attributes.openinference.span.kind": "LLM",
        "attributes.llm.input_messages": [
            {"message.role": "user", "message.contents": [words, picture]}
        ],
        "attributes.llm.output_messages": [
            {"message.role": "assistant", "message.tool_calls": [call]}
        ],
        "attributes.llm.tools": [{"tool.json_schema": '{"name": "zoom", "input_schema": {}}'}],
        "attributes.llm.model_name": None,
    }
    (session,) = read_traces(written(tmp_path, [row]))
    assert session.log[0].text == "What is it?" and session.log[0].parts[1].url == "http://x/a.png"
    assert session.log[1].calls[0].name == "zoom" and session.tools[0].name == "zoom"


def test_messages_without_contents_are_no_session(tmp_path):
    """OpenTelemetry's own instrumentation writes its events with contents off, too: all are empty."""
    empty = [
        {"name": "gen_ai.system.message", "attributes": []},
        {"name": "gen_ai.user.message", "attributes": []},
        {
            "name": "gen_ai.tool.message",
            "attributes": kvlist({"id": "c1"})["kvlistValue"]["values"],
        },
    ]
    span = otlp_span(1, {"gen_ai.operation.name": "chat"}, events=empty)
    with pytest.raises(SessionError, match="not recorded"):
        read_traces(written(tmp_path, otlp([span])))


def test_an_agent_of_pydantic_ai_is_read_from_its_own_spans(tmp_path):
    """The framework's own instrumentation, as it is by default."""
    agents = pytest.importorskip("pydantic_ai")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from pydantic_ai.models.instrumented import InstrumentationSettings
    from pydantic_ai.models.test import TestModel

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings = InstrumentationSettings(tracer_provider=provider)
    agents.Agent.instrument_all(settings)
    agent = agents.Agent(TestModel(), instructions="be brief")

    @agent.tool_plain
    def get_order(id: str) -> str:
        return f"order {id} is shipped"

    try:
        agent.run_sync("Where is order A-1?")
    finally:
        agents.Agent.instrument_all(False)
    lines = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    (session,) = read_traces(written(tmp_path, lines, "sdk.jsonl"))
    assert [event.role for event in session.log] == [
        "system", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert session.log[0].text == "be brief" and session.log[2].calls[0].name == "get_order"
    assert "shipped" in session.log[3].results[0].text
    assert [mark.at for mark in call_marks(session)] == [2, 4]
    assert all(mark.usage is not None for mark in call_marks(session))
