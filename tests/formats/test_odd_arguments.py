"""Arguments of a call that are no JSON object, no text or nest deep: no format loses them."""

import json

import pytest
from tests.formats.rounds import assert_comes_back, messages

from contextwright import Session, read_session, write_session
from contextwright.errors import ContextwrightError
from contextwright.formats import FORMATS, anthropic
from contextwright.session import ToolCall

CUT_OFF = '{"path": "a.py", "text": "cut of'
WANT_OBJECTS = ["anthropic", "gemini", "bedrock", "adk", "claude-code", "atif", "pi"]
ANY = [name for name in FORMATS if name != "tau-bench"]  # a row of its own only


def session_with(arguments):
    session = Session("odd")
    session.user("go")
    session.call("f", arguments, id="c1")
    session.result("c1", "done", name="f")
    return session


def arguments_in(data, format):
    session = read_session(data, format=format)
    return next(call.arguments for event in session.log for call in event.calls)


@pytest.mark.parametrize("text", [CUT_OFF, "not json", "[1, 2]", '"a text"', "5", "null"])
@pytest.mark.parametrize("format", WANT_OBJECTS)
def test_arguments_that_are_no_object_stand_in_one(format, text):
    data = write_session(session_with(text), format)
    assert json.loads(arguments_in(data, format)) == {"input": text}


@pytest.mark.parametrize("text", [CUT_OFF, "not json", "[1, 2]", '"a text"', "5", "null"])
@pytest.mark.parametrize("format", ANY)
def test_no_format_loses_arguments(format, text):
    back = arguments_in(write_session(session_with(text), format), format)
    assert back == text or json.loads(back) == {"input": text}


@pytest.mark.parametrize("text", ["", "  ", "{}"])
@pytest.mark.parametrize("format", WANT_OBJECTS)
def test_no_arguments_are_an_empty_object(format, text):
    assert arguments_in(write_session(session_with(text), format), format) == "{}"


@pytest.mark.parametrize("format", ["vercel-ai", "vercel-ai-model"])
def test_who_takes_any_value_gets_the_value(format):
    assert b'"input": [' in write_session(session_with("[1, 2]"), format)
    assert arguments_in(write_session(session_with(CUT_OFF), format), format) == json.dumps(
        {"input": CUT_OFF}
    )


def test_an_input_that_is_no_object_comes_back_as_it_came():
    call = {"type": "tool_use", "id": "c", "name": "f", "input": [1, "x"]}
    assert_comes_back(anthropic, [{"role": "assistant", "content": [call]}])


@pytest.mark.parametrize("format", ANY)
def test_half_a_character_in_arguments_is_written_as_the_sign_for_it(format):
    chat = [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": r'{"q": "\ud83d cut emoji"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "ok"},
    ]
    session = read_session(json.dumps(chat).encode())
    arguments = arguments_in(write_session(session, format), format)
    # a format that holds them as a text keeps the escape, which is JSON
    assert json.loads(arguments)["q"] in ("\ufffd cut emoji", "\ud83d cut emoji")


@pytest.mark.parametrize("format", ANY)
def test_half_a_character_anywhere_is_no_fault(format):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": "go \ud83d"},
        {"role": "assistant", "content": "x", "tool_calls": [call], "beside": {"\ud83d": "\ud83d"}},
    ]
    assert write_session(read_session(chat), format).decode()


@pytest.mark.parametrize("depth", [150, 260, 900, 1_500, 100_000])
@pytest.mark.parametrize("format", ANY)
def test_arguments_that_nest_deep_are_written(format, depth):
    text = '{"x": ' + "[" * depth + "]" * depth + "}"
    back = arguments_in(write_session(session_with(text), format), format)
    assert "[" * depth + "]" * depth in back


def test_metadata_that_nests_too_deep_is_named():
    deep = []
    for _ in range(200_000):  # more than any Python takes
        deep = [deep]
    session = session_with("{}")
    session.metadata["openai-chat"] = {"deep": deep}
    with pytest.raises(ContextwrightError, match="not JSON data|damaged"):
        write_session(session, "openai-chat")


def test_a_deep_input_of_a_provider_comes_back():
    inner = 1
    for _ in range(230):
        inner = [inner]
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": inner}}
    session = assert_comes_back(anthropic, [{"role": "assistant", "content": [call]}])
    part = session.log[0].parts[0]
    assert isinstance(part, ToolCall) and part.arguments.count("[") == 230
    assert messages(read_session(write_session(session, "openai-chat"))) == messages(session)
