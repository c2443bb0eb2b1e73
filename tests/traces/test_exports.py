"""Langfuse, LangSmith, inspect_ai, and files of sessions: each gives the agent's session."""

import gzip
import json
import zipfile

import pytest
from tests.formats.rounds import rows
from tests.traces.agent_calls import SYSTEM, TOOLS, agent_calls, history, written

from contextwright.errors import SessionError
from contextwright.traces import call_marks, read_traces

MOMENT = "2026-10-01T10:00:0{}.000Z"
STEPS = 2


def assert_is_the_session(traces, calls=STEPS + 1):
    (session,) = traces
    assert [event.role for event in session.log] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert session.log[4].calls[0].arguments == '{"id": "A-2"}'
    assert session.log[6].text == "It is on its way."
    marks = call_marks(session)
    assert len(marks) == calls and not any(mark.lost or mark.sent for mark in marks)
    marked = [exchange.mark for exchange in session.snapshot().exchanges() if exchange.calls]
    assert marked and not {"orphan", "interrupted"} & set(marked)
    return session, marks


def observation(number, messages, answer, **more):
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "sessionId": "case-7",
        "type": "GENERATION",
        "startTime": MOMENT.format(number),
        "model": "gpt-5",
        "input": {"messages": messages, "tools": TOOLS},
        "output": answer,
        "usageDetails": {"input": 388, "input_cached_tokens": 512, "output": 20, "total": 920},
        **more,
    }


def test_langfuse_observations(tmp_path):
    listed = [observation(n, *call) for n, call in enumerate(agent_calls(STEPS))]
    span = {**listed[0], "id": "s", "type": "SPAN", "input": "go"}
    page = {"data": [*reversed(listed), span], "meta": {}}
    session, marks = assert_is_the_session(read_traces(written(tmp_path, page)))
    assert session.id == "case-7" and [tool.name for tool in session.tools] == ["get_order"]
    usage = marks[0].usage
    assert (usage.input, usage.cached, usage.output) == (900, 512, 20)


def test_langfuse_lines_with_texts_of_json_and_other_spelling(tmp_path):
    lines = []
    for n, call in enumerate(agent_calls(STEPS)):
        one = observation(n, *call)
        for old, new in (("traceId", "trace_id"), ("startTime", "start_time")):
            one[new] = one.pop(old)
        del one["sessionId"]
        lines.append(
            {**one, "input": json.dumps(one["input"]), "output": json.dumps(one["output"])}
        )
    session, _ = assert_is_the_session(read_traces(written(tmp_path, lines, "rows.jsonl")))
    assert session.id == "t1"


def test_langfuse_of_a_cut_input_is_named(tmp_path):
    whole, later = agent_calls(1)
    cut = observation(1, *later, input=json.dumps(later[0])[:200])
    traces = read_traces(written(tmp_path, [observation(0, *whole), cut]))
    assert [unread.why for unread in traces.unread] == ["its input is cut off: no whole JSON"]


