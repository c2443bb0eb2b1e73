"""All messages so far, call after call, are one session that grows."""

import copy
import json
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import Session, read_session, write_session
from contextwright.engine.conversation import Conversation
from contextwright.errors import SessionError
from contextwright.session import Text, ToolCall

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini", "langchain", "pydantic-ai")
_LISTS = ("messages", "input", "contents")


def recorded():
    """A run with several calls at once, a failure, and words between calls."""
    session = Session("run")
    session.add("system", "Answer in one word.")
    session.user("What is in the folder?")
    session.assistant("I look.", ToolCall(id="c0", name="ls", arguments='{"path": "."}'))
    session.result("c0", "a.txt\nb.txt")
    session.assistant(
        ToolCall(id="c1", name="cat", arguments='{"path": "a.txt"}'),
        ToolCall(id="c2", name="cat", arguments='{"path": "b.txt"}'),
    )
    session.result("c1", "alpha")
    session.result("c2", "no such file", error=True)
    session.assistant("Two files.")
    session.user("And now?", Text(text="Be quick."))
    session.call("ls", {"path": ".."}, id="c3")
    session.result("c3", "nothing")
    session.assistant("Nothing.")
    return session


def lists(format, session=None):
    """The messages of a session, and a function from some of them to what a program hands over."""
    data = json.loads(write_session(session or recorded(), format))
    if isinstance(data, list):
        return data, lambda messages: messages
    key = next(key for key in _LISTS if key in data)
    return data[key], lambda messages: {**data, key: messages}


def as_whole(source):
    whole = read_session(copy.deepcopy(source))
    return list(whole.log), whole.tools, whole.metadata, dict(whole.state)


def as_held(session):
    metadata = {key: v for key, v in session.metadata.items() if key != "contextwright.fork"}
    return list(session.log), session.tools, metadata, dict(session.state)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_read_in_two_pieces_is_what_is_read_whole(format):
    messages, source = lists(format)
    for first in range(1, len(messages) + 1):
        conversation = Conversation()
        conversation.update(source(messages[:first]))
        session = conversation.update(source(messages))
        assert as_held(session) == as_whole(source(messages)), f"{format}, split at {first}"


@pytest.mark.parametrize("format", FORMATS)
def test_one_message_at_a_time_is_what_is_read_whole(format):
    messages, source = lists(format)
    conversation = Conversation()
    for count in range(1, len(messages) + 1):
        session = conversation.update(source(messages[:count]))
        assert as_held(session) == as_whole(source(messages[:count]))
    if format != "openai-responses":  # an answer's items, one by one, are an event that grows
        assert len(conversation.sessions) == 1


@given(data=st.data())
def test_ids_that_messages_bring_are_those_of_reading_the_whole(data):
    ids = st.sampled_from(["", "e0", "e1", "e2", "e1_", "m"])
    texts = st.sampled_from(["yes", "no"])
    messages = [
        {"role": "user", "content": text, **({"id": id} if id else {})}
        for id, text in data.draw(st.lists(st.tuples(ids, texts), min_size=2, max_size=6))
    ]
    conversation = Conversation()
    try:
        expected = as_whole(messages)[0]
    except SessionError:
        return  # two messages of one id that differ
    for count in sorted(data.draw(st.sets(st.integers(1, len(messages))))):
        conversation.update(messages[:count])
    assert list(conversation.update(messages).log) == expected


def test_a_session_lives_on_and_a_message_is_read_once():
    messages, _ = lists("openai-chat")
    conversation = Conversation("talk")
    session = conversation.update(messages[:4])
    assert session.id == "talk"
    assert conversation.update(messages) is session
    assert conversation.update(copy.deepcopy(messages)) is session
    assert conversation.update(messages) is session


@pytest.mark.parametrize("format", FORMATS)
def test_the_callers_objects_are_kept(format):
    messages, source = lists(format)
    conversation = Conversation()
    conversation.update(source(messages))
    again = copy.deepcopy(messages)
    conversation.update(source(again))
    assert all(mine is own for mine, own in zip(conversation.messages, again, strict=True))


def with_cache_mark(messages):
    for place, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if place == len(messages) - 1 and blocks:
            blocks = [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]
        yield {**message, "content": blocks}


