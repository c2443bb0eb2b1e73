"""A body without a message of the user's, or without any, is its caller's: it leaves as it came."""

import json

import pytest

from contextwright import C, Context, compile, read_session

GPT, CLAUDE, GEMINI = "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"
TALK = {
    "openai-chat": {"role": "user", "content": "hi"},
    "openai-responses": {"role": "user", "content": "hi"},
    "anthropic": {"role": "user", "content": "hi"},
    "gemini": {"role": "user", "parts": [{"text": "hi"}]},
}
BODIES = {
    "the developer alone": ("openai-chat", {"model": GPT, "seed": 1, "messages": [
        {"role": "developer", "content": "Be brief."}]}),
    "the system alone": ("openai-chat", {"model": GPT, "messages": [
        {"role": "system", "content": "Be brief.", "name": "me"}]}),
    "no message": ("openai-chat", {"model": GPT, "messages": [], "temperature": 0.5}),
    "the developer alone, in items": ("openai-responses", {"model": GPT, "input": [
        {"type": "message", "role": "developer", "content": "Be brief."}]}),
    "no item": ("openai-responses", {"model": GPT, "instructions": "S", "input": []}),
    "a stored prompt": ("openai-responses", {
        "model": GPT, "prompt": {"id": "pmpt_1", "variables": {"city": "Rom"}}}),
    "what went before": ("openai-responses", {
        "model": GPT, "instructions": "S", "previous_response_id": "resp_1", "store": True}),
    "no message of Claude's": ("anthropic", {
        "model": CLAUDE, "max_tokens": 9, "system": "S", "messages": []}),
    "no system either": ("anthropic", {"model": CLAUDE, "max_tokens": 9, "messages": []}),
    "no content": ("gemini", {"model": GEMINI, "contents": [], "config": {"temperature": 1.0}}),
    "no content, REST": ("gemini", {
        "model": GEMINI, "contents": [], "systemInstruction": {"parts": [{"text": "S"}]}}),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_it_leaves_as_it_came_by_every_door(name):
    format, body = BODIES[name]
    text = json.dumps(body)
    packs = [compile(body, C.default()), compile(read_session(text.encode()), C.default())]
    assert [json.dumps(pack.request) for pack in packs] == [text, text]
    assert {pack.manifest.format for pack in packs} == {format}
    for spec in (None, C.default(), C.default() | C.compaction(4000), C.window(n=2)):
        assert json.dumps(Context(spec)(json.loads(text))) == text


@pytest.mark.parametrize("name", [n for n in BODIES if "stored" not in n and "before" not in n])
def test_the_talk_begins_behind_it(name):
    format, body = BODIES[name]
    key = next(key for key in ("messages", "input", "contents") if key in body)
    context = Context(C.default() | C.compaction(4000))
    context(body, id="one")
    grown = {**body, key: [*body[key], TALK[format]]}
    assert json.dumps(context(grown, id="one")) == json.dumps(grown)


def test_what_a_spec_says_is_said_in_it():
    _, body = BODIES["the developer alone"]
    sent = compile(body, C.default() + C.template("Today is Monday.")).request
    assert "Monday" in json.dumps(sent["messages"]) and sent["seed"] == 1
    _, body = BODIES["no message of Claude's"]
    sent = compile(body, C.default() + C.template("Today is Monday.")).request
    assert "Monday" in json.dumps(sent)