def test_langfuse_of_langchain_and_of_anthropic(tmp_path):
    lines = []
    for n, (messages, answer) in enumerate(agent_calls(STEPS)):
        tools = [{"role": "tool", "content": tool} for tool in TOOLS]
        plain = []
        for message in [*messages, answer]:
            calls = [
                {"name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])}
                | {"id": c["id"], "type": "tool_call"}
                for c in message.get("tool_calls", ())
            ]
            plain.append({**message, "tool_calls": calls} if calls else message)
        lines.append(observation(n, [], None, input=[*plain[:-1], *tools], output=plain[-1]))
    session, _ = assert_is_the_session(read_traces(written(tmp_path, lines)))
    assert [tool.name for tool in session.tools] == ["get_order"]
    body = {"system": "Be brief.", "messages": [{"role": "user", "content": "hi"}]}
    answer = {"role": "assistant", "type": "message", "stop_reason": "end_turn"}
    answer["content"] = [{"type": "text", "text": "hello"}]
    one = observation(0, [], None, input=body, output=answer)
    (session,) = read_traces(written(tmp_path, [one]))
    assert [(e.role, e.text) for e in session.log][1:] == [("user", "hi"), ("assistant", "hello")]


def run(number, inputs, outputs, **more):
    return {
        "id": f"r{number}",
        "trace_id": f"t{number}",
        "run_type": "llm",
        "name": "ChatOpenAI",
        "start_time": MOMENT.format(number),
        "inputs": inputs,
        "outputs": outputs,
        "extra": {
            "invocation_params": {"model": "gpt-5", "tools": TOOLS},
            "metadata": {"thread_id": "case-7"},
        },
        **more,
    }


def langchain_message(message):
    from langchain_core.load import dumpd
    from langchain_core.messages import convert_to_messages

    return dumpd(convert_to_messages([message])[0])


def test_langsmith_runs_of_langchain(tmp_path):
    lines = []
    for n, (messages, answer) in enumerate(agent_calls(STEPS)):
        inputs = {"messages": [list(map(langchain_message, messages))]}
        outputs = {"generations": [[{"text": "", "message": langchain_message(answer)}]]}
        counts = {"prompt_tokens": 900, "prompt_token_details": {"cache_read": 512}}
        lines.append(run(n, inputs, outputs, **counts))
    lines.append({**lines[0], "id": "chain", "run_type": "chain"})
    session, marks = assert_is_the_session(read_traces(written(tmp_path, lines, "runs.jsonl")))
    assert session.id == "case-7" and marks[0].usage.cached == 512
    assert [tool.name for tool in session.tools] == ["get_order"]


def test_langsmith_runs_of_the_openai_wrapper(tmp_path):
    runs = []
    for n, (messages, answer) in enumerate(agent_calls(STEPS)):
        usage = {"input_tokens": 900, "output_tokens": 20, "total_tokens": 920}
        usage["input_token_details"] = {"cache_read": 512}
        outputs = {"choices": [{"index": 0, "message": answer}], "usage_metadata": usage}
        runs.append(run(n, {"messages": messages, "model": "gpt-5"}, outputs))
    parent = {**run(9, {"input": "go"}, {}), "run_type": "chain", "child_runs": runs}
    _, marks = assert_is_the_session(read_traces(written(tmp_path, [parent])))
    assert (marks[0].usage.input, marks[0].usage.cached) == (900, 512)
    hidden = run(1, {}, {})
    with pytest.raises(SessionError, match="hidden"):
        read_traces(written(tmp_path, [hidden]))


def test_a_real_log_of_inspect_ai(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(rows("raw")[2]["text"])
    (session,) = read_traces(path)
    whole = json.loads(path.read_text())["samples"][0]
    assert [e.role for e in session.log if e.role == "tool"] == ["tool"] * 4
    marks = call_marks(session)
    assert len(marks) == 5 and not any(mark.lost for mark in marks)
    assert session.log[0].text == whole["messages"][0]["content"]
    billed = sum(mark.usage.input for mark in marks)
    assert billed == whole["model_usage"]["openai/gpt-4o-mini"]["input_tokens"]


def sample(pooled):
    pool = [SYSTEM, *history(STEPS), {"role": "assistant", "content": "It is on its way."}]
    own = []
    for message in pool:
        calls = [
            {
                "id": c["id"],
                "function": "get_order",
                "arguments": json.loads(c["function"]["arguments"]),
            }
            for c in message.get("tool_calls", ())
        ]
        own.append({**message, "id": f"m{len(own)}", **({"tool_calls": calls} if calls else {})})
    places = [n for n, message in enumerate(own) if message["role"] == "assistant"]
    events = []
    for n in places:
        inputs = {"input": [], "input_refs": [[0, n]]} if pooled else {"input": own[:n]}
        output = {"choices": [{"message": own[n]}], "usage": {"input_tokens": 900}}
        tools = [TOOLS[0]["function"]]
        event = {"event": "model", "model": "openai/gpt-5", "tools": tools, "output": output}
        events.append({**event, **inputs, "timestamp": MOMENT.format(n)})
    data = {"events_data": {"messages": own}} if pooled else {}
    return {"id": 1, "epoch": 1, "target": "", "messages": own, "events": events, **data}


@pytest.mark.parametrize("pooled", [False, True])
def test_samples_of_an_eval_file(tmp_path, pooled):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(pooled)))
    session, _ = assert_is_the_session(read_traces(path))
    assert session.id == "1-1"


def test_a_folder_of_exports_and_of_sessions(tmp_path):
    calls = agent_calls(STEPS)
    for n, call in enumerate(calls):
        written(tmp_path, [observation(n, *call)], f"{n}.json")
    chat = [{"id": "own", "messages": history(1)}, {"id": "other", "messages": history(2)}]
    lines = "".join(json.dumps(line) + "\n" for line in chat).encode()
    (tmp_path / "chats.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "broken.json").write_text('{"nothing": 1}')
    (tmp_path / "notes.txt").write_text("not read")
    seen = []
    traces = read_traces(tmp_path, progress=lambda done, all_: seen.append((done, all_)))
    assert sorted(session.id for session in traces) == ["case-7", "other", "own"]
    assert [unread.where for unread in traces.unread] == ["broken.json line 1"]
    assert seen[0] == (0, 5) and seen[-1] == (5, 5)
    plain = next(session for session in traces if session.id == "other")
    assert [mark.at for mark in call_marks(plain)] == [1, 3]


def test_a_folder_without_traces_is_named(tmp_path):
    with pytest.raises(SessionError, match="no file of traces"):
        read_traces(tmp_path)


def test_billed_usage_of_session_files_is_read(tmp_path):
    lines = [json.loads(line) for line in rows("raw")[0]["text"].splitlines()]
    (session,) = read_traces(written(tmp_path, lines, "pi.jsonl"))
    marks = call_marks(session)
    assert len(marks) > 400 and sum(mark.usage is not None for mark in marks) > 400
    step = {"source": "agent", "message": "hi", "step_id": 2}
    step["metrics"] = {"prompt_tokens": 900, "cached_tokens": 512}
    steps = [{"source": "user", "message": "hi", "step_id": 1}, step]
    agent = {"name": "a", "version": "1"}
    whole = {"schema_version": "ATIF-v1.7", "agent": agent, "steps": steps}
    (session,) = read_traces(written(tmp_path, whole))
    (mark,) = call_marks(session)
    assert (mark.usage.input, mark.usage.cached) == (900, 512) and session.id == "export"


def test_a_folder_of_an_event_a_file_is_one_conversation(tmp_path):
    from tests.formats.test_openhands import SDK

    for name in ("one", "two"):
        folder = tmp_path / name / "events"
        folder.mkdir(parents=True)
        for n, event in enumerate(SDK):
            written(folder, event, f"event-{n:05}-{event['id']}.json")
    traces = read_traces(tmp_path)
    assert [(s.id, len(s), len(call_marks(s))) for s in traces] == [("one", 7, 2), ("two", 7, 2)]
    assert [s.id for s in read_traces(tmp_path / "one")] == ["one"]
