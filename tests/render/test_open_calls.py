"""A body whose calls nobody answered yet: each gets a result that says so, behind what came."""

import json

import pytest

from contextwright import C, compile, session_from
from contextwright.render.providers import provider_named
from contextwright.testing import target_for

ASK, GO = "weather?", "and now?"
ARGUMENTS = '{"c": "Paris"}'


def chat(answered, later):
    calls = [{"id": f"call_{n}", "type": "function",
              "function": {"name": "f", "arguments": ARGUMENTS}} for n in (1, 2)]  # fmt: skip
    results = [{"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    asked = {"role": "assistant", "content": None, "tool_calls": calls}
    messages = [{"role": "user", "content": ASK}, asked, *results[:answered]]
    return {"model": "gpt-5", "messages": [*messages, *said(later)]}


def responses(answered, later):
    calls = [{"type": "function_call", "call_id": f"call_{n}", "name": "f", "arguments": ARGUMENTS}
             for n in (1, 2)]  # fmt: skip
    results = [{"type": "function_call_output", "call_id": "call_1", "output": "sunny"}]
    items = [{"role": "user", "content": ASK}, *calls, *results[:answered], *said(later)]
    return {"model": "gpt-5", "input": items}


def claude(answered, later):
    calls = [{"type": "tool_use", "id": f"call_{n}", "name": "f", "input": json.loads(ARGUMENTS)}
             for n in (1, 2)]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": "call_1", "content": "sunny"}]
    told = [{"role": "user", "content": results}] if answered else []
    messages = [{"role": "user", "content": ASK}, {"role": "assistant", "content": calls}, *told]
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools,
            "messages": [*messages, *said(later)]}  # fmt: skip


def gemini(answered, later, call="functionCall", response="functionResponse"):
    calls = [{call: {"name": "f", "args": json.loads(ARGUMENTS)}}] * 2
    results = [{response: {"name": "f", "response": {"result": "sunny"}}}]
    told = [{"role": "user", "parts": results}] if answered else []
    contents = [{"role": "user", "parts": [{"text": ASK}]}, {"role": "model", "parts": calls}, *told,
                *({"role": "user", "parts": [{"text": GO}]} for _ in range(later))]  # fmt: skip
    return {"model": "gemini-2.5-pro", "contents": contents}


def gemini_of_sdk(answered, later):
    return gemini(answered, later, "function_call", "function_response") | {"config": {}}


def said(later):
    return [{"role": "user", "content": GO}] * later


BODIES = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": claude,
    "gemini": gemini,
    "gemini, of the SDK": gemini_of_sdk,
}


@pytest.mark.parametrize("spec", [C.default(), C.window(5)], ids=["default", "window"])
@pytest.mark.parametrize("later", [0, 1], ids=["pending", "interrupted"])
@pytest.mark.parametrize("answered", [0, 1], ids=["none", "one"])
@pytest.mark.parametrize("form", BODIES)
def test_an_open_call_of_a_body_gets_a_result(form, answered, later, spec):
    body = BODIES[form](answered, later)
    format = form.partition(",")[0]
    for given in (body, session_from(body)):
        pack = compile(given, spec)
        assert provider_named(format).renderer.validate(pack.request, target_for(format)) == []
        kinds = [one.kind for one in pack.manifest.inserted if one.kind.endswith("_result")]
        assert kinds == [("interrupted" if later else "pending") + "_result"] * (2 - answered)
        text = json.dumps(pack.request)
        assert text.count("sunny") == answered and text.count(GO) == later


def test_a_call_of_gemini_without_an_id_gets_a_result_without_one():
    contents = compile(gemini(0, 0), C.default()).request["contents"]
    responses = [part["function_response"] for part in contents[-1]["parts"]]
    assert [(one.get("id"), one["name"]) for one in responses] == [(None, "f")] * 2
