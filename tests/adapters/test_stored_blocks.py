"""Answers that Agno stores as Anthropic gave them: what the provider's own tools did is counted,
redacted, and stays in its place."""

import pytest

pytest.importorskip("agno")

from agno.models.message import Message

from contextwright import C, Context
from contextwright.adapters.agno.message_fields import MessageFields
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.message_parts import PartedMessages

MAPPING = PartedMessages(MessageFields())
MODEL = "claude-sonnet-4-5"


def search(number):
    """A search and what it found, sealed."""
    found = {"type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "E" * 4000}
    return [
        {"type": "server_tool_use", "id": f"s{number}", "name": "web_search",
         "input": {"query": f"{number} of a@b.co"}},
        {"type": "web_search_tool_result", "tool_use_id": f"s{number}", "content": [found]},
    ]  # fmt: skip


def talk(count, place="content_blocks"):
    messages = [Message(role="user", content="go")]
    for number in range(count):
        use = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"a": 1}}
        called = {"name": "read", "arguments": '{"a": 1}'}
        call = {"id": f"c{number}", "type": "function", "function": called}
        blocks = search(number)
        if place == "content_blocks":
            said = {"type": "text", "text": "I look"}
            blocks = [said, *blocks, {"type": "text", "text": "and read"}, use]
        answer = Message(role="assistant", content="I lookand read", tool_calls=[call])
        answer.provider_data = {place: blocks, "response_id": "m"}
        result = Message(role="tool", content="row", tool_call_id=f"c{number}")
        messages += [answer, result, Message(role="user", content=f"more {number}")]
    return messages


def compiled(messages, spec):
    request, context = MappedRequest(MAPPING, messages, model=MODEL), Context(spec, model=MODEL)
    return request.messages_of(context(request.body)), context.manifest.tokens


@pytest.mark.parametrize("place", ["content_blocks", "server_tool_blocks"])
def test_what_a_search_found_is_counted_and_nothing_else_is_changed(place):
    messages = talk(10, place)
    sent, tokens = compiled(messages, C.default())
    assert all(one is other for one, other in zip(sent, messages, strict=True))
    assert tokens > 10 * 4000 / 4


@pytest.mark.parametrize("place", ["content_blocks", "server_tool_blocks"])
@pytest.mark.parametrize("spec", [C.budget(6_000), C.compaction(6_000), C.window(n=3)])
def test_under_a_limit_a_search_and_what_it_found_stay_together(spec, place):
    sent, tokens = compiled(talk(10, place), spec)
    answers = [message for message in sent if message.role == "assistant" and message.tool_calls]
    assert 0 < len(answers) < 10 and tokens < 12_000
    for message in answers:
        blocks = message.provider_data[place]
        uses = [block["id"] for block in blocks if block["type"] == "server_tool_use"]
        assert uses == [block["tool_use_id"] for block in blocks if "tool_use_id" in block] != []


@pytest.mark.parametrize("place", ["content_blocks", "server_tool_blocks"])
def test_what_the_model_asked_a_search_is_redacted(place):
    messages = talk(1, place)
    sent, _ = compiled(messages, C.redact("email"))
    was, now = (one[1].provider_data[place] for one in (messages, sent))
    assert [block["type"] for block in now] == [block["type"] for block in was]
    (asked,) = (block for block in now if block["type"] == "server_tool_use")
    assert asked["input"] == {"query": "0 of [REDACTED]"}
    assert [b for b in now if b is not asked] == [b for b in was if b.get("id") != "s0"]
    assert sent[1].provider_data["response_id"] == "m" and "a@b.co" in str(was)


def test_a_text_that_is_redacted_is_one_in_the_stored_answer_too():
    messages = talk(1)
    messages[1].content = "I look for a@b.co"
    messages[1].provider_data["content_blocks"][0]["text"] = "I look for a@b.co"
    (_, answer, *_), _ = compiled(messages, C.redact("email"))
    texts = [b.get("text") for b in answer.provider_data["content_blocks"] if b["type"] == "text"]
    assert answer.content == "I look for [REDACTED]" and texts == ["I look for [REDACTED]"]
