"""Where no tool is in scope none is sent, whoever built the body, and nothing says how one is
called."""

import pytest

from contextwright import C, Context, compile

NONE = C.default() + C.tools("no_such_tool")
ONE = C.default() + C.tools("read")
SCHEMA = {"type": "object", "properties": {}}
NAMES = ("read", "write")
HI = [{"role": "user", "content": "hi"}]
CHAT = {
    "model": "gpt-5",
    "messages": HI,
    "tools": [{"type": "function", "function": {"name": n, "parameters": SCHEMA}} for n in NAMES],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "top_p": 1,
}
RESPONSES = {
    "model": "gpt-5",
    "input": HI,
    "tools": [{"type": "function", "name": name, "parameters": SCHEMA} for name in NAMES],
    "tool_choice": "none",
    "top_p": 1,
}
CLAUDE = {
    "model": "claude-opus-4-6",
    "max_tokens": 9,
    "messages": HI,
    "tools": [{"name": name, "input_schema": SCHEMA} for name in NAMES],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "top_p": 1,
}
TURN = {"role": "user", "parts": [{"text": "hi"}]}
DECLARED = [{"function_declarations": [{"name": n, "parameters": SCHEMA} for n in NAMES]}]
CALLING = {"function_calling_config": {"mode": "AUTO"}}
GEMINI = {
    "model": "gemini-2.5-pro",
    "contents": [TURN],
    "config": {"tools": DECLARED, "tool_config": CALLING, "top_p": 1},
}
WIRE = {
    "contents": [TURN],
    "tools": [{"functionDeclarations": [{"name": n, "parameters": SCHEMA} for n in NAMES]}],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {"topP": 1},
}
LOGIN = {"model": "gemini-2.5-pro", "project": "p", "request": WIRE}
OF_TOOLS = {"tools", "tool_choice", "parallel_tool_calls", "tool_config", "toolConfig"}


def names_in(body):
    """All keys of a body, and of what stands within it as a dict."""
    inner = (names_in(value) for value in body.values() if isinstance(value, dict))
    return set(body).union(*inner)


@pytest.mark.parametrize("body", [CHAT, RESPONSES, CLAUDE, GEMINI, WIRE, LOGIN])
def test_no_tool_in_scope_is_none_in_the_request_and_in_a_body_built_elsewhere(body):
    pack = compile(body, NONE, model="gemini-2.5-pro" if body is WIRE else None)
    left = {key: value for key, value in body.items() if key not in OF_TOOLS}
    assert not OF_TOOLS & names_in(pack.request)
    for made in (pack.apply(body), Context(NONE, model=pack.manifest.model)(body)):
        assert not OF_TOOLS & names_in(made)
        assert list(made) == list(left)
        assert names_in(made) == names_in(body) - OF_TOOLS - {
            "functionCallingConfig", "function_calling_config", "mode", "type",
            "disable_parallel_tool_use",
        }  # fmt: skip


@pytest.mark.parametrize("body", [CHAT, RESPONSES, CLAUDE, GEMINI, WIRE, LOGIN])
def test_what_a_pack_knows_nothing_of_stays(body):
    messages = body.get("request", body)
    messages = messages.get("contents") or messages.get("messages") or messages.get("input")
    model = body.get("model", "gemini-2.5-pro")
    whom = compile(body, ONE, model=model).manifest.format
    made = compile(messages, NONE, model=model, format=whom).apply(body)
    assert names_in(made) == names_in(body)


@pytest.mark.parametrize("body", [CHAT, RESPONSES, CLAUDE, GEMINI, WIRE, LOGIN])
def test_what_is_said_of_calls_stays_where_a_tool_is_in_scope(body):
    pack = compile(body, ONE, model="gemini-2.5-pro" if body is WIRE else None)
    assert names_in(pack.apply(body)) == names_in(body)


def test_a_call_that_is_asked_for_and_can_not_be_made_is_left_to_the_provider():
    named = {"type": "function", "function": {"name": "write"}}
    assert compile({**CHAT, "tool_choice": named}, NONE).request["tool_choice"] == named
    required = {**CHAT, "tool_choice": "required"}
    assert compile(required, NONE).request["tool_choice"] == "required"


def test_a_body_without_tools_stays_as_it_came():
    body = {key: value for key, value in CHAT.items() if key != "tools"}
    assert compile(body, NONE).request == body
