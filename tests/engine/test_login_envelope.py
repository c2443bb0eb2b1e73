"""Gemini's command line with a login wraps its body: what goes in wrapped comes out wrapped."""

import copy
import json

import pytest

from contextwright import C, Context, Conversation, Conversations, Engine, SQLiteSessions, compile
from contextwright.errors import NotInThisFormat

FUNCTION = {"name": "ls", "description": "lists", "parametersJsonSchema": {"type": "object"}}
INNER = {
    "contents": [{"role": "user", "parts": [{"text": "What is in src?"}]}],
    "systemInstruction": {"role": "user", "parts": [{"text": "You work in a terminal."}]},
    "tools": [{"functionDeclarations": [FUNCTION]}],
    "generationConfig": {"temperature": 0, "topP": 1},
    "session_id": "s-1",
}
BODY = {"model": "gemini-2.5-pro", "project": "p", "user_prompt_id": "u", "request": INNER}
SMALL = C.default() | C.compact() | C.budget(max_tokens=2500)


def rounds(count):
    contents = []
    for n in range(count):
        response = {"output": f"file {n}.py " * 150}
        contents += [
            {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {"n": n}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": response}}]},
        ]
    return contents


def grown(count):
    contents = [*INNER["contents"], *rounds(count)]
    return {**BODY, "user_prompt_id": f"u{count}", "request": {**INNER, "contents": contents}}


@pytest.mark.parametrize("spec", [None, C.default(), SMALL], ids=["none", "default", "small"])
def test_a_wrapped_body_that_fits_leaves_byte_for_byte(spec):
    assert json.dumps(Context(spec)(copy.deepcopy(BODY))) == json.dumps(BODY)


def test_only_the_context_within_is_replaced():
    context = Context(SMALL)
    for count in range(1, 30, 4):
        body = grown(count)
        sent = context(body)
        assert list(sent) == list(body) and list(sent["request"]) == list(INNER)
        assert {**sent, "request": 0} == {**body, "request": 0}
        rest = {**sent["request"], "contents": 0}
        assert rest == {**body["request"], "contents": 0}
    assert len(json.dumps(sent)) < len(json.dumps(body)) / 4
    assert len(context.conversations) == 1 and context.manifest.model == "gemini-2.5-pro"
    refused = "The input token count (9000) exceeds the maximum number of tokens allowed (2000)."
    again = context.recover(body, {"error": {"code": 400, "message": refused}})
    assert {**again, "request": 0} == {**body, "request": 0}


def test_one_conversation_grows_and_another_model_is_another():
    conversation = Conversation()
    session = conversation.update(grown(1))
    assert conversation.update(grown(2)) is session and len(session) == 6
    assert conversation.update({**grown(2), "model": "gemini-2.5-flash"}) is not session


def test_it_goes_on_after_a_restart(tmp_path):
    for count in (1, 2, 3):
        store = SQLiteSessions(tmp_path / "conversations.db")
        context = Context(SMALL, conversations=Conversations(store=store))
        assert context(grown(count), id="c").keys() == BODY.keys()
        assert len(context.session) == 2 + 2 * count


def test_of_a_pack_the_model_is_found_and_the_request_is_put_into_its_place():
    pack = compile(BODY, C.default())
    assert pack.request == INNER and pack.manifest.model == "gemini-2.5-pro"
    assert json.dumps(pack.apply(BODY)) == json.dumps(BODY)
    small = compile(grown(20), SMALL)
    assert small.apply(grown(20)) == {**grown(20), "request": small.request}
    assert Engine(C.default(), "gemini-2.5-pro").compile(BODY).request == INNER
    with pytest.raises(NotInThisFormat):
        pack.apply({"model": "m", "request": {"text": "hi"}})
