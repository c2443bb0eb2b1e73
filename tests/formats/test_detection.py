"""A file is read as what it is, or refused with a reason: never taken for something else."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.bodies import ANTHROPIC, BODIES, CHAT, RESPONSES
from tests.formats.rounds import document, rows, sessions

from contextwright import session_from
from contextwright.cli.main import ctx
from contextwright.errors import ContextwrightError, UnknownFormat
from contextwright.formats import FORMATS, detect, format_named, read_session, write_session
from contextwright.session import Opaque

LOGS = ("contextwright", "codex", "claude-code", "swe-agent", "adk")
NOT_OURS = {
    "OpenTelemetry": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
    "A2A": [{"kind": "message", "role": "user", "parts": [{"kind": "text", "text": "hi"}]}],
    "MCP": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
    "OpenHands": [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "hi"}, "message": "hi"}
    ],
    "OpenHands SDK": [
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": []}}
    ],
    "Langfuse": {
        "id": "o", "traceId": "t", "type": "GENERATION", "model": "gpt-5",
        "input": [{"role": "user", "content": "hi"}], "output": {"role": "assistant"},
    },
    "LangSmith": {
        "id": "r", "run_type": "llm", "outputs": {},
        "inputs": {"messages": [[{"lc": 1, "id": ["x"], "kwargs": {"content": "hi"}}]]},
    },
    "Inspect": {"input": [{"role": "user", "content": "hi"}], "target": "x"},
    "ShareGPT": {"conversations": [{"from": "human", "value": "hi"}]},
    "Slack": {"messages": [{"text": "hi", "user": "U1", "ts": "1"}]},
    "Haystack": [
        {"role": "user", "meta": {}, "name": None, "content": [{"text": "hi"}]},
        {"role": "assistant", "meta": {}, "name": None, "content": [{"text": "and so on"}]},
        {"role": "assistant", "meta": {}, "name": None, "content": [
            {"text": "I look"}, {"tool_call": {"id": "c", "tool_name": "f", "arguments": {}}}]},
    ],
    "AutoGen": [{"type": "TextMessage", "source": "user", "content": "hi"}],
    "Semantic Kernel": [{"role": "user", "items": [{"content_type": "text", "text": "hi"}]}],
    "documents": [{"id": 1, "content": "a"}, {"id": 2, "content": "b"}],
    "texts": [{"text": "a"}, {"text": "b"}],
    "rows": [["role", "content"], ["user", "hi"]],
    "a role and no word": [{"role": "user", "name": "bob"}],
    "mostly parts of nobody": [{"role": "user", "content": [
        {"type": "text", "text": "a"}, {"type": "beam"}, {"type": "beam"}]}],
    "numbers": [1, 2, 3],
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_found_out_and_given_back_whole(name):
    assert detect(document(BODIES[name])) == name
    assert json.loads(write_session(read_session(BODIES[name]), name)) == BODIES[name]
    assert session_from(BODIES[name]).log[-1].parts


@pytest.mark.parametrize("name", BODIES)
def test_what_the_agent_did_is_understood(name):
    session = read_session(BODIES[name])
    calls = [call for event in session.log for call in event.calls]
    assert calls[0].name == "look" and json.loads(calls[0].arguments) == {"a": 1}
    results = [result for event in session.log for result in event.results]
    assert results[0].call_id == calls[0].id
    assert "seen" in results[0].text or "1.0" in results[0].text


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "tau-bench"])
@given(session=sessions())
@settings(max_examples=25, deadline=None)
def test_what_a_format_writes_is_never_taken_for_another(format, session):
    """A list of nothing but texts may be plain Chat's: then it says the same in both."""
    session.user("begin")
    session.call("look", '{"a": 1}', id="last")
    session.result("last", "seen", name="look")
    module = format_named(format)
    found = document(module.write(session), lines=module.LINES)
    assert detect(found) == format


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_no_format_is_like_is_refused_by_the_command(name, tmp_path):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(NOT_OURS[name]))
    done = CliRunner().invoke(ctx, ["compile", str(path)])
    assert done.exit_code != 0
    with pytest.raises(UnknownFormat) as caught:
        read_session(path)
    assert (
        caught.value.where
        and caught.value.fix
        and "no format" in str(caught.value)
        or "got" in str(caught.value)
    )


