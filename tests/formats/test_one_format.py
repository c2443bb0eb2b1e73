"""A body is of one provider: it is read as one, whatever a single message of it looks like."""

import json

import pytest

from contextwright import C, Context, compile, read_session
from contextwright.errors import SessionError

TEXT = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "ho"}
AUDIO = {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}
CALLED = [
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "given"},
]  # fmt: skip
CHAT = {"model": "gpt-5", "temperature": 0.5, "seed": 1}
CLAUDE = {"model": "claude-sonnet-4-5", "max_tokens": 9, "top_k": 5}
LATER = {"type": "block_of_tomorrow", "z": 1}
BODIES = {
    "a mark of the cache in Chat": {
        **CHAT, "messages": [*CALLED, {"role": "user", "content": [
            {**AUDIO, "cache_control": {"type": "ephemeral"}}]}],
    },
    "a refusal": {
        **CHAT, "messages": [TEXT, {"role": "assistant", "content": [
            {"type": "refusal", "refusal": "no", "cache_control": None}]}, TEXT],
    },
    "marks alone": {
        **CHAT, "messages": [{"role": "user", "content": [
            {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}],
    },
    "blocks of a later kind": {
        **CLAUDE, "system": "S", "messages": [
            {"role": "user", "content": [LATER]}, ANSWER,
            {"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}],
    },
    "parts of a later kind": {
        "model": "gemini-2.5-pro", "config": {"temperature": 1.0},
        "contents": [{"role": "user", "parts": [{"partOfTomorrow": {"a": 1}}]}],
    },
    "one text for Gemini": {"model": "gemini-2.5-pro", "contents": "hi", "labels": {"a": "b"}},
    "one content": {
        "model": "gemini-2.5-pro", "contents": {"role": "user", "parts": [{"text": "hi"}]},
    },
    "one text for Responses": {"model": "gpt-5", "input": "hi", "store": False},
    "a tool of a later kind": {
        **CHAT, "messages": [TEXT], "tools": [{"type": "tool_of_tomorrow", "z": {"a": [1]}}],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_leaves_whole_by_every_door(name):
    body = BODIES[name]
    text = json.dumps(body)
    file = text.encode()
    packs = [compile(body, C.default()), compile(read_session(file), C.default())]
    assert [json.dumps(pack.request) for pack in packs] == [text, text]
    assert not any(pack.manifest.unrendered for pack in packs)
    assert json.dumps(Context(C.default())(json.loads(text))) == text


def test_messages_of_several_formats_are_still_each_read_as_what_they_are():
    picture = {"type": "image", "source": {"type": "url", "url": "https://x.org/a.png"}}
    mixed = [TEXT, *CALLED, {"role": "user", "content": [picture]}]
    request = compile(mixed, C.default(), model="gpt-5").request
    assert "image_url" in json.dumps(request)


def test_a_body_within_what_is_none_is_named():
    with pytest.raises(SessionError, match="expected a list of messages or a body"):
        Context(model="gemini-2.5-pro")({"model": "m", "request": {"text": "hi"}})


def test_of_a_key_that_a_body_has_twice_the_last_counts():
    body = b'{"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "model": "gpt-5"}'
    request = compile(read_session(body), C.default()).request
    assert request == {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize("arguments", ['{"a":1,"a":2}', " {} ", '{"n":1e3}', '{"n":-0.0}', "{cut"])
def test_arguments_keep_their_bytes(arguments):
    called = json.loads(json.dumps(CALLED))
    called[0]["tool_calls"][0]["function"]["arguments"] = arguments
    body = {**CHAT, "messages": [TEXT, *called]}
    assert compile(body, C.default()).request == body
