"""Events of OpenHands, of its SDK and of the versions before it, come back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document

from contextwright.errors import MalformedRecord
from contextwright.formats import detect, openhands
from contextwright.testing import FormatSuite


def text(words):
    return {"cache_prompt": False, "type": "text", "text": words}


def event(kind, id, source="agent", **fields):
    return {"kind": kind, "id": id, "timestamp": "2026-10-01T10:00:00", "source": source, **fields}


def action(id, call, words=(), **more):
    tool_call = {"id": call, "name": "terminal", "arguments": '{"command": "ls"}'}
    named = {"tool_name": "terminal", "tool_call_id": call, "tool_call": tool_call}
    thought = [text(each) for each in words]
    return event("ActionEvent", id, thought=thought, llm_response_id="r1", **named, **more)


def observation(id, call, **fields):
    named = {"tool_name": "terminal", "tool_call_id": call, "action_id": "x"}
    seen = {"kind": "TerminalObservation", "content": [text("a.txt")], **fields}
    return event("ObservationEvent", id, "environment", observation=seen, **named)


SDK = [
    event(
        "SystemPromptEvent",
        "s",
        system_prompt=text("be brief"),
        tools=[{"kind": "TerminalTool", "name": "terminal", "description": "Run."}],
    ),
    event("MessageEvent", "u", "user", llm_message={"role": "user", "content": [text("look")]}),
    event("ConversationStateUpdateEvent", "k", "environment", key="x", value=1),
    action("a1", "c1", ["I look."], reasoning_content="hm", security_risk="LOW"),
    action("a2", "c2"),
    observation("o1", "c1", is_error=False),
    event("AgentErrorEvent", "o2", tool_name="terminal", tool_call_id="c2", error="no shell"),
    event("Condensation", "d", "environment", forgotten_event_ids=["u"], summary="looked"),
    event("MessageEvent", "m", llm_message={"role": "assistant", "content": [text("done")]}),
]


class TestOpenHands(FormatSuite):
    """The suite of every format."""

    format = openhands


def test_events_of_the_sdk():
    assert detect(document(SDK)) == "openhands"
    session = assert_comes_back(openhands, SDK)
    assert [(e.role, e.text) for e in session.log] == [
        ("system", "be brief"),
        ("user", "look"),
        ("assistant", "I look."),
        ("tool", ""),
        ("tool", ""),
        ("user", "looked"),
        ("assistant", "done"),
    ]
    answer = session.log[2]
    assert [call.id for call in answer.calls] == ["c1", "c2"]
    assert answer.calls[0].arguments == '{"command": "ls"}'
    assert [type(part).__name__ for part in answer.parts][0] == "Thinking"
    results = [result for e in session.log for result in e.results]
    assert [(r.text, r.status) for r in results] == [("a.txt", "ok"), ("no shell", "error")]
    assert session.log[5].metadata["kind"] == "summary"
    assert [tool.name for tool in session.tools] == ["terminal"]


def test_observations_of_kinds_without_a_content_are_their_fields():
    seen = {"kind": "GrepObservation", "matches": ["a.py"], "truncated": False}
    whole = [SDK[1], action("a", "c"), {**observation("o", "c"), "observation": seen}]
    session = assert_comes_back(openhands, whole)
    assert session.log[2].results[0].text == '{"matches": ["a.py"]}'
    refused = event("UserRejectObservation", "o", tool_call_id="c", rejection_reason="no")
    session = assert_comes_back(openhands, [SDK[1], action("a", "c"), refused])
    assert session.log[2].results[0].text == "Action rejected: no"


def older(id, source="agent", **fields):
    return {"id": id, "timestamp": "2026-10-01T10:00:00", "source": source, **fields}


RESPONSE = {
    "id": "r1",
    "choices": [
        {
            "message": {
                "content": "I look.",
                "tool_calls": [
                    {"id": "c1", "function": {"name": "bash", "arguments": '{"command":"ls"}'}},
                    {"id": "c2", "function": {"name": "think", "arguments": "{}"}},
                ],
            }
        }
    ],
}


def about(call, name="bash"):
    return {"function_name": name, "tool_call_id": call, "model_response": RESPONSE}


OLDER = [
    older(0, action="system", args={"content": "be brief", "tools": None}),
    older(1, "user", action="message", args={"content": "look", "image_urls": None}),
    older(2, "user", action="recall", args={"query": "look"}),
    older(3, "environment", observation="recall", content="Added context", cause=2),
    older(4, action="run", args={"command": "ls"}, tool_call_metadata=about("c1")),
    older(5, action="think", args={"thought": ""}, tool_call_metadata=about("c2", "think")),
    older(6, observation="run", content="a.txt", cause=4, tool_call_metadata=about("c1")),
    older(7, observation="error", content="no", cause=5, tool_call_metadata=about("c2")),
    older(8, "environment", observation="agent_state_changed", content="", extras={}),
    older(9, action="message", args={"content": "done"}),
]


@pytest.mark.parametrize("key", ["", "history", "trajectory"])
def test_older_events(key):
    whole = {"instance_id": "astropy-1", key: OLDER} if key else OLDER
    assert detect(document(whole)) == "openhands"
    session = assert_comes_back(openhands, whole)
    assert [(e.role, e.text) for e in session.log] == [
        ("system", "be brief"),
        ("user", "look"),
        ("assistant", "I look."),
        ("tool", ""),
        ("tool", ""),
        ("assistant", "done"),
    ]
    calls = session.log[2].calls
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("c1", "bash", '{"command":"ls"}'),
        ("c2", "think", "{}"),
    ]
    assert session.log[4].results[0].status == "error"
    assert session.id == ("astropy-1" if key else "session")


def test_older_actions_without_function_calling_are_calls_by_their_cause():
    whole = [
        OLDER[1],
        older(4, action="run", args={"command": "ls", "thought": "I look."}),
        older(6, observation="run", content="a.txt", cause=4),
    ]
    session = assert_comes_back(openhands, whole)
    assert session.log[1].text == "I look."
    assert session.log[1].calls[0].arguments == '{"command": "ls"}'
    assert session.log[2].results[0].call_id == session.log[1].calls[0].id


def test_a_session_goes_on_behind_what_was_read():
    session = openhands.read(document({"events": SDK, "id": "x"}))
    session.user("and b?")
    written = openhands.write(session)
    assert written["events"][:-1] == SDK and written["id"] == "x"
    assert written["events"][-1]["llm_message"]["content"] == [{"type": "text", "text": "and b?"}]


def test_a_call_without_its_name_is_named_with_its_place():
    broken = action("a", "c")
    del broken["tool_call"]["name"]
    with pytest.raises(MalformedRecord) as caught:
        openhands.read(document([SDK[1], broken]))
    assert "event 1, field tool_call.name" in (caught.value.where or "")


@given(st.lists(st.tuples(st.sampled_from([*SDK, *OLDER]), beside), max_size=6))
def test_any_events_come_back(drawn):
    whole = [{**one, **inner} for one, inner in drawn]
    assert_comes_back(openhands, whole)
