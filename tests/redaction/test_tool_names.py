"""A tool whose own name is redacted can not be called, so it is not offered; one that was called
has another name, which its provider takes."""

import json

import pytest

from contextwright import C, Context, Session, compile
from contextwright.errors import SpecError
from contextwright.session.event import Tool

SPEC = C.default() | C.redact(["acme"])
SCHEMA = {"type": "object", "properties": {}}


def bodies(offered: str) -> dict[str, dict]:
    """A body of each form whose model called `acme_find`."""
    call = {"name": "acme_find", "arguments": "{}"}
    chat = {
        "model": "gpt-5",
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "tool_calls": [{"id": "c1", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
        ],
        "tools": [{"type": "function", "function": {"name": offered, "parameters": SCHEMA}}],
    }
    responses = {
        "model": "gpt-5",
        "input": [
            {"role": "user", "content": "go"},
            {"type": "function_call", "call_id": "c1", **call},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
        ],
        "tools": [{"type": "function", "name": offered, "parameters": SCHEMA}],
    }
    used = {"type": "tool_use", "id": "c1", "name": "acme_find", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "one"}
    anthropic = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [used]},
            {"role": "user", "content": [result]},
        ],
        "tools": [{"name": offered, "input_schema": SCHEMA}],
    }
    answer = {"functionResponse": {"name": "acme_find", "response": {"result": "one"}}}
    gemini = {
        "model": "gemini-2.5-pro",
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "acme_find", "args": {}}}]},
            {"role": "user", "parts": [answer]},
        ],
        "tools": [{"functionDeclarations": [{"name": offered, "parameters": SCHEMA}]}],
    }
    return {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}


@pytest.mark.parametrize("form", bodies("").keys())
def test_a_tool_whose_name_is_redacted_is_refused_without_it(form):
    with pytest.raises(SpecError, match=r"the tool '\[REDACTED\]_find'") as caught:
        Context(SPEC)(bodies("acme_find")[form])
    assert "acme" not in str(caught.value)


@pytest.mark.parametrize("form", bodies("").keys())
def test_a_call_of_a_tool_that_is_no_more_has_another_name_as_its_result(form):
    context = Context(SPEC)
    text = json.dumps(context(bodies("other")[form]))
    assert "acme" not in text and "[REDACTED]" not in text
    assert text.count('"redacted_05d03a6a"') == (2 if form == "gemini" else 1)
    assert "acme_find" not in repr(context.pack.manifest)


def test_a_session_s_tool_is_refused_as_well():
    session = Session("s")
    session.user("go")
    session.tools = [Tool(name="acme_find")]
    with pytest.raises(SpecError, match="rename the tool"):
        compile(session, SPEC, model="gpt-5")
