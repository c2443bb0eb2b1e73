"""Lists of messages of two formats, halves of lists, and messages that lost a field: what they say is
read, or they are refused by name; nothing of it goes in silence."""

import json
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.formats.generated import DUMPS

from contextwright import C, Context, Conversation, compile, read_session
from contextwright.errors import ContextwrightError
from contextwright.formats.objects import session_from

FEW = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60,
               phases=[Phase.generate])  # fmt: skip
MARK = re.compile(r"said\d+\.")
FRAMEWORK = [
    {"type": "message", "role": "user", "contents": [{"type": "text", "text": "one"}]},
    {"type": "message", "role": "assistant", "contents": [{"type": "text", "text": "two"}]},
]
OTHERS = {
    "openai-chat": {"role": "user", "content": "three"},
    "parts": {"role": "user", "content": [{"type": "text", "text": "three"}]},
    "bedrock": {"role": "user", "content": [{"text": "three"}]},
    "gemini": {"role": "user", "parts": [{"text": "three"}]},
    "pydantic-ai": {
        "kind": "request",
        "parts": [{"part_kind": "user-prompt", "content": "three"}],
    },
    "langchain": {"type": "human", "content": "three"},
    "llama-index": {"role": "user", "additional_kwargs": {}, "blocks": [
        {"block_type": "text", "text": "three"}]},
}  # fmt: skip


def listed(dump):
    """The messages of a dump; of a record with them further inside, none."""
    found = dump.get("messages", []) if isinstance(dump, dict) else dump
    return found if isinstance(found, list) else []


@pytest.mark.parametrize("other", OTHERS)
def test_a_message_of_another_format_is_read_or_refused(other):
    mixed = [*FRAMEWORK, OTHERS[other]]
    assert [event.text for event in session_from(mixed).log] == ["one", "two", "three"]
    for door in (read_session, Conversation().update, Context(C.default(), model="gpt-5")):
        with pytest.raises(ContextwrightError) as caught:
            door(mixed)
        assert caught.value.where and caught.value.fix


@pytest.mark.parametrize("way", ["behind", "between", "one", "without a field"])
def test_what_two_formats_say_is_sent_or_refused(way):
    @FEW
    @given(st.data())
    def check(data):
        one, other = (
            listed(data.draw(DUMPS[data.draw(st.sampled_from(list(DUMPS)))])) for _ in range(2)
        )
        mixed = one + other
        if way == "between":
            mixed = [*one[:1], *other[:1], *one[1:2]] if _is_said(one[1:2]) else mixed
        elif way == "one":
            mixed = [message for message in one[:1] if _is_said([message])]
        elif way == "without a field":
            key = data.draw(st.sampled_from(("role", "type", "kind", "content", "parts", "blocks")))
            mixed = [{k: v for k, v in message.items() if k != key} for message in one]
        for door in (read_session, session_from):
            try:
                request = compile(door(mixed), C.default(), model="gpt-5").request
            except ContextwrightError as error:
                assert error.fix
                continue
            assert set(MARK.findall(_text(mixed))) <= set(MARK.findall(_text(request)))

    check()


def _text(value):
    return json.dumps(value, ensure_ascii=False)


def _is_said(messages):
    """Whether none of them calls or answers: half of a call is sent to nobody."""
    return not re.search("call|result|tool|retry", _text(messages), re.IGNORECASE)
