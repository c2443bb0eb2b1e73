"""LangChain messages: dumped by its own functions, read, written, loaded by its own functions."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document, messages, sessions

from contextwright.errors import MalformedRecord
from contextwright.formats import langchain, read_session, write_session

lc = pytest.importorskip("langchain_core.messages")
load = pytest.importorskip("langchain_core.load")

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}}


def real():
    call = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    bad = {"name": "g", "args": "{bad", "id": "c2", "error": "x", "type": "invalid_tool_call"}
    use = {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    return [
        lc.SystemMessage("be brief"),
        lc.HumanMessage([{"type": "text", "text": "look"}, IMAGE, "plain"], name="bob", id="h1"),
        lc.AIMessage(
            content=[thinking, {"type": "text", "text": "a"}, use],
            tool_calls=[call],
            invalid_tool_calls=[bad],
            usage_metadata=usage,
            additional_kwargs={"x": 1},
            response_metadata={"model_name": "m"},
        ),
        lc.ToolMessage("r", tool_call_id="c1", name="f", status="error", artifact={"k": 1}),
        lc.ToolMessage([{"type": "text", "text": "two"}], tool_call_id="c2"),
        lc.AIMessage("done", id="a2"),
        lc.ChatMessage(role="developer", content="q"),
        lc.FunctionMessage(name="f", content="1"),
        lc.AIMessageChunk("chunk"),
    ]


def as_json(value):
    return json.loads(json.dumps(value))


def test_messages_to_dict_comes_back_and_loads():
    value = as_json(lc.messages_to_dict(real()))
    session = assert_comes_back(langchain, value)
    assert lc.messages_from_dict(langchain.write(session)) == lc.messages_from_dict(value)
    assert langchain.sniff(document(value))


@pytest.mark.filterwarnings("ignore")
def test_dumpd_comes_back_and_loads():
    value = as_json(load.dumpd(real()[:6]))
    session = assert_comes_back(langchain, value)
    assert load.load(langchain.write(session)) == real()[:6]
    assert langchain.sniff(document(value))


def test_a_document_around_the_messages_comes_back():
    value = {"messages": as_json(lc.messages_to_dict(real())), "remaining_steps": 3}
    assert_comes_back(langchain, value)


@pytest.mark.parametrize("lines", ["one", "several", "state", "message"])
def test_one_document_is_read_whatever_its_file_is_called(tmp_path, lines):
    """A file with the name of JSON Lines that holds one document, on a line or on several, was
    taken for messages that nobody knows."""
    data = lc.messages_to_dict([lc.HumanMessage("Where is A-1?"), lc.AIMessage("Shipped.")])
    if lines == "message":
        data = data[:1]
    whole = {"messages": data} if lines == "state" else data[0] if lines == "message" else data
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(whole, indent=1 if lines == "several" else None))
    session = read_session(path)
    assert [event.text for event in session.log] == ["Where is A-1?", "Shipped."][: len(data)]
    if lines != "message":
        assert json.loads(write_session(session, "langchain")) == whole


def test_what_is_shown():
    session = langchain.read(document(as_json(lc.messages_to_dict(real()))))
    roles = ["system", "user", "assistant", "tool", "tool", "assistant", "system", "tool"]
    assert [event.role for event in session.log] == [*roles, "assistant"]
    assert session.log[1].author == "bob"
    assert messages(session)[1] == ("user", ["look", "Image", "plain"])
    calls = [(call.id, call.name, call.arguments) for call in session.log[2].calls]
    assert calls == [("c1", "f", '{"a": 1}'), ("c2", "g", "{bad")]
    assert session.log[3].results[0].status == "error"
    assert session.snapshot().exchanges()[2].mark == "failed"


@pytest.mark.parametrize("constructed", [False, True])
@given(session=sessions())
@pytest.mark.filterwarnings("ignore")
def test_what_is_written_of_any_session_loads_and_says_the_same(constructed, session):
    session.metadata["langchain"] = {"constructed": constructed}
    written = langchain.write(session)
    loaded = load.load(written) if constructed else lc.messages_from_dict(written)
    assert messages(langchain.read(document(as_json(lc.messages_to_dict(loaded))))) == messages(
        session
    )


def test_a_removed_message_is_kept_and_not_shown():
    said = [lc.HumanMessage("a", id="1"), lc.HumanMessage("b", id="2"), lc.RemoveMessage(id="1")]
    session = assert_comes_back(langchain, as_json(lc.messages_to_dict(said)))
    assert messages(session) == [("user", ["b"])]


def test_removing_all_removes_all_before():
    gone = lc.RemoveMessage(id="__remove_all__")
    said = [lc.HumanMessage("a", id="1"), gone, lc.HumanMessage("b", id="1")]
    session = assert_comes_back(langchain, as_json(lc.messages_to_dict(said)))
    assert messages(session) == [("user", ["b"])]


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ({"type": "ai"}, "file line 1, message 1, field data.content"),
        (7, "file line 1, message 1, field data.content"),
        (
            {"type": "ai", "data": {"content": 4, "id": "x"}},
            "file line 1, message 1, event x, field content",
        ),
        (
            {"type": "human", "data": {"content": [{"text": "t"}], "id": "x"}},
            "file line 1, message 1, event x, field content[0]",
        ),
        (
            {"type": "tool", "data": {"content": "", "id": "x"}},
            "file line 1, message 1, event x, field tool_call_id",
        ),
        (
            {"type": "ai", "data": {"content": "", "id": "x", "tool_calls": [3]}},
            "file line 1, message 1, event x, field tool_calls[0]",
        ),
    ],
)
def test_a_broken_message_is_named_with_its_field(broken, place):
    good = {"type": "human", "data": {"content": "hi"}}
    with pytest.raises(MalformedRecord) as caught:
        langchain.read(document([good, broken]))
    assert caught.value.where == place and caught.value.fix


BLOCKS = [
    "words",
    {"type": "text", "text": "t", "cache_control": {"type": "ephemeral"}},
    {"type": "reasoning", "reasoning": "r", "extras": {"signature": "s"}},
    {"type": "thinking", "thinking": "t"},
    {"type": "tool_use", "id": "c1", "name": "f", "input": {}, "partial_json": "{}"},
    {"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}},
    {"type": "image", "base64": "AA==", "mime_type": "image/jpeg"},
    {"type": "image", "source": {"type": "url", "url": "https://x"}},
    {"type": "image_url", "image_url": "https://a/b.png"},
    {"type": "audio", "url": "https://a/b.wav"},
    {"type": "file", "file_id": "f", "mime_type": None},
    {"type": "unheard_of", "x": [1]},
    IMAGE,
]
KINDS = ["human", "ai", "system", "tool", "remove", "chat", "MyMessage"]
CALLS = [
    {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"},
    {"name": "f", "args": {}, "id": None},
]


@st.composite
def files(draw):
    made = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(KINDS))
        data = {
            "content": draw(st.text(max_size=3) | st.lists(st.sampled_from(BLOCKS), max_size=3))
        }
        data |= {"type": kind, "id": draw(st.sampled_from([None, "1", "2"])), **draw(beside)}
        if kind == "ai":
            data["tool_calls"] = draw(st.lists(st.sampled_from(CALLS), max_size=2))
        if kind == "tool":
            data["tool_call_id"] = "c1"
        made.append({"type": kind, "data": data})
    return made


@given(files())
def test_any_messages_come_back(value):
    assert_comes_back(langchain, value)


def test_a_result_is_named_by_a_call_that_only_the_content_holds():
    call = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    value = [
        {"type": "ai", "data": {"type": "ai", "content": [call]}},
        {"type": "tool", "data": {"type": "tool", "content": "seen", "tool_call_id": "c"}},
    ]
    session = assert_comes_back(langchain, value)
    assert session.log[1].results[0].name == "look"
