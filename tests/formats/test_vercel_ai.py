"""UI messages of the Vercel AI SDK: an answer with its steps, and back."""

import json

import pytest
from tests.formats.bodies import VERCEL
from tests.formats.rounds import assert_comes_back, document, messages

from contextwright.errors import MalformedRecord
from contextwright.formats import read_session, vercel_ai, write_session
from contextwright.session import Session, Text, ToolCall, ToolResult
from contextwright.testing import FormatSuite


class TestVercelAI(FormatSuite):
    format = vercel_ai


def test_an_answer_is_an_event_for_each_step_and_each_output():
    session = assert_comes_back(vercel_ai, VERCEL)
    assert [event.role for event in session.log] == [
        "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    first, failed = session.log[2].results[0], session.log[3].results[0]
    assert (first.call_id, first.name, first.text) == ("c1", "look", '{"rows": [1.0]}')
    assert (failed.call_id, failed.text, failed.status) == ("c2", "no", "error")
    assert session.log[4].text == "seen" and session.log[4].calls[0].id == "c3"
    image = session.log[0].parts[1]
    assert (image.media_type, image.data) == ("image/png", "aGk=")


def test_what_use_chat_posts_comes_back():
    body = {"id": "chat-1", "messages": VERCEL, "trigger": "submit-message", "messageId": None}
    assert assert_comes_back(vercel_ai, body).id == "chat-1"


@pytest.mark.parametrize(
    ("state", "fields", "status"),
    [
        ("input-streaming", {"input": {"a": 1}}, None),
        ("approval-requested", {"input": {}, "approval": {"id": "x"}}, None),
        ("output-available", {"input": {}, "output": "text"}, "ok"),
        ("output-available", {"input": {}, "output": None}, "ok"),
        ("output-error", {"rawInput": "{", "errorText": "no"}, "error"),
        ("output-denied", {"input": {}, "approval": {"id": "x", "reason": "never"}}, "error"),
    ],
)
def test_every_state_of_a_call(state, fields, status):
    part = {"type": "tool-a-b", "toolCallId": "c", "state": state, **fields}
    session = assert_comes_back(vercel_ai, [{"id": "1", "role": "assistant", "parts": [part]}])
    results = [result for event in session.log for result in event.results]
    assert session.log[0].calls[0].name == "a-b"
    assert [result.status for result in results] == ([status] if status else [])


def test_the_form_of_calls_before_version_5_is_read():
    invocation = {"state": "result", "toolCallId": "c", "toolName": "look", "args": {"a": 1},
                  "result": "seen", "step": 0}  # fmt: skip
    value = [{"id": "1", "role": "assistant", "content": "done", "parts": [
        {"type": "tool-invocation", "toolInvocation": invocation},
        {"type": "text", "text": "done"}]}]  # fmt: skip
    session = assert_comes_back(vercel_ai, value)
    assert session.log[1].results[0].text == "seen" and session.log[2].text == "done"


def test_calls_of_two_steps_stay_two_steps():
    session = Session("s")
    session.user("go")
    for id in ("a", "b"):
        session.call("look", "{}", id=id)
        session.result(id, "seen", name="look")
    written = vercel_ai.write(session)
    assert len(written) == 2
    assert [part["type"] for part in written[1]["parts"]] == [
        "tool-look",
        "step-start",
        "tool-look",
    ]
    assert messages(vercel_ai.read(document(written))) == messages(session)


def results_of(session):
    return [(part.call_id, part.text) for event in session.log for part in event.results]


def test_two_results_of_one_call_are_both_written():
    session = Session("s")
    session.user("go")
    session.call("look", '{"q": 1}', id="a")
    session.result("a", "one", name="look")
    session.result("a", "two", name="look")
    written = vercel_ai.write(session)
    again = vercel_ai.read(document(written))
    assert results_of(again) == [("a", "one"), ("a", "two")]
    assert [part["input"] for part in written[1]["parts"]] == [{"q": 1}, {"q": 1}]
    assert vercel_ai.write(again) == written


def test_two_calls_of_one_id_have_each_their_result():
    session = Session("s")
    session.assistant(ToolCall(id="a", name="look"), ToolCall(id="a", name="write"))
    session.result("a", "seen")
    session.result("a", "written")
    parts = vercel_ai.write(session)[0]["parts"]
    assert [(part["type"], part["output"]) for part in parts] == [
        ("tool-look", "seen"),
        ("tool-write", "written"),
    ]


def test_results_that_stand_before_their_call_are_all_written():
    session = Session("s")
    for text in ("one", "two"):
        session.add("tool", ToolResult(call_id="a", name="look", content=(Text(text=text),)))
    session.assistant(ToolCall(id="a", name="look"))
    again = vercel_ai.read(document(vercel_ai.write(session)))
    assert sorted(results_of(again)) == [("a", "one"), ("a", "two")]


def test_a_session_that_goes_on_keeps_what_was_there():
    session = read_session(VERCEL)
    session.result("c3", "at last")
    session.assistant(Text(text="so"), ToolCall(id="d", name="look"))
    written = json.loads(write_session(session, "vercel-ai"))
    assert written[:2] == VERCEL and written[2]["role"] == "assistant"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"id": "1", "role": "tool", "parts": []}, "message 0, field role"),
        ({"id": "1", "role": "user", "parts": [{"type": "text"}]}, "parts[0].text"),
        ({"id": 4, "role": "user", "parts": []}, "field id"),
    ],
)
def test_what_is_broken_is_named(message, place):
    with pytest.raises(MalformedRecord) as caught:
        vercel_ai.read(document([message]))
    assert place in str(caught.value.where) and caught.value.fix
