"""Request bodies as today's coding agents send them: every call and result is seen, and the whole
comes back. The shapes are theirs, the words are not."""

import json

import pytest

from contextwright import C, compile
from contextwright.formats import read_session, write_session
from contextwright.session import Opaque, Thinking

CLAUDE_CODE = {
    "model": "claude-opus-5",
    "system": [
        {"type": "text", "text": "You work in a terminal."},
        {"type": "text", "text": "Here.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>today</system-reminder>"},
            {"type": "text", "text": "fix it"}]},
        {"role": "system", "content": "The user turned plan mode off."},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py", "is_error": False,
             "cache_control": {"type": "ephemeral"}}]},
    ],
    "tools": [{"name": "Bash", "description": "runs", "input_schema": {"type": "object"}}],
    "thinking": {"type": "adaptive"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "high"},
    "metadata": {"user_id": "{}"},
    "max_tokens": 32000,
    "stream": True,
}  # fmt: skip
CODEX = {
    "model": "gpt-5-codex",
    "instructions": "You work in a terminal.",
    "input": [
        {"type": "message", "role": "developer", "content": [
            {"type": "input_text", "text": "never ask"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": None,
         "encrypted_content": "ZW5j"},
        {"type": "custom_tool_call", "status": "completed", "call_id": "call_1",
         "name": "apply_patch", "input": "*** Begin Patch"},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "Done!"},
        {"type": "local_shell_call", "id": "ls_1", "call_id": "call_2", "status": "completed",
         "action": {"type": "exec", "command": ["ls"], "timeout_ms": 1000}},
        {"type": "function_call_output", "call_id": "call_2", "output": "a.py"},
        {"type": "local_shell_call", "id": "ls_2", "call_id": "call_3", "status": "completed",
         "action": {"type": "exec", "command": ["pwd"]}},
        {"type": "local_shell_call_output", "id": "ls_2", "output": "/src"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
         "action": {"type": "search", "query": "q"}},
        {"type": "function_call", "name": "exec_command", "namespace": "functions",
         "arguments": '{"cmd": "ls"}', "call_id": "call_4"},
        {"type": "function_call_output", "call_id": "call_4",
         "output": [{"type": "input_text", "text": "a.py"}]},
        {"type": "message", "role": "assistant", "phase": "final_answer",
         "content": [{"type": "output_text", "text": "fixed"}]},
        {"type": "compaction", "encrypted_content": "ZW5j"},
    ],
    "tools": [
        {"type": "namespace", "name": "functions", "description": "what runs here", "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"type": "object"}}]},
        {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", "syntax": "lark"}},
        {"type": "local_shell"},
        {"type": "web_search", "external_web_access": False},
    ],
    "tool_choice": "auto",
    "parallel_tool_calls": False,
    "reasoning": {"effort": "medium", "summary": "auto"},
    "store": False,
    "stream": True,
    "include": ["reasoning.encrypted_content"],
    "prompt_cache_key": "k",
    "client_metadata": {"session": "s"},
}  # fmt: skip
_GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "fix it"}]},
        {"role": "model", "parts": [
            {"thoughtSignature": "c2ln", "functionCall": {"name": "ls", "args": {"dir": "."}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "ls-1", "name": "ls", "response": {"output": "a.py"}}}]},
    ],
    "systemInstruction": {"role": "user", "parts": [{"text": "You work in a terminal."}]},
    "tools": [{"functionDeclarations": [
        {"name": "ls", "description": "lists", "parametersJsonSchema": {"type": "object"}}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {"temperature": 0, "topP": 1, "thinkingConfig": {"includeThoughts": True}},
}  # fmt: skip
BODIES = {
    "Claude Code": ("anthropic", CLAUDE_CODE),
    "Codex": ("openai-responses", CODEX),
    "gemini-cli": ("gemini", _GEMINI),
    "gemini-cli with a login": (
        "gemini",
        {"model": "gemini-2.5-pro", "project": "p", "user_prompt_id": "u", "request": _GEMINI},
    ),
}


@pytest.mark.parametrize("agent", BODIES)
def test_the_body_of_an_agent_comes_back_whole(agent):
    format, body = BODIES[agent]
    session = read_session(body)
    assert format in session.metadata
    assert json.loads(write_session(session, format)) == body
    stored = read_session(write_session(session))
    assert json.loads(write_session(stored, format)) == body


@pytest.mark.parametrize(
    ("agent", "names"),
    [
        ("Claude Code", ["Bash"]),
        ("Codex", ["apply_patch", "local_shell", "local_shell", "exec_command"]),
        ("gemini-cli", ["ls"]),
        ("gemini-cli with a login", ["ls"]),
    ],
)
def test_every_call_of_an_agent_has_its_result(agent, names):
    exchanges = [
        exchange
        for exchange in read_session(BODIES[agent][1]).snapshot().exchanges()
        if exchange.calls
    ]
    assert [call.name for exchange in exchanges for call in exchange.calls] == names
    assert all(exchange.results and exchange.mark == "complete" for exchange in exchanges)


@pytest.mark.parametrize("agent", ["Claude Code", "Codex", "gemini-cli"])
def test_the_body_of_an_agent_is_sent_as_it_came(agent):
    """`pack.request`, where the spec touches nothing; the model of Gemini stands in its address."""
    _, body = BODIES[agent]
    for source in (body, read_session(body)):
        pack = compile(source, C.default(), model=body.get("model", "gemini-2.5-pro"))
        assert json.dumps(pack.request) == json.dumps(body)


def test_what_the_provider_made_is_kept_as_it_came():
    session = read_session(CODEX)
    parts = [part for event in session.log for part in event.parts]
    kinds = [part.kind for part in parts if isinstance(part, Opaque)]
    assert kinds == ["web_search_call", "compaction"]
    assert [part.redacted for part in parts if isinstance(part, Thinking)] == ["ZW5j"]
    assert [tool.name for tool in session.tools] == [
        "functions", "apply_patch", "local_shell", "web_search",
    ]  # fmt: skip


def test_a_system_message_stands_where_it_stood():
    session = read_session(CLAUDE_CODE)
    assert [event.role for event in session.log] == [
        "system", "user", "system", "assistant", "tool",
    ]  # fmt: skip
    session.user("go on")
    written = json.loads(write_session(session, "anthropic"))
    assert [message["role"] for message in written["messages"]] == [
        "user", "system", "assistant", "user", "user",
    ]  # fmt: skip
    assert written["system"] == CLAUDE_CODE["system"]


def test_parts_of_a_later_kind_do_not_cost_a_request_its_format():
    """A body that names its model is its provider's, whatever is in it."""
    later = {"type": "telepathy_call", "id": "t"}
    body = {**CODEX, "input": [CODEX["input"][1], *[later] * 9]}
    session = read_session(body)
    assert sum(isinstance(part, Opaque) for event in session.log for part in event.parts) == 9


NO_WORD_ELSEWHERE = {"Codex": {"input[].namespace", "input[].phase"}}
"""What an agent says beside its messages that only its own provider understands."""


@pytest.mark.parametrize("agent", BODIES)
@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_the_manifest_names_no_field_that_another_provider_is_told_of(agent, model):
    format, body = BODIES[agent]
    for target in ("openai-chat", "openai-responses") if model == "gpt-5" else (None,):
        pack = compile(read_session(body), C.default(), model=model, format=target)
        fields = [one.reason for one in pack.manifest.unrendered if one.part == "field"]
        lost = NO_WORD_ELSEWHERE.get(agent, set()) if pack.manifest.format != format else set()
        assert {reason.split("'")[1] for reason in fields} == lost
