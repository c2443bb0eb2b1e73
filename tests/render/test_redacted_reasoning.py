"""What a redaction makes of what a model thought, in a body of its provider's: it is reasoning
still, as what it produced is refused without it, unless a signature holds for what was said."""

from contextwright import C, Context

THOUGHT, CLEAN = "write to a@b.co", "write to [REDACTED]"


def sent(body, key):
    """The messages or items of a body that was redacted."""
    return Context(C.redact("email"), model=body["model"])(body)[key]


def test_openai_s_reasoning_loses_words_of_its_summary():
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": THOUGHT}],
        "encrypted_content": "c2VhbGVk",
    }
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "t", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "done"}
    tools = [{"type": "function", "name": "t", "parameters": {"type": "object"}}]
    question = {"role": "user", "content": "go"}
    body = {"model": "gpt-5", "input": [question, reasoning, call, output], "tools": tools}
    summary = [{"type": "summary_text", "text": CLEAN}]
    assert sent(body, "input") == [question, {**reasoning, "summary": summary}, call, output]


def test_reasoning_beside_a_content_stays_beside_it():
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "done", "reasoning_content": THOUGHT},
        {"role": "user", "content": "on"},
    ]
    new = sent({"model": "deepseek-chat", "messages": messages}, "messages")
    assert new == [messages[0], {**messages[1], "reasoning_content": CLEAN}, messages[2]]


def test_a_thought_of_gemini_s_is_a_thought():
    call = {"functionCall": {"name": "t", "args": {}}, "thoughtSignature": "c2ln"}
    contents = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"text": THOUGHT, "thought": True}, call]},
        {"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {"x": 1}}}]},
    ]
    tools = [{"functionDeclarations": [{"name": "t"}]}]
    body = {"model": "gemini-2.5-pro", "contents": contents, "tools": tools}
    thought, same = sent(body, "contents")[1]["parts"]
    assert (thought, same) == ({"text": CLEAN, "thought": True}, call)


def test_a_signed_thought_is_a_text():
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "done"}]},
        {"role": "user", "content": "on"},
    ]
    new = sent({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}, "messages")
    assert new[1]["content"] == [{"type": "text", "text": text} for text in (CLEAN, "done")]
