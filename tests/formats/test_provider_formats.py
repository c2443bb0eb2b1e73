"""OpenAI, Anthropic, Gemini and our own: what is read is given back, whatever it holds."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import Session, compile
from contextwright.errors import MalformedRecord, SessionError, UnknownFormat
from contextwright.formats import FORMATS, gemini, read_session, read_sessions, write_session
from contextwright.session.event import Image, Text
from contextwright.testing import session_of, sessions

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=30)
EXTRA = st.dictionaries(
    st.sampled_from(("refusal", "annotations", "x_custom", "weight")),
    st.one_of(st.none(), TEXT, st.integers(0, 9)),
    max_size=2,
)
IDS = st.text(alphabet="abc123", min_size=1, max_size=6)
ARGUMENTS = st.sampled_from(("{}", '{"q": 1}', '{"b":2, "a":[1]}', "not json", ""))


def chat_messages():
    image = st.fixed_dictionaries(
        {
            "type": st.just("image_url"),
            "image_url": st.fixed_dictionaries(
                {"url": st.sampled_from(("https://x.y/a.png", "data:image/png;base64,aGk="))},
                optional={"detail": st.just("low")},
            ),
        }
    )
    text = st.builds(lambda t: {"type": "text", "text": t}, TEXT)
    odd = st.builds(lambda t: {"type": "input_audio", "input_audio": {"data": t}}, TEXT)
    parts = st.lists(st.one_of(text, image, odd), max_size=3)
    call = st.builds(
        lambda i, n, a: {"id": i, "type": "function", "function": {"name": n, "arguments": a}},
        IDS,
        IDS,
        ARGUMENTS,
    )
    user = st.builds(
        lambda c, e: {"role": "user", "content": c, **e}, st.one_of(TEXT, parts), EXTRA
    )
    system = st.builds(
        lambda r, c: {"role": r, "content": c}, st.sampled_from(("system", "developer")), TEXT
    )
    assistant = st.builds(
        lambda c, k, e: {
            "role": "assistant",
            "content": c,
            **({"tool_calls": k} if k else {}),
            **e,
        },
        st.one_of(st.none(), TEXT, st.lists(text, max_size=2)),
        st.lists(call, max_size=2),
        EXTRA,
    )
    tool = st.builds(
        lambda i, c, e: {"role": "tool", "tool_call_id": i, "content": c, **e},
        IDS,
        st.one_of(TEXT, st.lists(text, max_size=2)),
        EXTRA,
    )
    return st.lists(st.one_of(user, system, assistant, tool), min_size=1, max_size=6)


def claude_messages():
    text = st.builds(
        lambda t, c: {"type": "text", "text": t, **c},
        TEXT,
        st.sampled_from(({}, {"cache_control": {"type": "ephemeral"}}, {"citations": None})),
    )
    image = st.just(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    )
    document = st.just(
        {"type": "document", "source": {"type": "url", "url": "https://x.y/a.pdf"}, "title": "t"}
    )
    result = st.builds(
        lambda i, c, e: {"type": "tool_result", "tool_use_id": i, "content": c, **e},
        IDS,
        st.one_of(TEXT, st.lists(st.one_of(text, image), max_size=2)),
        st.sampled_from(({}, {"is_error": True}, {"is_error": False})),
    )
    use = st.builds(
        lambda i, n, v: {"type": "tool_use", "id": i, "name": n, "input": v},
        IDS,
        IDS,
        st.dictionaries(IDS, TEXT, max_size=2),
    )
    thought = st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": "s"}, TEXT)
    hidden = st.just({"type": "redacted_thinking", "data": "ZW5j"})
    server = st.builds(
        lambda i: {"type": "server_tool_use", "id": i, "name": "web_search", "input": {}}, IDS
    )
    user = st.builds(
        lambda c: {"role": "user", "content": c},
        st.one_of(TEXT, st.lists(st.one_of(text, image, document, result), max_size=4)),
    )
    assistant = st.builds(
        lambda c: {"role": "assistant", "content": c},
        st.one_of(TEXT, st.lists(st.one_of(thought, hidden, text, use, server), max_size=4)),
    )
    return st.lists(st.one_of(user, assistant), min_size=1, max_size=6)


def gemini_contents():
    signature = st.sampled_from(({}, {"thoughtSignature": "c2ln"}))
    text = st.builds(lambda t, s: {"text": t, **s}, TEXT, signature)
    call = st.builds(
        lambda n, v, s: {"functionCall": {"name": n, "args": v}, **s},
        IDS,
        st.dictionaries(IDS, TEXT, max_size=2),
        signature,
    )
    snake = st.builds(lambda n: {"function_call": {"id": n, "name": n, "args": {}}}, IDS)
    answer = st.builds(
        lambda n, v: {"functionResponse": {"name": n, "response": v}},
        IDS,
        st.one_of(
            st.dictionaries(IDS, TEXT, max_size=2),
            st.builds(lambda t: {"result": t}, TEXT),
            st.builds(lambda t: {"error": t}, TEXT),
        ),
    )
    blob = st.sampled_from(
        (
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://a/b"}},
            {"executableCode": {"code": "1"}},
        )
    )
    model = st.builds(
        lambda p: {"role": "model", "parts": p},
        st.lists(st.one_of(text, call, snake, blob), max_size=3),
    )
    user = st.builds(
        lambda p: {"role": "user", "parts": p}, st.lists(st.one_of(text, answer, blob), max_size=3)
    )
    return st.lists(st.one_of(user, model), min_size=1, max_size=6)


def response_items():
    text = st.builds(lambda t: {"type": "input_text", "text": t}, TEXT)
    said = st.builds(lambda t: {"type": "output_text", "text": t, "annotations": []}, TEXT)
    user = st.builds(
        lambda c: {"type": "message", "role": "user", "content": c},
        st.one_of(TEXT, st.lists(text, max_size=2)),
    )
    answer = st.builds(
        lambda c, i: {
            "type": "message",
            "role": "assistant",
            "id": i,
            "content": c,
            "status": "completed",
        },
        st.lists(said, max_size=2),
        IDS,
    )
    call = st.builds(
        lambda i, n, a: {
            "type": "function_call",
            "call_id": i,
            "name": n,
            "arguments": a,
            "id": "fc_" + i,
        },
        IDS,
        IDS,
        ARGUMENTS,
    )
    output = st.builds(
        lambda i, o: {"type": "function_call_output", "call_id": i, "output": o},
        IDS,
        st.one_of(TEXT, st.lists(text, max_size=2)),
    )
    thought = st.builds(
        lambda i, t, e: {
            "type": "reasoning",
            "id": "rs_" + i,
            "summary": [{"type": "summary_text", "text": t}],
            **e,
        },
        IDS,
        TEXT,
        st.sampled_from(({}, {"encrypted_content": "ZW5j"})),
    )
    odd = st.builds(lambda i: {"type": "web_search_call", "id": i, "status": "completed"}, IDS)
    return st.lists(st.one_of(user, answer, call, output, thought, odd), min_size=1, max_size=6)


def comes_back(found, format):
    session = read_session(found, format=format)
    assert json.loads(write_session(session, format)) == found
    again = read_session(write_session(session))
    assert again.snapshot().digest == session.snapshot().digest
    assert json.loads(write_session(again, format)) == found


@given(chat_messages())
def test_openai_chat_comes_back(messages):
    comes_back(messages, "openai-chat")


@given(claude_messages())
def test_anthropic_comes_back(messages):
    comes_back(messages, "anthropic")


@given(gemini_contents())
def test_gemini_comes_back(contents):
    comes_back(contents, "gemini")


@given(response_items())
def test_openai_responses_come_back(items):
    comes_back(items, "openai-responses")


@given(sessions())
def test_our_own_format_comes_back_with_the_states_history(session):
    again = read_session(write_session(session))
    assert again.snapshot().digest == session.snapshot().digest
    assert again.changes == session.changes
    assert write_session(again) == write_session(session)


@given(sessions())
def test_any_session_can_be_written_for_any_provider(session):
    for format in ("openai-chat", "anthropic", "gemini", "openai-responses", "langchain", "adk"):
        data = write_session(session, format)
        assert read_session(data, format=format).log is not None


DOCUMENTS = [
    ("openai-chat", {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "temperature": 0}),
    ("anthropic", {"model": "claude", "system": [{"type": "text", "text": "brief", "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "f", "input_schema": {"type": "object"}}], "max_tokens": 9}),
    ("gemini", {"systemInstruction": {"parts": [{"text": "brief"}]}, "contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {"topK": 1}}),
    ("openai-responses", {"model": "gpt-5", "instructions": "brief", "input": [{"type": "message", "role": "user", "content": "hi"}], "tools": [{"type": "function", "name": "f", "parameters": {}}]}),
]  # fmt: skip


@pytest.mark.parametrize(("format", "document"), DOCUMENTS, ids=[f for f, _ in DOCUMENTS])
def test_whole_requests_are_recognised_and_come_back(format, document):
    session = read_session(document)
    assert json.loads(write_session(session, format)) == document
    if format != "openai-chat":
        assert session.log[0].role == "system"
    if "tools" in document:
        assert [tool.name for tool in session.tools] == ["f"]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ([{"role": "user", "content": 3}], "message 0, field content"),
        (
            [
                {"role": "user", "content": "a"},
                {"role": "assistant", "tool_calls": [{"function": {}}]},
            ],
            "tool_calls[0].function.name",
        ),
        ([{"role": "user", "content": [{"type": "text"}]}], "content[0].text"),
        ([{"role": "user", "content": "a"}, 5], "message 1"),
        ([{"role": ["user"], "content": "a"}], "input"),
        ({"messages": {"role": "user"}}, "input"),
        ({"contents": [{"role": "robot", "parts": []}]}, "content 0, field role"),
        (
            {
                "system": "s",
                "messages": [{"role": "user", "content": [{"type": "tool_result", "content": 7}]}],
            },
            "content[0].content",
        ),
        ([{"contextwright": 9, "session": "x"}], "input"),
    ],
)
def test_a_broken_record_is_named_by_message_and_field(value, where):
    with pytest.raises((MalformedRecord, UnknownFormat)) as caught:
        read_session(value)
    assert where in str(caught.value.where)
    assert caught.value.fix


def test_a_file_with_a_session_a_line_is_read_by_row(tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text(
        '{"id": "a", "messages": [{"role": "user", "content": "1"}]}\n{"id": "b", "messages": [{"role": "user", "content": "2"}]}\n'
    )
    assert [s.id for s in read_sessions(path)] == ["a", "b"]


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "tau-bench"])
def test_a_file_whose_lines_are_one_sessions_records_is_that_session(tmp_path, format):
    """Its lines are no sessions: a transcript was one of an event a line."""
    session = Session("case")
    session.user("Where is order A-1?")
    session.call("get_order", '{"id": "A-1"}', id="c1")
    session.result("c1", "shipped")
    session.assistant("It was shipped.")
    path = tmp_path / "case.jsonl"
    write_session(session, format, path)
    (read,) = read_sessions(path)
    assert list(read.log) == list(read_session(path).log)


def test_every_format_names_itself():
    from contextwright.formats import format_named

    for name in FORMATS:
        assert name == format_named(name).NAME
    with pytest.raises(UnknownFormat, match="nope"):
        read_session([{"role": "user", "content": "x"}], format="nope")


def test_gzip_and_jsonl_are_read_from_their_bytes(tmp_path):
    import gzip

    data = write_session(session_of("u: hi | a: hello"))
    assert len(read_session(gzip.compress(data))) == 2
    path = tmp_path / "named.jsonl.gz"
    path.write_bytes(
        gzip.compress(b'{"role": "user", "content": "x"}\n{"role": "user", "content": "y"}\n')
    )
    assert read_session(path).id == "named"


def test_a_torn_string_of_escaped_quotes_is_refused_in_linear_time():
    torn = b'{"a": [' + b"[]," * 300 + b'"' + b'\\"' * 200_000
    started = time.perf_counter()
    with pytest.raises(MalformedRecord):
        read_session(torn)
    assert time.perf_counter() - started < 5


def test_nesting_is_counted_outside_of_strings_only():
    held = json.dumps([{"role": "user", "content": '["' * 400}])
    assert read_session(held.encode()).log[0].text == '["' * 400


SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}}
TOOLS = {
    "openai-chat": {
        "type": "function",
        "function": {"name": "f", "parameters": SCHEMA, "description": "d"},
    },
    "openai-responses": {
        "type": "function",
        "name": "f",
        "description": "d",
        "parameters": SCHEMA,
    },
    "anthropic": {"name": "f", "description": "d", "input_schema": SCHEMA},
    "gemini": {"function_declarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]},
}
CONVERSATION = {
    "openai-chat": {"messages": [{"role": "user", "content": "hi"}]},
    "openai-responses": {"input": [{"type": "message", "role": "user", "content": "hi"}]},
    "anthropic": {"system": "s", "messages": [{"role": "user", "content": "hi"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}


@pytest.mark.parametrize("target", TOOLS)
@pytest.mark.parametrize("source", TOOLS)
def test_tools_are_written_in_the_form_of_the_format_that_is_asked_for(source, target):
    session = read_session({**CONVERSATION[source], "tools": [TOOLS[source]]}, format=source)
    assert json.loads(write_session(session, target))["tools"] == [TOOLS[target]]


def test_instructions_that_are_items_cost_no_message():
    items = [{"type": "message", "role": "user", "content": text} for text in ("one", "two")]
    document = {"instructions": [dict(items[0], role="developer")], "input": items}
    assert json.loads(write_session(read_session(document), "openai-responses")) == document


@pytest.mark.parametrize("state", [{"k": 1}, [1], None])
def test_the_state_beside_the_messages_comes_back(state):
    document = {"messages": [{"role": "user", "content": "hi"}], "state": state}
    assert json.loads(write_session(read_session(document), "openai-chat")) == document


def test_ids_that_are_made_up_leave_those_of_the_source_alone():
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "id": "e0"}]
    session = read_session(messages)
    assert [event.id for event in session.log] == ["e0_", "e0"]
    assert json.loads(write_session(session, "openai-chat")) == messages


def test_a_file_of_sessions_given_as_one_says_how_to_read_them():
    with pytest.raises(UnknownFormat) as caught:
        read_session(b'{"id": "a", "messages": []}\n{"id": "b", "messages": []}\n')
    assert "2 sessions" in caught.value.what
    assert "read_sessions" in str(caught.value.fix)


@pytest.mark.parametrize("response, text", [({}, ""), ({"result": "a picture"}, "a picture")])
def test_pictures_in_a_response_of_geminis_are_read_and_written(response, text):
    media = [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]
    called = {"id": "c1", "name": "look", "response": response, "parts": media}
    result = gemini.part_of({"functionResponse": called}, "part")
    assert result.text == text
    assert [type(part) for part in result.content] == [Text, Image]
    assert gemini.part_to(result)["functionResponse"]["parts"] == media


def test_what_can_not_be_written_is_named(tmp_path):
    with pytest.raises(SessionError) as caught:
        write_session(session_of("u: hi"), path=tmp_path / "absent" / "x.jsonl")
    assert "absent" in str(caught.value.where)
    session = session_of("u: hi")
    session.metadata["odd"] = "\ud83d"
    with pytest.raises(SessionError, match="not JSON"):
        write_session(session)


HALF = "x\ud83d"
SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "description": HALF}}}
HALVES = {
    "openai-chat": {
        "model": "gpt-5", "messages": [{"role": "user", "content": HALF}], "user": HALF,
        "metadata": {HALF: HALF},
        "tools": [{"type": "function",
                   "function": {"name": "f", "description": HALF, "parameters": SCHEMA}}],
    },
    "openai-responses": {
        "model": "gpt-5", "input": HALF, "instructions": HALF, "metadata": {"a": [HALF]},
        "tools": [{"type": "function", "name": "f", "description": HALF, "parameters": SCHEMA}],
    },
    "anthropic": {
        "model": "claude-sonnet-4-5", "max_tokens": 9, "system": HALF,
        "messages": [{"role": "user", "content": HALF}], "metadata": {"user_id": HALF},
        "tools": [{"name": "f", "description": HALF, "input_schema": SCHEMA}],
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": HALF}]}], "labels": {"a": HALF},
        "systemInstruction": {"parts": [{"text": HALF}]},
        "tools": [{"functionDeclarations": [{"name": "f", "description": HALF}]}],
    },
}  # fmt: skip


@pytest.mark.parametrize("format", HALVES)
def test_half_a_character_is_replaced_wherever_it_stands(format):
    body = HALVES[format]
    whole = json.loads(json.dumps(body).replace("\\ud83d", "\ufffd"))
    model = body.get("model", "gemini-2.5-pro")
    request = compile(body, model=model, cache=False).request
    assert {**request, "model": model} == {**whole, "model": model}
    assert b"\\ud83d" not in write_session(read_session(body, format=format))
