"""google-adk sessions: dumped by its own classes, read, written, loaded by its own classes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document, messages

from contextwright.errors import MalformedRecord, SessionError
from contextwright.formats import adk

events = pytest.importorskip("google.adk.events")
actions = pytest.importorskip("google.adk.events.event_actions")
adk_sessions = pytest.importorskip("google.adk.sessions")
types = pytest.importorskip("google.genai.types")

SPELLINGS = [(alias, bare) for alias in (True, False) for bare in (True, False)]


def content(role, *parts):
    return types.Content(role=role, parts=[types.Part(**part) for part in parts])


def event(number, author, said=None, *, invocation="i1", do=None, **more):
    return events.Event(
        id=f"ev{number}",
        author=author,
        content=said,
        timestamp=1700000000.25 + number * 1.2345678,
        invocation_id=invocation,
        actions=actions.EventActions(**(do or {})),
        **more,
    )


def asked():
    call = types.FunctionCall(id="a", name="look", args={"my_arg": 1, "x": [1.5]})
    other = types.FunctionCall(id="b", name="wait", args={})
    return content(
        "model",
        {"text": "hm", "thought": True},
        {"function_call": call, "thought_signature": b"\xff\xee"},
        {"function_call": other},
    )


def answered():
    one = types.FunctionResponse(id="a", name="look", response={"result": "ok"})
    two = types.FunctionResponse(id="b", name="wait", response={"some_key": 2, "status": "pending"})
    return content("user", {"function_response": one}, {"function_response": two})


@pytest.fixture(scope="module")
def session():
    image = types.Blob(data=b"\xff\xfe\xfa\xfb", mime_type="image/png")
    file = types.FileData(file_uri="gs://x", mime_type="application/pdf", display_name="d")
    said = content("user", {"text": "hi"}, {"inline_data": image}, {"file_data": file})
    summary = actions.EventCompaction(
        start_timestamp=1700000001.0,
        end_timestamp=1700000008.0,
        compacted_content=content("model", {"text": "so far"}),
    )
    delta = {"user:name": "Bo", "count": 1, "temp:x": 3}
    log = [
        event(0, "user", said),
        event(1, "root", content("model", {"text": "par"}), partial=True),
        event(2, "root", asked(), branch="root.sub", long_running_tool_ids={"b"}),
        event(3, "root", answered(), do={"state_delta": delta, "artifact_delta": {"f": 1}}),
        event(4, "user", do={"state_delta": {"count": 2, "gone": "x"}}),
        event(5, "root", content("model", {"text": "done"}), do={"state_delta": {"gone": None}}),
        event(6, "user", do={"compaction": summary}),
        event(7, "user", content("user", {"text": "taken back"}), invocation="i2"),
        event(8, "user", do={"rewind_before_invocation_id": "i2"}, invocation="i3"),
        event(9, "user", content("user", {"text": "last"}), invocation="i4"),
    ]
    state = {"user:name": "Bo", "count": 2, "app:k": {"a": None}, "nothing": None}
    return adk_sessions.Session(id="s1", app_name="app1", user_id="u", state=state, events=log)


def dump(session, alias=True, bare=True):
    return json.loads(session.model_dump_json(by_alias=alias, exclude_none=bare))


@pytest.mark.parametrize(("alias", "bare"), SPELLINGS)
def test_a_session_comes_back_in_its_own_spelling_and_loads(session, alias, bare):
    value = dump(session, alias, bare)
    read = assert_comes_back(adk, value)
    assert adk_sessions.Session.model_validate(adk.write(read)) == session
    assert_comes_back(adk, value["events"])
    assert adk.sniff(document(value)) and adk.sniff(document(value["events"]))


@pytest.mark.parametrize(("alias", "bare"), SPELLINGS)
def test_every_spelling_is_the_same_session(session, alias, bare):
    one = adk.read(document(dump(session)))
    other = adk.read(document(dump(session, alias, bare)))
    assert [e.parts for e in one.log] == [e.parts for e in other.log]
    assert [e.metadata for e in one.log] == [e.metadata for e in other.log]
    assert one.state.items() == other.state.items()


def test_what_is_shown(session):
    read = adk.read(document(dump(session)))
    assert [(e.id, e.role, e.author, e.invocation) for e in read.log] == [
        ("ev0", "user", "", "i1"),
        ("ev2", "assistant", "root", "i1"),
        ("ev3", "tool", "root", "i1"),
        ("ev3#2", "tool", "root", "i1"),
        ("ev5", "assistant", "root", "i1"),
        ("ev6", "assistant", "", "i1"),
        ("ev9", "user", "", "i4"),
    ]
    assert read.log[0].parts[1].data == "//76+w=="
    assert read.log[1].metadata == {"branch": "root.sub", "long_running": ["b"]}
    assert read.log[1].time_ms == 1700000002719
    assert read.log[5].metadata == {
        "kind": "summary",
        "scope": "historical",
        "covers": {
            "start_ms": 1700000001000,
            "end_ms": 1700000008000,
            "events": 4,
            "first": "ev2",
            "last": "ev5",
        },
    }


def test_state_changes_stand_at_their_place_and_end_where_the_session_says(session):
    read = adk.read(document(dump(session)))
    assert [(change.position, change.values) for change in read.changes] == [
        (0, {"app:k": {"a": None}}),
        (4, {"user:name": "Bo", "count": 1, "temp:x": 3}),
        (4, {"count": 2, "gone": "x"}),
        (5, {"gone": None}),
        (7, {"temp:x": None}),
    ]
    assert dict(read.state) == {"app:k": {"a": None}, "user:name": "Bo", "count": 2}
    assert read.state.scope("user:") == {"user:name": "Bo"}


@pytest.mark.parametrize(("alias", "bare"), SPELLINGS)
def test_what_happens_after_the_import_is_told_too(session, alias, bare):
    read = adk.read(document(dump(session, alias, bare)))
    read.user("new")
    read.update({"count": 9})
    read.assistant("more")
    loaded = adk_sessions.Session.model_validate(adk.write(read))
    assert loaded.state["count"] == 9
    new, change, more = loaded.events[-3:]
    assert (new.content.role, new.content.parts[0].text) == ("user", "new")
    assert change.actions.state_delta == {"count": 9}
    assert (more.content.role, more.author) == ("model", "model")


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ("x", "file line 1, events[1]"),
        (
            {"id": "e", "content": {"parts": 3}},
            "file line 1, events[1], event e, field content.parts",
        ),
        (
            {"id": "e", "content": {"parts": [{"text": 3}]}},
            "file line 1, events[1], event e, field content.parts[0].text",
        ),
        (
            {"id": "e", "content": {"parts": [{"functionCall": {"args": {}}}]}},
            "file line 1, events[1], event e, field content.parts[0].function_call.name",
        ),
    ],
)
def test_a_broken_event_is_named_with_its_field(broken, place):
    good = {"id": "g", "author": "user", "content": {"role": "user", "parts": [{"text": "hi"}]}}
    with pytest.raises(MalformedRecord) as caught:
        adk.read(document({"id": "s", "appName": "a", "events": [good, broken]}))
    assert caught.value.where == place and caught.value.fix


def test_a_session_without_a_list_of_events_is_refused():
    with pytest.raises(MalformedRecord, match="expected a list"):
        adk.read(document({"id": "s", "appName": "a", "events": {}}))


def test_a_state_key_without_a_name_is_refused():
    broken = {"id": "e", "author": "user", "actions": {"stateDelta": {"": 1}}}
    with pytest.raises(SessionError):
        adk.read(document({"id": "s", "appName": "a", "events": [broken]}))


PARTS = [
    {"text": "t"},
    {"text": "t", "thought": True, "thoughtSignature": "_-8="},
    {"functionCall": {"name": "f", "args": {"snake_case": None}}},
    {"function_call": {"id": "c", "name": "f", "args": {"camelCase": 1}}},
    {"functionResponse": {"id": "c", "name": "f", "response": {"error": "no"}}},
    {"inlineData": {"mimeType": "image/png", "data": "_-8="}},
    {"inlineData": {"mimeType": "audio/wav", "data": "+/8="}},
    {"executableCode": {"code": "1", "language": "PYTHON"}, "videoMetadata": None},
]
state_keys = st.sampled_from(["a", "user:b", "temp:c"])
states = st.dictionaries(state_keys, st.none() | st.integers(0, 9), max_size=2)


@st.composite
def logs(draw):
    made = []
    for number in range(draw(st.integers(0, 6))):
        parts = draw(st.lists(st.sampled_from(PARTS), max_size=3))
        role = draw(st.sampled_from(["user", "model", None]))
        said = {"content": {"role": role, "parts": parts}} if draw(st.booleans()) else {}
        done = {"actions": {"stateDelta": draw(states)}} if draw(st.booleans()) else {}
        partial = {"partial": True} if draw(st.booleans()) else {}
        id = draw(st.sampled_from([f"e{number}", "e0", ""]))
        made.append({"id": id, "author": "root", **said, **done, **partial, **draw(beside)})
    return made


@given(logs(), states)
def test_any_session_comes_back(log, state):
    assert_comes_back(adk, {"id": "s", "appName": "a", "state": state, "events": log})


def test_the_messages_of_both_spellings_are_alike(session):
    one, other = (adk.read(document(dump(session, alias=alias))) for alias in (True, False))
    assert messages(one) == messages(other)
