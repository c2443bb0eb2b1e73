"""A provider's body keeps the room that it leaves for its answer."""

import pytest

from contextwright import C, compile

MESSAGES = [{"role": "user", "content": "hi"}]
THINKING = {"type": "enabled", "budget_tokens": 8_000}


def body(model, **more):
    return {"model": model, "messages": MESSAGES, **more}


@pytest.mark.parametrize(
    ("given", "room"),
    [
        ({"max_tokens": 16_000}, 16_000),
        ({"max_tokens": 16_000, "thinking": THINKING}, 16_000),
        ({"max_tokens": 4_000, "thinking": THINKING}, 12_096),
        ({"thinking": THINKING}, 12_096),
        ({"thinking": {"type": "adaptive"}}, 4_096),
        ({"max_tokens": "many"}, 4_096),
        ({"max_tokens": True, "thinking": {"budget_tokens": True}}, 4_096),
        ({}, 4_096),
    ],
)
def test_claude_has_room_for_its_thinking_and_its_answer(given, room):
    pack = compile(body("claude-sonnet-4-5", **given), C.default())
    assert pack.request["max_tokens"] == room == pack.manifest.reserved_output
    budget = given.get("thinking", {}).get("budget_tokens", 0)
    assert int(budget) < pack.request["max_tokens"]


def test_openai_has_the_room_that_the_body_names():
    pack = compile(body("gpt-4o", max_completion_tokens=300), C.default())
    assert pack.manifest.reserved_output == 300


def test_an_option_comes_before_the_body():
    pack = compile(body("claude-sonnet-4-5", max_tokens=16_000), reserved_output=500)
    assert pack.request["max_tokens"] == 500
