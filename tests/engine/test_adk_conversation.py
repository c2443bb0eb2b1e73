"""Events of google-adk, call after call, are one session that grows, with their state."""

import json
from typing import Any

import pytest

from contextwright import Session, read_session, write_session
from contextwright.engine.conversation import Conversation
from contextwright.errors import MalformedRecord


def event(number: int, author: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    role = "user" if author == "user" else "model"
    content = {"content": {"role": role, "parts": list(parts)}} if parts else {}
    return {
        "id": f"i{number}",
        "author": author,
        "invocationId": f"run{number // 4}",
        "timestamp": 1000.5 + number,
        "actions": {"stateDelta": {}},
        **content,
        **fields,
    }


def changing(**values: Any) -> dict[str, Any]:
    return {"actions": {"stateDelta": values}}


EVENTS = [
    event(0, "user", {"text": "Where is the order?"}),
    event(1, "clerk", {"functionCall": {"id": "c", "name": "find", "args": {"n": 1}}}),
    event(
        2,
        "clerk",
        {"functionResponse": {"id": "c", "name": "find", "response": {"place": "depot"}}},
        **changing(place="depot"),
    ),
    event(3, "clerk", **changing(asked=1)),
    event(4, "clerk", {"text": "In the depot."}),
    event(5, "clerk", {"text": "In the"}, partial=True),
    event(6, "user", {"text": "And now?"}, **changing(asked=2)),
]


def held(session: Session) -> Any:
    changes = [(change.position, change.values) for change in session.changes]
    stored = {key: value for key, value in session.metadata["adk"].items() if key != "wire"}
    return list(session.log), dict(session.state), changes, stored


@pytest.mark.parametrize("steps", [[1, 2, 3, 4, 5, 6, 7], [2, 7], [7]])
@pytest.mark.parametrize("way", ["update", "append"])
def test_it_grows_as_if_all_was_read_at_once(steps: list[int], way: str):
    conversation, session, done = Conversation("s", "adk"), Session("none"), 0
    for step in steps:
        if way == "append":
            session = conversation.append(EVENTS[done:step])
        else:
            session = conversation.update(EVENTS[:step])
        assert held(session) == held(read_session(EVENTS[:step], format="adk"))
        done = step
    assert session.id == "s" and conversation.sessions == (session,)

    assert json.loads(write_session(session, "adk")) == EVENTS


def test_what_was_taken_back_leaves_what_is_in_common():
    conversation = Conversation("s", "adk")
    whole = conversation.update(EVENTS[:3])
    again = conversation.update([*EVENTS[:2], event(9, "clerk", {"text": "I do not know."})])
    assert again is not whole and len(whole) == 3
    assert [one.text for one in again.log][-1] == "I do not know."
    assert list(again.log)[:2] == list(whole.log)[:2] and "place" not in again.state


def test_a_rewind_or_a_compaction_is_read_with_what_it_is_about():
    covers = {"startTimestamp": 1000.0, "endTimestamp": 1003.0}
    summary = {"compactedContent": {"role": "model", "parts": [{"text": "They met."}]}}
    compaction = event(7, "user", actions={"compaction": {**covers, **summary}})
    conversation = Conversation("s", "adk")
    known = conversation.update(EVENTS)
    session = conversation.append([compaction])
    assert session is known and session.log[-1].metadata["covers"]["last"] == "i2"


def test_an_event_that_is_none_changes_nothing():
    conversation = Conversation("s", "adk")
    session = conversation.update(EVENTS[:3])
    with pytest.raises(MalformedRecord):
        conversation.append([{**event(9, "user"), "content": {"parts": [{"text": 3}]}}])
    assert len(session) == 3 and dict(session.state) == {"place": "depot"}


@pytest.mark.parametrize("way", ["update", "append"])
def test_what_began_with_nothing_keeps_its_id(way: str):
    conversation = Conversation("s", "adk")
    assert len(getattr(conversation, way)([])) == 0
    session = getattr(conversation, way)(EVENTS)
    assert session.id == "s" and held(session) == held(read_session(EVENTS, format="adk"))
    assert conversation.append([]) is session
