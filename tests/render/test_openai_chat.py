"""Requests for OpenAI Chat Completions, as they are sent."""

import json

import pytest
from hypothesis import given
from pydantic import TypeAdapter
from tests.render.strategies import layouts

from contextwright import C, Session, compile
from contextwright.blocks import Block, CacheClass, Message
from contextwright.render.message_layout import Layout, Section
from contextwright.render.openai_chat import OpenAIChatRenderer
from contextwright.session.event import File, Image, Opaque, Text, Thinking, ToolCall, ToolResult
from contextwright.testing import target_for

TARGET = target_for("openai-chat")
RENDERER = OpenAIChatRenderer()


def messages(*said, system="", tail=""):
    """The messages of blocks, each given as its messages."""
    blocks = tuple(
        Block(id=f"b{place}", source="history", messages=group, turn=place, order=place)
        for place, group in enumerate(said)
    )
    layout = Layout(
        system=(Section(system, CacheClass.STABLE),),
        conversation=blocks,
        tail=(Section(tail, CacheClass.DYNAMIC),),
    )
    request = RENDERER.request(layout, TARGET)
    assert RENDERER.validate(request, TARGET) == []
    return request["messages"]


def called(*calls, results=(), said=()):
    """Calls and their results."""
    answers = tuple(results) or tuple(
        ToolResult(call_id=call.id, content=(Text(text="ok"),)) for call in calls
    )
    return Message("assistant", (*said, *calls)), Message("tool", answers)


def user(*parts):
    return (Message("user", tuple(Text(text=p) if isinstance(p, str) else p for p in parts)),)


def test_a_conversation_with_a_call():
    call = ToolCall(id="call_1", name="search", arguments='{"q":  "x"}')
    assert messages(user("find x"), called(call), user("and?"), system="be brief") == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "find x"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"q":  "x"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
        {"role": "user", "content": "and?"},
    ]


def test_the_tail_stands_in_front_of_the_users_own_parts():
    image = Image(url="https://example.org/a.png", detail="low")
    assert messages(user("look", image), tail="state") == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "state"},
                {"type": "text", "text": "look"},
                {
                    "type": "image_url",
                    "image_url": {"url": "https://example.org/a.png", "detail": "low"},
                },
            ],
        }
    ]


def test_pictures_of_results_follow_the_last_result_in_a_users_message():
    one, two = ToolCall(id="a", name="shot"), ToolCall(id="b", name="shot")
    results = (
        ToolResult(call_id="a", content=(Text(text="first"), Image(data="aGk="))),
        ToolResult(call_id="b", content=(Image(url="https://example.org/b.png"),)),
    )
    sent = messages(called(one, two, results=results))
    assert [m["role"] for m in sent] == ["assistant", "tool", "tool", "user"]
    assert [m["content"] for m in sent[1:3]] == ["first", "[image: image/png]"]
    assert [part["image_url"]["url"] for part in sent[3]["content"]] == [
        "data:image/png;base64,aGk=",
        "https://example.org/b.png",
    ]


def test_what_a_result_can_not_show_is_named():
    call = ToolCall(id="a", name="read")
    content = (Text(text="see"), File(name="a.pdf"), Image(file_id="file-1", width=8, height=9))
    sent = messages(called(call, results=[ToolResult(call_id="a", content=content)]))
    assert sent[-1]["content"] == "see\n[file: a.pdf]\n[image: image/png 8x9]"


@pytest.mark.parametrize("given", ["", "x" * 41, "with space", "größe", "\ud800"])
def test_an_id_that_is_not_taken_is_the_same_new_one_every_time(given):
    def ids():
        sent = messages(called(ToolCall(id=given, name="t")))
        assert sent[0]["tool_calls"][0]["id"] == sent[1]["tool_call_id"]
        return sent[1]["tool_call_id"]

    assert ids() == ids()
    assert ids().startswith("call_")
    assert len(ids()) <= 40


def test_an_id_that_two_exchanges_share_is_told_apart():
    sent = messages(called(ToolCall(id="a", name="t")), called(ToolCall(id="a", name="t")))
    assert sent[1]["tool_call_id"] == "a"
    assert sent[3]["tool_call_id"] == sent[2]["tool_calls"][0]["id"] != "a"


@pytest.mark.parametrize(
    "given", ["[1]", "null", "nonsense", '{"cut', '{"a": NaN}', "\ufeff{}", '{"a":' * 9999 + "}"]
)
def test_arguments_that_are_no_object_are_shown_with_the_result(given):
    sent = messages(called(ToolCall(id="a", name="t", arguments=given)))
    assert sent[0]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert sent[1]["content"] == (
        f"[the arguments of this call were not a JSON object: {given[:200]}]\nok"
    )


@pytest.mark.parametrize("given", ['{"n": 12345678901234567890123}', '{ "b":1, "a":2 }', "{}"])
def test_arguments_that_are_an_object_are_sent_as_they_were_written(given):
    sent = messages(called(ToolCall(id="a", name="t", arguments=given)))
    assert sent[0]["tool_calls"][0]["function"]["arguments"] == given


def test_escaped_lone_surrogates_are_replaced_and_pairs_stay():
    def arguments(given):
        sent = messages(called(ToolCall(id="a", name="t", arguments=given)))
        return sent[0]["tool_calls"][0]["function"]["arguments"]

    assert json.loads(arguments('{"a": "\\ud800"}')) == {"a": "\ufffd"}
    assert arguments('{"a": "\\ud83d\\ude00"}') == '{"a": "\\ud83d\\ude00"}'


def test_thinking_and_unknown_parts_are_not_sent_and_leave_no_message():
    thought = Thinking(text="hm", redacted="ZW5j", provider="openai")
    unknown = Opaque(format="x", kind="y")
    sent = messages((Message("assistant", (thought, unknown)),), user("hi"))
    assert sent == [{"role": "user", "content": "hi"}]


def test_a_system_message_in_the_conversation_stays_where_it_was():
    sent = messages(user("a"), (Message("system", (Text(text="note"),)),), user("b"))
    assert [m["role"] for m in sent] == ["user", "system", "user"]


def test_a_late_result_stands_with_its_call_and_the_note_behind_both():
    session = Session("s")
    session.user("hi")
    session.call("t", "{}", id="a")
    session.add("system", "note")
    session.result("a", "late")
    session.user("and?")
    sent = compile(session, C.default(), target=TARGET).request["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "system", "user"]


def test_results_of_calls_that_nobody_made_are_not_sent():
    stray = Message("user", (Text(text="hi"), ToolCall(id="a", name="t")))
    answer = Message("tool", (ToolResult(call_id="a", content=(Text(text="ok"),)),))
    assert messages((stray, answer)) == [{"role": "user", "content": "hi"}]


def test_two_tools_never_get_one_name():

    names = RENDERER.draft()
    made = names.name("a b")
    assert names.name("a b") == made
    assert (
        len({made, names.name(made), names.name("a_b"), names.name("a-b"), names.name("a.b")}) == 5
    )


def test_blank_sections_are_not_sent():
    assert messages(user("hi"), system=" \n", tail="") == [{"role": "user", "content": "hi"}]


@given(layouts())
def test_any_layout_is_what_the_sdk_takes(layout):
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    request = RENDERER.request(layout, TARGET)
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(request["messages"])
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(request.get("tools", []))
    assert request.get("tools") != []
