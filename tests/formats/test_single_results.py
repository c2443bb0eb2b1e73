"""An event of several results is whole in every format."""

import json

import pytest

from contextwright import Session, read_session, write_session
from contextwright.formats import FORMATS
from contextwright.session import Event, Image, Text, ToolCall, ToolResult

OTHERS = [name for name in FORMATS if name != "contextwright"]


def session_of_events(*events):
    session = Session("s", metadata={"tau-bench": {"task_id": 1}})
    session.extend(events)
    return session


def asked(*ids):
    return Event(id="a", role="assistant", parts=tuple(ToolCall(id=id, name="look") for id in ids))


def answered(id, *texts):
    return ToolResult(call_id=id, content=tuple(Text(text=text) for text in texts))


QUESTION = Event(id="q", role="user", parts=(Text(text="go"),))


def results_in(session):
    return [(one.call_id, one.text) for event in session.log for one in event.results]


@pytest.mark.parametrize("format", FORMATS)
def test_several_results_of_one_event_all_come_back(format):
    together = Event(id="r", role="tool", parts=(answered("c1", "one"), answered("c2", "two")))
    said = Event(id="e", role="assistant", parts=(Text(text="both"),))
    session = session_of_events(QUESTION, asked("c1", "c2"), together, said)
    again = read_session(write_session(session, format), format=format)
    assert results_in(again) == [("c1", "one"), ("c2", "two")]
    assert [event.text for event in again.log if event.role == "assistant"][-1] == "both"


@pytest.mark.parametrize("format", OTHERS)
def test_what_a_tool_says_beside_its_results_is_of_the_one_in_front(format):
    parts = (Text(text="first"), answered("c1", "one"), Text(text="more"), answered("c2", "two"))
    mixed = Event(id="r", role="tool", parts=parts)
    session = session_of_events(QUESTION, asked("c1", "c2"), mixed)
    again = read_session(write_session(session, format), format=format)
    assert results_in(again) == [("c1", "first\none\nmore"), ("c2", "two")]


@pytest.mark.parametrize("format", OTHERS)
def test_what_answers_no_call_is_no_result_of_one(format):
    session = session_of_events(
        QUESTION, Event(id="t", role="tool", parts=(Text(text="a note"),)), asked("c1")
    )
    again = read_session(write_session(session, format), format=format)
    assert results_in(again) == []
    assert "a note" in "\n".join(event.text for event in again.log if event.role == "user")


@pytest.mark.parametrize("format", ["pi", "claude-code", "adk", "langchain"])
def test_messages_out_of_one_event_have_ids_of_their_own(format):
    together = Event(id="r", role="tool", parts=(answered("c1", "one"), answered("c2", "two")))
    taken = Event(id="r#2", role="user", parts=(Text(text="taken"),))
    session = session_of_events(QUESTION, asked("c1", "c2"), together, taken)
    again = read_session(write_session(session, format), format=format)
    ids = [event.id for event in again.log]
    assert ids == ["q", "a", "r", "r#3", "r#2"]


def test_a_state_change_stays_behind_the_event_that_it_followed():
    together = Event(id="r", role="tool", parts=(answered("c1", "one"), answered("c2", "two")))
    session = session_of_events(QUESTION, asked("c1", "c2"), together)
    session.update({"found": 2})
    session.user("thanks", id="u2")
    written = json.loads(write_session(session, "adk"))
    keys = [bool(event.get("actions")) for event in written["events"]]
    assert keys == [False, False, False, False, True, False]
    assert written["state"] == {"found": 2}


def test_writing_leaves_the_session_as_it_was():
    picture = Image(data="aGk=")
    mixed = Event(id="r", role="tool", parts=(answered("c1", "one"), picture))
    session = session_of_events(QUESTION, asked("c1"), mixed)
    for format in FORMATS:
        write_session(session, format)
    assert session.log[2] == mixed and len(session.log) == 3
