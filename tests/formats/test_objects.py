"""Live objects of the SDKs and frameworks become the session that their dicts are."""

import json
from collections import namedtuple
from types import SimpleNamespace

import pytest

from contextwright import Event, Session, compile, session_from
from contextwright.errors import SessionError, SizeLimit, UnknownFormat
from contextwright.formats import read_session
from contextwright.formats.dump import Dumper
from contextwright.formats.objects import parse_messages
from contextwright.session import Image, Opaque, Text, Thinking, ToolCall, ToolResult
from contextwright.testing import target_for


def shape(session):
    """What was said, without ids and what a format keeps beside."""
    return [
        (event.role, event.author, [_part(part) for part in event.parts]) for event in session.log
    ]


def _part(part):
    if isinstance(part, ToolCall):
        return ("call", part.id, part.name, json.loads(part.arguments))
    if isinstance(part, ToolResult):
        return ("result", part.call_id, part.text, part.status)
    return (type(part).__name__, getattr(part, "text", ""))


QUESTION, RESULT, ANSWER = "what is in the file?", "a long listing", "a listing"
CONVERSATION = [
    ("user", "", [("Text", QUESTION)]),
    ("assistant", "", [("Text", "I look."), ("call", "call_1", "look", {"path": "a"})]),
    ("tool", "", [("result", "call_1", RESULT, "ok")]),
    ("assistant", "", [("Text", ANSWER)]),
]


def openai_chat():
    from openai.types.chat import ChatCompletion, ChatCompletionMessage

    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "look", "arguments": '{"path": "a"}'},
    }
    answer = ChatCompletion.model_validate(
        {
            "id": "x",
            "created": 1,
            "model": "gpt-5",
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": ANSWER},
                }
            ],
        }
    )
    return [
        {"role": "user", "content": QUESTION},
        ChatCompletionMessage.model_validate(
            {"role": "assistant", "content": "I look.", "tool_calls": [call]}
        ),
        {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
        answer,
    ]


def openai_responses():
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

    def said(text):
        return ResponseOutputMessage.model_validate(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }
        )

    call = ResponseFunctionToolCall(
        type="function_call", call_id="call_1", name="look", arguments='{"path": "a"}'
    )
    output = {"type": "function_call_output", "call_id": "call_1", "output": RESULT}
    return [{"role": "user", "content": QUESTION}, said("I look."), call, output, said(ANSWER)]


def anthropic():
    from anthropic.types import Message, TextBlock, ToolUseBlock, Usage

    called = Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-sonnet-4-5",
        content=[
            TextBlock(type="text", text="I look."),
            ToolUseBlock(type="tool_use", id="call_1", name="look", input={"path": "a"}),
        ],
        usage=Usage(input_tokens=1, output_tokens=1),
    )
    return [
        {"role": "user", "content": QUESTION},
        called,
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": RESULT}],
        },
        {"role": "assistant", "content": [TextBlock(type="text", text=ANSWER)]},
    ]


def gemini():
    from google.genai import types

    call = types.FunctionCall(id="call_1", name="look", args={"path": "a"})
    result = types.FunctionResponse(id="call_1", name="look", response={"result": RESULT})
    return [
        types.Content(role="user", parts=[types.Part(text=QUESTION)]),
        types.Content(
            role="model", parts=[types.Part(text="I look."), types.Part(function_call=call)]
        ),
        types.Content(role="user", parts=[types.Part(function_response=result)]),
        types.Candidate(
            content=types.Content(role="model", parts=[types.Part(text=ANSWER)])
        ).content,
    ]


def adk():
    from google.adk.events import Event as AdkEvent

    authors = ["user", "model", "model", "model"]
    return [
        AdkEvent(author=author, invocation_id="i", content=content)
        for author, content in zip(authors, gemini(), strict=True)
    ]


def langchain():
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    call = {"name": "look", "args": {"path": "a"}, "id": "call_1"}
    return [
        HumanMessage(QUESTION),
        AIMessage("I look.", tool_calls=[call]),
        ToolMessage(RESULT, tool_call_id="call_1"),
        AIMessage(ANSWER),
    ]


def pydantic_ai():
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    return [
        ModelRequest(parts=[UserPromptPart(QUESTION)]),
        ModelResponse(parts=[TextPart("I look."), ToolCallPart("look", {"path": "a"}, "call_1")]),
        ModelRequest(parts=[ToolReturnPart("look", RESULT, "call_1")]),
        ModelResponse(parts=[TextPart(ANSWER)]),
    ]