def with_reminders(messages):
    reminder = "<system-reminder>\nThe list is empty.\n</system-reminder>"
    for message in messages:
        content = message["content"]
        if message["role"] == "user" and isinstance(content, str):
            yield {**message, "content": [{"type": "text", "text": f"{reminder}\n"},
                                          {"type": "text", "text": content}]}  # fmt: skip
        else:
            yield message


def with_other_order(messages):
    return (dict(reversed(list(message.items()))) for message in messages)


def with_ids(messages):
    return ({"id": f"msg_{n}", **message} for n, message in enumerate(messages))


def with_empty_fields(messages):
    empty = {"refusal": None, "annotations": [], "audio": None, "name": None}
    return ({**message, **empty} for message in messages)


@pytest.mark.parametrize(
    "change",
    [with_cache_mark, with_reminders, with_other_order, with_ids, with_empty_fields],
)
@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_what_programs_do_to_their_history_is_no_rewrite(format, change):
    messages, source = lists(format)
    conversation = Conversation(format=format)
    session = conversation.update(source(messages[:-1]))
    log = list(session.log)
    changed = [*change(messages[:-1]), messages[-1]]
    assert conversation.update(source(changed)) is session
    assert list(session.log)[: len(log)] == log
    assert len(session.log) == len(log) + 1
    assert conversation.messages[0] is changed[0]
    assert conversation.update(source(messages)) is session


def test_a_reminder_of_its_own_may_come_and_go():
    messages, _ = lists("openai-chat")
    reminder = {"role": "user", "content": "<system-reminder>Be short.</system-reminder>"}
    conversation = Conversation()
    session = conversation.update(messages[:4])
    assert conversation.update([*messages[:2], reminder, *messages[2:]]) is session
    assert list(session.log) == as_whole(messages)[0]
    assert conversation.update(messages) is session
    last = conversation.update([*messages, reminder])
    assert last is session
    assert conversation.update([*messages, {"role": "user", "content": "More?"}]) is session


def edited(messages):
    return [{**m, "content": "alpha beta"} if m.get("content") == "alpha" else m for m in messages]


def without_one(messages):
    return [*messages[:2], *messages[4:]]


@pytest.mark.parametrize("change", [edited, without_one, lambda messages: messages[:5]])
def test_a_rewritten_history_is_another_session_and_the_first_stays(change):
    messages, _ = lists("openai-chat")
    conversation = Conversation("talk")
    first = conversation.update(messages)
    before = list(first.log)
    second = conversation.update(change(messages))
    assert second is not first
    assert list(second.log) == as_whole(change(messages))[0]
    assert list(first.log) == before
    assert conversation.update(messages) is first
    assert conversation.update(change(messages)) is second


def test_an_object_that_was_changed_in_place_is_noticed():
    messages, _ = lists("openai-chat")
    conversation = Conversation()
    first = conversation.update(messages)
    messages[3]["content"] = "nothing at all"
    second = conversation.update(messages)
    assert second is not first
    assert second.log[3].results[0].text == "nothing at all"
    messages[4]["tool_calls"][0]["function"]["arguments"] = "{}"
    assert conversation.update(messages).log[4].calls[0].arguments == "{}"
    assert first.log[3].results[0].text == "a.txt\nb.txt"


@pytest.mark.parametrize("values", [(1, 1.0, True), (0, 0.0, False), ([1], [1.0], [True])])
@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "gemini"])
def test_numbers_that_python_holds_for_equal_are_edits(values, format):
    messages, source = lists(format)
    kept = messages[:3]
    for first, other in zip(values, [*values[1:], values[0]], strict=True):
        conversation = Conversation(format=format)
        with_first = json.dumps(kept).replace('"path": "."', f'"path": {json.dumps(first)}')
        with_other = json.dumps(kept).replace('"path": "."', f'"path": {json.dumps(other)}')
        if format == "openai-chat":  # arguments are texts there: a field beside them
            kept = [{**message, "seed": 7} for message in kept]
            with_first, with_other = (json.dumps(kept).replace('"seed": 7', f'"seed": {json.dumps(v)}')
                                      for v in (first, other))  # fmt: skip
        assert with_first != with_other
        one = conversation.update(source(json.loads(with_first)))
        assert conversation.update(source(json.loads(with_first))) is one
        assert conversation.update(source(json.loads(with_other))) is not one
        assert json.dumps(conversation.messages) == with_other


