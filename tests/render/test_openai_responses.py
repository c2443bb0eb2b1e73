"""Requests for OpenAI Responses, as they are sent."""

import msgspec
from hypothesis import given
from pydantic import TypeAdapter
from tests.render.strategies import layouts

from contextwright.blocks import Block, CacheClass, Message
from contextwright.render.message_layout import Layout, Section
from contextwright.render.openai_responses import OpenAIResponsesRenderer
from contextwright.session.event import File, Image, Text, Thinking, Tool, ToolCall, ToolResult
from contextwright.testing import target_for

TARGET = target_for("openai-responses")
RENDERER = OpenAIResponsesRenderer()
KNOWN = {"openai-responses": {"id": "rs_known"}}
THOUGHT = Thinking(text="hm", redacted="ZW5j", provider="openai", extra=KNOWN)
CALL = ToolCall(id="call_1", name="search", arguments='{"q": "x"}')


def request(*said, target=TARGET, **places):
    blocks = tuple(
        Block(id=f"b{place}", source="history", messages=group, turn=place, order=place)
        for place, group in enumerate(said)
    )
    made = RENDERER.request(Layout(conversation=blocks, **places), target)
    assert RENDERER.validate(made, target) == []
    return made


def user(*parts):
    return (Message("user", parts),)


def called(*thoughts, whole=True, content=(Text(text="found"),)):
    result = ToolResult(call_id="call_1", content=content)
    return Message("assistant", (*thoughts, CALL), whole=whole), Message("tool", (result,))


def kinds(made):
    return [item["type"] for item in made["input"]]


def test_a_conversation_with_reasoning_and_a_call():
    made = request(
        user(Text(text="find x")),
        called(THOUGHT, Text(text="I look.")),
        system=(Section("be brief", CacheClass.STABLE),),
        tail=(Section("state", CacheClass.DYNAMIC),),
        tools=(Tool(name="search", description="Find."),),
    )
    assert made == {
        "model": "gpt-5",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "be brief",
        "tools": [
            {
                "type": "function",
                "name": "search",
                "description": "Find.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "find x"}],
            },
            {
                "type": "reasoning",
                "id": "rs_known",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "ZW5j",
            },
            {"type": "message", "role": "assistant", "content": "I look."},
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "search",
                "arguments": '{"q": "x"}',
            },
            {"type": "function_call_output", "call_id": "call_1", "output": "found"},
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "state"}],
            },
        ],
    }


def test_reasoning_is_sent_only_encrypted_whole_with_what_it_produced_and_to_a_model_that_reasons():
    assert kinds(request(called(THOUGHT)))[0] == "reasoning"
    assert kinds(request(called(THOUGHT, whole=False)))[0] == "function_call"
    assert kinds(request(called(Thinking(text="hm", provider="openai"))))[0] == "function_call"
    foreign = Thinking(text="hm", signature="c2ln", redacted="x", provider="anthropic")
    assert kinds(request(called(foreign)))[0] == "function_call"
    alone = request((Message("assistant", (THOUGHT,)),), user(Text(text="hi")))
    assert kinds(alone) == ["message"]
    plain = request(called(THOUGHT), target=msgspec.structs.replace(TARGET, model="gpt-4o"))
    assert kinds(plain) == ["function_call", "function_call_output"]
    assert "include" not in plain


def test_reasoning_that_stands_there_twice_has_two_ids():
    said = (Message("assistant", (THOUGHT, Text(text="yes"))),)
    made = request(said, said, user(Text(text="hi")))
    first, second = (item["id"] for item in made["input"] if item["type"] == "reasoning")
    assert first == "rs_known" != second
    assert made == request(said, said, user(Text(text="hi")))


def test_pictures_of_results_are_parts_of_the_output():
    content = (Text(text="see"), Image(data="aGk=", detail="ultra"), File(name="a.pdf"))
    output = request(called(content=content))["input"][1]["output"]
    assert output == [
        {"type": "input_text", "text": "see\n[file: a.pdf]"},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,aGk="},
    ]


def test_files_of_the_user_are_sent_by_id_address_or_data():
    files = [
        File(file_id="file-1"),
        File(url="https://example.org/a.pdf"),
        File(name="a.pdf", media_type="application/pdf", data="aGk="),
        File(url="gs://bucket/a.pdf", name="a.pdf"),
    ]
    assert request(user(*files))["input"][0]["content"] == [
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_file", "file_url": "https://example.org/a.pdf"},
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,aGk=",
        },
        {"type": "input_text", "text": "[file: a.pdf]"},
    ]


@given(layouts())
def test_any_layout_is_what_the_sdk_takes(layout):
    from openai.types.responses import ResponseInputItemParam, ToolParam

    made = RENDERER.request(layout, TARGET)
    TypeAdapter(list[ResponseInputItemParam]).validate_python(made["input"])
    TypeAdapter(list[ToolParam]).validate_python(made.get("tools", []))
    assert made.get("tools") != []
    sent = any(item["type"] == "reasoning" for item in made["input"])
    assert ("include" in made) is sent