def agent_framework():
    from agent_framework import Content, Message

    return [
        Message("user", [QUESTION]),
        Message(
            "assistant",
            ["I look.", Content.from_function_call("call_1", "look", arguments={"path": "a"})],
        ),
        Message("tool", [Content.from_function_result("call_1", result=RESULT)]),
        Message("assistant", [ANSWER]),
    ]


def llama_index():
    from llama_index.core.base.llms import types

    call = types.ToolCallBlock(tool_call_id="call_1", tool_name="look", tool_kwargs={"path": "a"})
    return [
        types.ChatMessage(role="user", content=QUESTION),
        types.ChatMessage(role="assistant", blocks=[types.TextBlock(text="I look."), call]),
        types.ChatMessage(
            role="tool", content=RESULT, additional_kwargs={"tool_call_id": "call_1"}
        ),
        types.ChatResponse(message=types.ChatMessage(role="assistant", content=ANSWER)),
    ]


def bedrock():
    """Dicts, as botocore takes and gives them."""
    called = {"toolUse": {"toolUseId": "call_1", "name": "look", "input": {"path": "a"}}}
    result = {"toolResult": {"toolUseId": "call_1", "content": [{"text": RESULT}]}}
    answer = {"message": {"role": "assistant", "content": [{"text": ANSWER}]}}
    return [
        {"role": "user", "content": [{"text": QUESTION}]},
        {"role": "assistant", "content": [{"text": "I look."}, called]},
        {"role": "user", "content": [result]},
        {"output": answer, "stopReason": "end_turn", "usage": {"inputTokens": 1}},
    ]


def ours():
    session = Session()
    session.user(QUESTION)
    session.assistant("I look.", ToolCall(id="call_1", name="look", arguments='{"path": "a"}'))
    session.result("call_1", RESULT)
    session.assistant(ANSWER)
    return list(session.log)


SDKS = {
    "openai": openai_chat,
    "openai responses": openai_responses,
    "anthropic": anthropic,
    "google-genai": gemini,
    "google-adk": adk,
    "langchain": langchain,
    "pydantic-ai": pydantic_ai,
    "agent-framework": agent_framework,
    "llama-index": llama_index,
    "bedrock": bedrock,
    "ours": ours,
}


def messages_of(name):
    try:
        return SDKS[name]()
    except ImportError as error:
        pytest.skip(str(error))


def without_authors(session):
    return [(role, "", parts) for role, _, parts in shape(session)]


