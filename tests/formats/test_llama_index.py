"""LlamaIndex: dumped by its own messages, read, written, loaded by its own messages."""

import json

import pytest
from hypothesis import given
from tests.formats.bodies import LLAMA_INDEX
from tests.formats.rounds import assert_comes_back, document, messages, sessions

from contextwright.errors import MalformedRecord
from contextwright.formats import llama_index
from contextwright.session import File, Opaque, Thinking
from contextwright.testing import FormatSuite


class TestLlamaIndex(FormatSuite):
    format = llama_index


def dumped(value):
    return [json.loads(message.model_dump_json()) for message in value]


def test_what_it_dumps_comes_back_and_loads():
    types = pytest.importorskip("llama_index.core.base.llms.types")
    value = dumped(
        [
            types.ChatMessage(role="system", content="be brief"),
            types.ChatMessage(
                role="user",
                blocks=[
                    types.TextBlock(text="look"),
                    types.ImageBlock(image=b"hi", image_mimetype="image/png"),
                    types.DocumentBlock(data=b"hi", title="d.pdf"),
                ],
            ),
            types.ChatMessage(
                role="assistant",
                blocks=[
                    types.ThinkingBlock(content="hm", additional_information={"signature": "s"}),
                    types.ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={"a": 1}),
                ],
            ),
            types.ChatMessage(
                role="tool", content="seen", additional_kwargs={"tool_call_id": "c1"}
            ),
        ]
    )
    session = assert_comes_back(llama_index, value)
    loaded = [types.ChatMessage.model_validate(each) for each in llama_index.write(session)]
    assert dumped(loaded) == value
    assert isinstance(session.log[1].parts[2], File) and session.log[1].parts[2].data == "aGk="


@given(session=sessions())
def test_what_is_written_of_any_session_loads_and_says_the_same(session):
    types = pytest.importorskip("llama_index.core.base.llms.types")
    session.user("begin")
    loaded = [types.ChatMessage.model_validate(each) for each in llama_index.write(session)]
    assert messages(llama_index.read(document(dumped(loaded)))) == messages(session)


@pytest.mark.parametrize("key", ["messages", "chat_history"])
def test_a_document_around_the_messages_comes_back(key):
    session = assert_comes_back(llama_index, {"token_limit": 9, key: LLAMA_INDEX})
    thought, call = session.log[2].parts
    assert isinstance(thought, Thinking) and thought.signature == "s"
    assert call.arguments == '{"a": 1}' and session.log[3].results[0].call_id == "c1"
    assert isinstance(session.log[1].parts[2], Opaque)
    assert session.log[4].calls[0].id == "c2"


def test_messages_from_before_blocks_keep_their_calls():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    value = [
        {"role": "user", "content": "x", "additional_kwargs": {}},
        {"role": "assistant", "content": None, "additional_kwargs": {"tool_calls": [call]}},
        {"role": "tool", "content": "r", "additional_kwargs": {"tool_call_id": "c", "name": "f"}},
    ]
    session = assert_comes_back(llama_index, value)
    assert llama_index.sniff(document(value))
    assert session.snapshot().exchanges()[-1].mark == "complete"


def test_a_call_in_a_block_and_beside_it_is_one_call():
    block = {"block_type": "tool_call", "tool_call_id": "c", "tool_name": "f", "tool_kwargs": {}}
    beside = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    kwargs = {"tool_calls": [beside]}
    value = [{"role": "assistant", "additional_kwargs": kwargs, "blocks": [block]}]
    assert len(assert_comes_back(llama_index, value).log[0].calls) == 1


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "robot", "blocks": []}, "message 0, field role"),
        ({"role": "user", "blocks": [{"block_type": "text", "text": 4}]}, "blocks[0].text"),
        ({"role": "assistant", "blocks": [{"block_type": "tool_call"}]}, "blocks[0].tool_name"),
    ],
)
def test_what_is_broken_is_named(message, place):
    with pytest.raises(MalformedRecord) as caught:
        llama_index.read(document([message]))
    assert place in str(caught.value.where) and caught.value.fix
