"""An export with any value broken is read as far as it goes, or refused with place and fix."""

import json

import pytest
from tests.traces.agent_calls import (
    agent_calls,
    genai_attributes,
    openinference_attributes,
    otlp,
    otlp_span,
)
from tests.traces.test_exports import langchain_message, observation, run, sample
from tests.traces.test_spans import kvlist, older_events

from contextwright.errors import ContextwrightError
from contextwright.testing.format_suite import ODD, value_places, with_value
from contextwright.traces import call_marks, read_traces


def flat_span(n, messages, answer):
    attributes = {"gen_ai.operation.name": "chat"}
    span = otlp_span(n, attributes)
    span["events"] = [
        {"name": name, "attributes": kvlist(fields)["kvlistValue"]["values"]}
        for name, fields in older_events(messages, answer)
    ]
    return span


def exports():
    calls = agent_calls(1)
    chains = [
        run(
            n,
            {"messages": [list(map(langchain_message, messages))]},
            {"generations": [[{"text": "", "message": langchain_message(answer)}]]},
        )
        for n, (messages, answer) in enumerate(calls)
    ]
    return {
        "genai": otlp([otlp_span(n, genai_attributes(*c)) for n, c in enumerate(calls)]),
        "events": otlp([flat_span(n, *call) for n, call in enumerate(calls)]),
        "openinference": otlp(
            [otlp_span(n, openinference_attributes(*c)) for n, c in enumerate(calls)]
        ),
        "langfuse": [observation(n, *call) for n, call in enumerate(calls)],
        "langsmith": chains,
        "inspect_ai": {"version": 2, "eval": {"task": "t"}, "samples": [sample(pooled=True)]},
    }


EXPORTS = exports()


@pytest.mark.parametrize("name", EXPORTS)
def test_any_broken_value_is_read_or_refused(name, tmp_path):
    path, whole = tmp_path / "export.json", EXPORTS[name]
    for number, place in enumerate(value_places(whole)):
        odd = ODD[number % len(ODD)]
        path.write_text(json.dumps(with_value(whole, place, odd)))
        try:
            for session in read_traces(path):
                call_marks(session)
        except ContextwrightError as error:
            assert error.where and error.fix, place


@pytest.mark.parametrize("name", ["genai", "openinference"])
def test_any_broken_text_of_json_is_read_or_refused(name, tmp_path):
    """What stands as JSON in an attribute, broken inside."""
    path, calls = tmp_path / "export.json", agent_calls(1)
    make = genai_attributes if name == "genai" else openinference_attributes
    attributes = make(*calls[-1])
    for key, text in attributes.items():
        if not str(text).startswith(("[", "{")):
            continue
        whole = json.loads(text)
        for number, place in enumerate(value_places(whole)):
            broken = json.dumps(with_value(whole, place, ODD[number % len(ODD)]))
            path.write_text(json.dumps(otlp([otlp_span(1, {**attributes, key: broken})])))
            try:
                read_traces(path)
            except ContextwrightError as error:
                assert error.where and error.fix, (key, place)


def test_langsmiths_own_type_writes_what_is_read(tmp_path):
    from datetime import UTC, datetime
    from uuid import uuid4

    schemas = pytest.importorskip("langsmith.schemas")
    lines, trace = [], uuid4()
    for n, (messages, answer) in enumerate(agent_calls(2)):
        one = schemas.Run(
            id=uuid4(),
            name="ChatOpenAI",
            start_time=datetime(2026, 10, 1, 10, 0, n, tzinfo=UTC),
            run_type="llm",
            trace_id=trace,
            inputs={"messages": messages},
            outputs={"choices": [{"message": answer}]},
            prompt_tokens=900,
            prompt_token_details={"cache_read": 512},
        )
        lines.append(one.model_dump_json() if hasattr(one, "model_dump_json") else one.json())
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines) + "\n")
    (session,) = read_traces(path)
    assert session.id == str(trace) and len(session) == 7
    assert [mark.usage.cached for mark in call_marks(session)] == [512] * 3


def test_a_last_line_that_was_cut_off_is_unread(tmp_path):
    path = tmp_path / "half.jsonl"
    lines = [json.dumps(observation(n, *call)) for n, call in enumerate(agent_calls(2)[:2])]
    path.write_text(f"{lines[0]}\n{lines[1][:40]}")
    read = read_traces(path)
    assert len(read) == 1
    (unread,) = read.unread
    assert unread.where == "half.jsonl line 2" and "cut off" in unread.why


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for folder, text in {"monday": "{", "tuesday": '{"messages": 1}'}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log.json").write_text(text)
    (tmp_path / "log.json").write_text(json.dumps(EXPORTS["langfuse"]))
    places = [unread.where for unread in read_traces(tmp_path).unread]
    assert len(places) == 2
    assert places[0].startswith("monday/log.json") and places[1].startswith("tuesday/log.json")


def test_sessions_of_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for folder in ("task.1", "task.2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "messages.json").write_text('[{"role": "user", "content": "hi"}]')
    assert [session.id for session in read_traces(tmp_path)] == [
        "task.1/messages",
        "task.2/messages",
    ]
    assert read_traces(tmp_path / "task.1")[0].id == "messages"