@pytest.mark.parametrize("name", SDKS)
def test_objects_and_their_dicts_are_the_same_session(name):
    messages = messages_of(name)
    session = session_from(messages)
    expected = CONVERSATION
    if name == "openai responses":  # words and calls behind them are one answer
        assert without_authors(session)[1][2][1][0] == "call"
    assert without_authors(session) == expected
    if name != "ours":
        plain = [Dumper().plain(message, (), "message") for message in messages]
        assert shape(session_from(plain)) == shape(session)
    pack = compile(messages, target=target_for("openai-chat"))
    assert [m["role"] for m in pack.request["messages"]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


@pytest.mark.parametrize("name", SDKS)
def test_every_text_is_found_again_in_the_object_that_it_came_from(name):
    messages = messages_of(name)
    parsed = parse_messages(messages)
    texts = 0
    for event in parsed.session.log:
        sources = parsed.sources[event.id]
        assert len(sources) == len(event.parts) and parsed.messages[event.id]
        for part, source in zip(event.parts, sources, strict=True):
            if source is None:
                continue
            assert source.message in parsed.messages[event.id]
            at(messages[source.message], source.path)
            for path in source.texts:
                texts += 1
                assert at(messages[source.message], path) == part.text
    assert texts == (0 if name == "ours" else 4)
    homes = [index for event in parsed.session.log for index in parsed.messages[event.id]]
    assert sorted(set(homes)) == list(range(len(messages)))


def at(value, path):
    for kind, name in path:
        value = getattr(value, name) if kind == "attr" else value[name]
    return value


def test_mixed_lists():
    mixed = [("system", "Be brief."), QUESTION, *messages_of("langchain")[1:3], *ours()[3:]]
    session = session_from(mixed)
    assert without_authors(session) == [("system", "", [("Text", "Be brief.")]), *CONVERSATION]
    body = {"system": "Be brief.", "messages": mixed[1:], "tools": [{"name": "look"}]}
    assert shape(session_from(body)) == shape(session)
    assert [tool.name for tool in session_from(body).tools] == ["look"]


def test_two_messages_of_one_text_are_told_apart():
    parsed = parse_messages(["yes", "yes", {"role": "user", "content": "yes"}])
    assert [parsed.sources[e.id][0].message for e in parsed.session.log] == [0, 1, 2]


@pytest.mark.parametrize(
    ("message", "role"),
    [
        ("hi", "user"),
        (("human", "hi"), "user"),
        (["ai", "hi"], "assistant"),
        (("developer", "hi"), "system"),
        ({"role": "user", "content": [{"type": "text", "text": "hi"}]}, "user"),
        ({"type": "human", "content": "hi"}, "user"),
        ({"role": "user", "parts": [{"text": "hi"}]}, "user"),
        ({"text": "hi"}, "user"),
        (SimpleNamespace(role="assistant", content="hi"), "assistant"),
        (SimpleNamespace(type="ai", content="hi"), "assistant"),
        (Event(id="x", role="assistant", parts=(Text(text="hi"),)), "assistant"),
    ],
    ids=str,
)
def test_forms_of_one_message(message, role):
    (event,) = session_from([message]).log
    assert (event.role, event.text) == (role, "hi")
    if not isinstance(message, str):
        assert shape(session_from(message)) == shape(session_from([message]))


def test_bodies():
    assert shape(session_from({"input": "hi"})) == [("user", "", [("Text", "hi")])]
    assert shape(session_from({"contents": "hi"})) == [("user", "", [("Text", "hi")])]
    assert len(session_from({"messages": []})) == 0 == len(session_from([]))
    body = {"model": "m", "contents": messages_of("google-genai")}
    assert without_authors(session_from(body)) == CONVERSATION
    body["config"] = {"system_instruction": "Be brief."}
    assert shape(session_from(body))[0] == ("system", "", [("Text", "Be brief.")])
    session = session_from(body, id="mine")
    assert session.id == "mine" and session_from(session) is session


@pytest.mark.parametrize("around", ["state", "snapshot", "checkpoint"])
def test_the_state_of_a_graph(around):
    """As LangGraph's nodes, `get_state` and checkpointers have it: with objects in it."""
    state = {"messages": messages_of("langchain"), "remaining_steps": 3}
    snapshot = namedtuple("StateSnapshot", "values next config metadata")
    graphs = {
        "state": state,
        "snapshot": snapshot(state, (), {}, None),
        "checkpoint": {"v": 4, "id": "1", "channel_values": state, "channel_versions": {}},
    }
    assert without_authors(session_from(graphs[around])) == CONVERSATION


def test_a_response_of_agents_is_its_messages():
    module = pytest.importorskip("agent_framework")
    response = module.AgentResponse(messages=messages_of("agent-framework")[1:])
    assert without_authors(session_from(response)) == CONVERSATION[1:]


def test_bytes_are_written_as_the_model_itself_writes_them():
    """LlamaIndex holds base64 as bytes, others hold the bytes of the picture."""
    types = pytest.importorskip("llama_index.core.base.llms.types")
    block = types.ImageBlock(image=b"hi", image_mimetype="image/png")
    message = types.ChatMessage(
        role="user", blocks=[block, types.ImageBlock(url="https://x/a.png")]
    )
    first, second = session_from([message]).log[0].parts
    assert (first.data, second.url) == ("aGk=", "https://x/a.png")
    raw = {"image": {"format": "png", "source": {"bytes": b"hi"}}}
    assert session_from([{"role": "user", "content": [raw]}]).log[0].parts[0].data == "aGk="


def test_a_framework_session():
    sessions = pytest.importorskip("google.adk.sessions")
    theirs = sessions.Session(
        id="s", app_name="a", user_id="u", state={"k": 1}, events=messages_of("google-adk")
    )
    session = session_from(theirs)
    assert session.id == "s" and session.state["k"] == 1
    assert without_authors(session) == CONVERSATION


def test_pydantic_ai_messages_are_read_as_they_are_dumped():
    module = pytest.importorskip("pydantic_ai.messages")
    messages = [
        module.ModelRequest(
            parts=[
                module.SystemPromptPart("Be brief."),
                module.UserPromptPart(["see", module.ImageUrl(url="https://x.org/a.png")]),
            ],
            instructions="Answer.",
        ),
        module.ModelResponse(
            parts=[
                module.ThinkingPart("hm", signature="s", provider_name="anthropic"),
                module.ToolCallPart("look", '{"a": 1}', "c1"),
                module.NativeToolCallPart("search", {"q": 1}, "c2")
                if hasattr(module, "NativeToolCallPart")
                else module.BuiltinToolCallPart("search", {"q": 1}, "c2"),
            ]
        ),
        module.ModelRequest(parts=[module.ToolReturnPart("look", {"rows": [1]}, "c1")]),
    ]
    dumped = module.ModelMessagesTypeAdapter.dump_python(messages, mode="json")
    session = read_session(dumped)
    assert shape(session) == shape(session_from(messages))
    kinds = [[type(part) for part in event.parts] for event in session.log]
    assert kinds == [[Text], [Text], [Text, Image], [Thinking, ToolCall, Opaque], [ToolResult]]
    from contextwright.formats import pydantic_ai as format

    assert format.write(session) == dumped
    other = Session()
    other.user("q")
    other.call("look", '{"a": 1}', id="c")
    other.result("c", "bad", error=True)
    written = format.write(other)
    module.ModelMessagesTypeAdapter.validate_python(written)
    assert shape(read_session(written)) == shape(other)


def test_parallel_calls_without_ids_keep_their_results():
    def part(kind, **fields):
        return {kind: {"name": "look", **fields}}

    contents = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [part("functionCall", args={"n": n}) for n in (1, 2)]},
        {
            "role": "user",
            "parts": [part("functionResponse", response={"result": f"r{n}"}) for n in (1, 2)],
        },
    ]
    (_, exchange) = session_from(contents).snapshot().exchanges()
    assert exchange.mark == "complete"
    assert [exchange.results[call.id].text for call in exchange.calls] == ["r1", "r2"]
    assert json.loads(json.dumps(contents)) == contents