def test_the_reason_names_what_was_seen_and_what_was_looked_for():
    with pytest.raises(UnknownFormat, match="'role', 'parts'; in it first type 'text'") as caught:
        read_session(NOT_OURS["OpenTelemetry"])
    assert all(name in str(caught.value.fix) for name in FORMATS)
    with pytest.raises(UnknownFormat, match="2 of 3 parts of its messages are not understood"):
        read_session(NOT_OURS["mostly parts of nobody"])


def test_a_name_is_somebodys_word_for_parts_of_a_later_kind():
    session = read_session(NOT_OURS["mostly parts of nobody"], format="openai-chat")
    assert [type(part) for part in session.log[0].parts][1:] == [Opaque, Opaque]


@given(st.lists(st.dictionaries(
    st.sampled_from(["role", "content", "type", "parts", "kind", "text", "id", "blocks", "contents"]),
    st.sampled_from(["user", "assistant", "hi", "message", 5, None, [], {}, [{}], [{"text": "hi"}],
                     [{"type": "text", "text": "hi"}], [{"type": "x"}], [{"kind": "x"}]]),
    max_size=4), min_size=1, max_size=4))  # fmt: skip
def test_lists_of_anything_say_something_or_are_refused(value):
    """No message with data in it becomes an event with nothing in it, half of the time or more."""
    try:
        session = read_session(value)
    except ContextwrightError as error:
        assert error.where and error.fix
        return
    spoken = [e for e in session.log if any(not isinstance(p, Opaque) for p in e.parts)]
    held = [
        message
        for message in value
        if any(message.get(k) for k in ("content", "parts", "blocks", "contents"))
    ]
    assert 2 * len(spoken) >= len(held)


def test_a_system_message_between_others_does_not_make_anthropic_chat():
    """As Claude Code sends it."""
    said, *others = ANTHROPIC["messages"]
    reminder = {"role": "system", "content": [{"type": "text", "text": "a reminder"}]}
    body = {**ANTHROPIC, "messages": [said, reminder, *others]}
    for one in (body, body["messages"], {"messages": body["messages"]}):
        assert detect(document(one)) == "anthropic"
        session = read_session(one)
        assert json.loads(write_session(session, "anthropic")) == one
        assert len([call for event in session.log for call in event.calls]) == 1


def test_an_answer_of_anthropic_is_no_item_of_openai():
    block = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
              "content": [{"type": "text", "text": "I look."}, block], "stop_reason": "tool_use"}  # fmt: skip
    for value in (answer, [answer], {**answer, "content": [answer["content"][0]]}):
        assert detect(document(value)) == "anthropic"
    assert read_session([answer]).log[0].calls[0].name == "f"


def test_the_thinking_of_mistral_does_not_make_it_anthropics():
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    said = {"role": "assistant", "content": [thought, {"type": "text", "text": "so"}]}
    assert detect(document([{"role": "user", "content": "hi"}, said])) == "openai-chat"


def test_chat_with_marks_of_the_cache_stays_chat():
    marked = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    messages = [{"role": "system", "content": [marked]}, *CHAT["messages"][1:]]
    assert detect(document(messages)) == "openai-chat"
    assert detect(document(messages[:2])) == "openai-chat"
    assert detect(document([{"role": "user", "content": [marked]}])) == "anthropic"


def test_a_log_row_around_a_request_is_not_the_request():
    assert detect(document(RESPONSES)) == "openai-responses"
    with pytest.raises(UnknownFormat):
        read_session({**RESPONSES, "output": [{"type": "message", "role": "assistant"}]})


def test_looking_at_a_large_file_costs_a_few_looks_a_message():
    """Counted: how often a message's fields are looked up, by all formats together."""

    class Counted(dict):
        looks = 0

        def get(self, *key):
            Counted.looks += 1
            return super().get(*key)

    def looks(count):
        Counted.looks = 0
        detect(document([Counted(role="user", content="hi") for _ in range(count)]))
        return Counted.looks

    assert looks(20_000) - looks(10_000) <= 10_000 * 8


@pytest.mark.parametrize("name", ["webdancer", "who_when", "sgd", "tau_bench_airline", "pi_coding"])
def test_recorded_conversations_are_still_read(name):
    session = read_session(rows(name)[0])
    assert sum(len(event.parts) for event in session.log) >= len(session.log) / 2
