"""A caller's key that looks like one of our marks is a key like any other, or is refused by name."""

import json
from itertools import product

import pytest

from contextwright import C, compile, read_session, write_session
from contextwright.errors import MalformedRecord

BODIES = {
    "openai-chat": {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]},
    "openai-responses": {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}]},
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
    },
    "gemini": {
        "model": "gemini-2.5-pro",
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    },
}
KEYS = ("$whole", "$items", "$keys", "$absent", "$$whole", "$schema", "$$")
VALUES = (1, {"b": 1, "a": 2}, [{"z": 1, "$keys": ["x"], "a": 0}], {"$whole": {"y": 1, "b": 2}})


def kept(body):
    return body.get("messages") or body.get("input") or body["contents"]


@pytest.mark.parametrize(("format", "key"), product(BODIES, KEYS))
def test_a_key_like_a_mark_leaves_in_its_place(format, key):
    for value in VALUES:
        body = {key: value, **json.loads(json.dumps(BODIES[format])), "zz": 1}
        kept(body)[0].update({"zz": 1, key: value, "aa": {"d": 1, "c": value}})
        session = read_session(body, format=format)
        for read in (session, read_session(write_session(session))):
            pack = compile(read, C.default(), model=body["model"], format=format)
            assert json.dumps(pack.request) == json.dumps(body)


@pytest.mark.parametrize("key", ["$order", "$tools", "$system", "$single"])
def test_a_key_that_is_ours_is_refused_by_name(key):
    with pytest.raises(MalformedRecord, match="kept for contextwright") as told:
        read_session({**BODIES["openai-chat"], key: 1})
    assert key in str(told.value)