def test_the_call_and_result_that_came_before_tools():
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "done"},
    ]
    (exchange,) = session_from(messages).snapshot().exchanges()
    assert exchange.mark == "complete" and exchange.results["f"].text == "done"


@pytest.mark.parametrize(
    ("source", "kind", "where"),
    [
        ([{"role": "user", "content": "hi"}, 5], UnknownFormat, "messages[1]"),
        ([{"role": "user", "content": "hi"}, {"colour": "red"}], UnknownFormat, "messages[1]"),
        ([{"role": "user", "content": object()}], SessionError, "messages[0].content"),
        (
            [{"role": "user", "content": "hi"}, {"role": "x", "content": ""}],
            SessionError,
            "message 1",
        ),
        ({"messages": [{"role": "user", "content": "hi"}, None]}, UnknownFormat, "messages[1]"),
        ([("nobody", "hi")], UnknownFormat, "messages[0]"),
        (5, UnknownFormat, "messages[0]"),
        ({"colour": "red"}, UnknownFormat, "messages[0]"),
    ],
)
def test_what_is_not_understood_is_named(source, kind, where):
    with pytest.raises(kind) as caught:
        session_from(source)
    assert where in caught.value.where and caught.value.fix


def test_what_holds_itself_is_refused():
    message = {"role": "user", "content": []}
    message["content"].append(message)
    with pytest.raises(SizeLimit):
        session_from([message])


def test_texts_of_one_character_and_names_of_calls_tell_no_place():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": "f", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "what it gave"},
    ]
    parsed = parse_messages(messages)
    ((result,),) = [parsed.sources[event.id] for event in parsed.session.log if event.results]
    assert result.message == 2
    assert result.texts == ((("key", "content"),),)
    for sources, event in zip(parsed.sources.values(), parsed.session.log, strict=True):
        for source in filter(None, sources):
            assert source.message in parsed.messages[event.id]


def test_a_kind_that_is_no_text_is_no_crash():
    with pytest.raises(SessionError):
        session_from([{"kind": {"of": "what"}, "content": "hello"}])
    parts = [{"text": "hello"}]
    assert session_from([{"kind": ["x"], "parts": parts}]).log[0].text == "hello"


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": [{"type": "hologram", "beam": 1}]}],
        [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
    ],
    ids=["a type that nobody has", "as OpenTelemetry has them"],
)
@pytest.mark.parametrize("read", [session_from, read_session])
def test_what_only_looks_like_a_format_is_refused_and_not_sent_as_nothing(messages, read):
    with pytest.raises(UnknownFormat) as caught:
        read(messages)
    assert caught.value.where and caught.value.fix


def test_a_part_of_a_new_kind_is_still_kept():
    audio = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}
    assert read_session([{"role": "user", "content": [audio]}]).log[0].parts