def test_an_answer_that_grows_changes_its_own_event_only():
    messages, _ = lists("openai-chat")
    conversation = Conversation()
    growing = {"role": "assistant", "content": "Two"}
    events = []
    for text in ("Two", "Two files", "Two files."):
        growing["content"] = text
        events.append(list(conversation.update([*messages[:7], growing]).log))
    assert [log[:7] for log in events] == [events[0][:7]] * 3
    assert [log[7].text for log in events] == ["Two", "Two files", "Two files."]


@pytest.mark.parametrize("other", [
    {"model": "gpt-5-mini"},
    {"system": "Answer in two words."},
    {"tools": [{"name": "ls", "input_schema": {"type": "object"}}]},
])  # fmt: skip
def test_another_model_system_text_or_set_of_tools_shares_nothing(other):
    body = {"model": "gpt-5", "system": "Answer.", "messages": [{"role": "user", "content": "Hi"}]}
    conversation = Conversation()
    first = conversation.update(body)
    second = conversation.update({**body, **other})
    assert first is not second
    assert conversation.update(body) is first
    assert conversation.update({**body, **other}) is second


def test_what_a_body_says_beside_its_messages_is_as_the_last_one_has_it():
    body = {"system": "Answer.", "messages": [{"role": "user", "content": "Hi"}]}
    conversation = Conversation()
    session = conversation.update({**body, "temperature": 0.1})
    again = {**body, "temperature": 0.7}
    assert conversation.update(again) is session
    assert session.metadata == as_whole(again)[2]


def test_a_history_that_branches_has_the_fields_of_its_own_body():
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    conversation = Conversation()
    conversation.update({"system": "Answer.", "messages": messages, "temperature": 0.1})
    body = {"system": "Answer.", "messages": [messages[0], {"role": "user", "content": "Well?"}]}
    session = conversation.update({**body, "temperature": 0.7})
    assert as_held(session) == as_whole({**body, "temperature": 0.7})


def test_older_histories_go_when_there_are_too_many():
    conversation = Conversation(most=3)
    for n in range(10):
        conversation.update([{"role": "user", "content": f"question {n}"}])
    assert len(conversation.sessions) == 3
    assert len({session.id for session in conversation.sessions}) == 3


def test_a_message_that_is_not_understood_changes_nothing():
    messages, _ = lists("openai-chat")
    conversation = Conversation()
    session = conversation.update(messages)
    with pytest.raises(SessionError):
        conversation.update([*messages, {"role": "robot", "content": "beep"}])
    assert conversation.update(messages) is session
    assert list(session.log) == as_whole(messages)[0]


def test_what_is_no_list_of_messages_is_refused():
    with pytest.raises(SessionError, match="expected a list of messages"):
        Conversation().update("hello")


@dataclass
class Said:
    role: str
    content: str


def test_objects_are_read_once_and_watched():
    conversation = Conversation()
    messages = [Said("user", "Hello there"), Said("assistant", "Yes?")]
    session = conversation.update(messages)
    messages.append(Said("user", "Go"))
    assert conversation.update(messages) is session
    assert [event.text for event in session.log] == ["Hello there", "Yes?", "Go"]
    assert conversation.messages[1] is messages[1]
    messages[1].content = "What?"
    assert [e.text for e in conversation.update(messages).log] == ["Hello there", "What?", "Go"]


def test_lists_of_two_formats_are_read_as_the_whole_is():
    conversation = Conversation()
    messages = [{"role": "user", "parts": [{"text": "Hello there"}]}, ("ai", "Yes?")]
    session = conversation.update(messages)
    messages.append(("user", "Go"))
    assert conversation.update(messages) is session
    assert [event.text for event in session.log] == ["Hello there", "Yes?", "Go"]


def test_a_call_reads_what_is_new(monkeypatch):
    from contextwright.formats import read_messages

    read = []
    original = read_messages._guarded
    monkeypatch.setattr(
        read_messages, "_guarded", lambda f, wire, b: read.append(len(wire)) or original(f, wire, b)
    )
    session = Session("long")
    for n in range(200):
        session.user(f"question {n}")
        session.assistant(f"answer {n}")
    messages, _ = lists("openai-chat", session)
    conversation = Conversation()
    for count in range(100, 401, 50):
        conversation.update(msgspec.json.decode(msgspec.json.encode(messages[:count])))
    assert read == [50] * 6
