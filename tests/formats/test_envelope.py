"""Stores, memories and sessions of frameworks: the messages of one conversation, and back whole."""

import copy

import pytest
from tests.formats.bodies import AGENT_FRAMEWORK, LLAMA_INDEX
from tests.formats.rounds import assert_comes_back, messages

from contextwright import C, compile
from contextwright.errors import ContextwrightError, MalformedRecord
from contextwright.formats import agent_framework, llama_index, read_session
from contextwright.formats.objects import session_from

STORE = {"store": {"amy": LLAMA_INDEX, "old": []}, "class_name": "SimpleChatStore"}
MEMORY = {"chat_store": STORE, "chat_store_key": "amy", "token_limit": 3000,
          "class_name": "ChatMemoryBuffer"}  # fmt: skip
SESSION = {"type": "session", "session_id": "s-1", "service_session_id": None,
           "state": {"in_memory": {"messages": AGENT_FRAMEWORK, "x": 1}, "todo": {"items": []}}}  # fmt: skip
THREAD = {"service_thread_id": None, "chat_message_store_state": {"messages": AGENT_FRAMEWORK,
          "type": "chat_message_store_state"}}  # fmt: skip
KINDS = {
    "store": (llama_index, STORE, LLAMA_INDEX),
    "memory": (llama_index, MEMORY, LLAMA_INDEX),
    "session": (agent_framework, SESSION, AGENT_FRAMEWORK),
    "thread": (agent_framework, THREAD, AGENT_FRAMEWORK),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_inside_is_read_as_if_it_stood_alone(kind):
    module, record, inside = KINDS[kind]
    session = assert_comes_back(module, record)
    assert messages(session) == messages(read_session(inside))
    assert messages(session_from(copy.deepcopy(record))) == messages(session)
    assert compile(record, C.default(), model="gpt-5").request["messages"]
    assert session.id == ("s-1" if kind == "session" else "session")


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_that_goes_on_is_written_inside(kind):
    module, record, inside = KINDS[kind]
    session = read_session(copy.deepcopy(record))
    session.user("one more")
    written = module.write(session)
    assert written.keys() == record.keys()
    assert messages(read_session(written))[-1] == ("user", ["one more"])
    assert len(messages(read_session(written))) == len(messages(read_session(inside))) + 1


def test_of_several_conversations_none_is_chosen():
    with pytest.raises(MalformedRecord, match="got 2: store.amy, store.old") as error:
        read_session({"store": {"amy": LLAMA_INDEX, "old": LLAMA_INDEX}})
    assert error.value.fix == "give the list of one of them"


@pytest.mark.parametrize(
    "foreign",
    [
        {"store": {"amy": [{"role": "user", "content": "hi"}]}},
        {"state": {"a": {"messages": [{"role": "user"}]}}},
        {"store": 7},
        {"state": {"messages": 7}},
        {"store": {}},
    ],
)
def test_what_has_only_such_a_key_is_no_such_record(foreign):
    with pytest.raises(ContextwrightError) as error:
        read_session(foreign)
    assert error.value.where and error.value.fix
    with pytest.raises(ContextwrightError):
        session_from(foreign)
