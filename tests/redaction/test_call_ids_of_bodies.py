"""An id that holds what is redacted is another one, the same in a call and in its result."""

import json

import pytest

from contextwright import C, Context

KEY = "AKIAIOSFODNN7EXAMPLE"
SCHEMA = {"type": "object"}


def chat(id, name):
    called = {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return {
        "model": "gpt-5",
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": id, "content": "one"},
        ],
        "tools": [{"type": "function", "function": {"name": name, "parameters": SCHEMA}}],
    }


def responses(id, name):
    return {
        "model": "gpt-5",
        "input": [
            {"role": "user", "content": "go"},
            {"type": "function_call", "call_id": id, "name": name, "arguments": "{}"},
            {"type": "function_call_output", "call_id": id, "output": "one"},
        ],
        "tools": [{"type": "function", "name": name, "parameters": SCHEMA}],
    }


def anthropic(id, name):
    called = {"type": "tool_use", "id": id, "name": name, "input": {}}
    result = {"type": "tool_result", "tool_use_id": id, "content": "one"}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [called]},
            {"role": "user", "content": [result]},
        ],
        "tools": [{"name": name, "input_schema": SCHEMA}],
    }


@pytest.mark.parametrize("form", [chat, responses, anthropic])
@pytest.mark.parametrize("id", [f"c-{KEY}", KEY])
def test_a_call_and_its_result_have_one_id(form, id):
    context = Context(C.redact(["secrets"]))
    text = json.dumps(context(form(id, "read")))
    assert KEY not in text and KEY not in repr(context.pack.manifest)
    (made,) = {word for word in text.split('"') if word.startswith("redacted_")}
    assert text.count(made) == 2
