"""The same session has the same format of a request, at the command line and in Python."""

import json

import pytest
from tests.cli.commands import ended

from contextwright import compile, read_session

ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "x"},
]
USED = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
CLAUDE = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [USED]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
]
GEMINI = [{"role": "user", "parts": [{"text": "hi"}]}]
CHAT = [{"role": "user", "content": "hi"}]
BODY = {"model": "gpt-5", "input": ITEMS}
CASES = [
    (ITEMS, "gpt-5", "openai-responses"), (ITEMS, "claude-opus-4-6", "anthropic"),
    (ITEMS, "deepseek-chat", "openai-chat"), (ITEMS, "unknown", "openai-responses"),
    (BODY, "gpt-5", "openai-responses"), (BODY, "gpt-5-mini", "openai-responses"),
    (BODY, "gemini-2.5-pro", "gemini"), (BODY, "unknown", "openai-responses"),
    ({**BODY, "model": "deepseek-chat"}, "deepseek-chat", "openai-responses"),
    (CLAUDE, "claude-opus-4-6", "anthropic"), (CLAUDE, "gpt-5", "openai-chat"),
    (GEMINI, "gemini-2.5-pro", "gemini"), (GEMINI, "gpt-5", "openai-chat"),
    (CHAT, "gpt-5", "openai-chat"), (CHAT, "claude-opus-4-6", "anthropic"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "model", "format"), CASES)
def test_the_command_and_the_call_send_one_format(source, model, format, tmp_path, capsys):
    file = tmp_path / "session.json"
    file.write_text(json.dumps(source))
    window = {"window": 10000} if model == "unknown" else {}
    for given in (source, read_session(source), read_session(file)):
        assert compile(given, model=model, **window).manifest.format == format
    options = ["--window", "10000"] if window else []
    _, out, _ = ended(capsys, "compile", file, "--model", model, "--json", *options)
    assert json.loads(out)["manifest"]["format"] == format


WIRE = {"contents": GEMINI}


@pytest.mark.parametrize("body", [
    {**BODY, "model": "gpt-4.1"}, {"model": "gemini-2.5-flash", "project": "p", "request": WIRE},
    {"model": "gpt-4.1", "messages": CHAT}, {"model": "gemini-2.5-flash", "contents": GEMINI},
])  # fmt: skip
def test_the_model_of_a_body_is_the_commands_too(body, tmp_path, capsys):
    file = tmp_path / "session.json"
    file.write_text(json.dumps(body))
    _, out, _ = ended(capsys, "compile", file, "--json")
    manifest = json.loads(out)["manifest"]
    assert manifest["model"] == body["model"] == compile(body).manifest.model
    assert manifest["format"] == compile(body).manifest.format


def test_items_of_responses_leave_as_they_came():
    assert compile(ITEMS, model="gpt-5").request["input"] == ITEMS
