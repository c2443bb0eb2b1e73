"""What a provider's own tools were asked and gave stands in notes and summaries, like what an
application's did."""

import pytest

from contextwright import C, Context, compile, read_session
from contextwright.blocks.of_exchange import block_of
from contextwright.blocks.provider_runs import provider_runs
from contextwright.blocks.transcript import transcript
from contextwright.session.event import Opaque

FOUND = "Order A-17 was shipped to Lyon on Monday."
MCP = {
    "type": "mcp_call",
    "id": "mcp_1",
    "server_label": "shop",
    "name": "get_order",
    "arguments": '{"order": "A-17"}',
    "output": FOUND,
}
RESPONSES = {
    "mcp": MCP,
    "files": {
        "type": "file_search_call",
        "id": "fs_1",
        "status": "completed",
        "queries": ["A-17"],
        "results": [{"file_id": "f", "filename": "orders.md", "text": FOUND, "score": 0.5}],
    },
    "code": {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "container_id": "c",
        "code": "print(orders['A-17'])",
        "outputs": [{"type": "logs", "logs": FOUND}],
    },
}


def blocks(kind, asked, ended):
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": kind, "input": asked}
    return [use, {"tool_use_id": "srvtoolu_1", **ended}]


ANTHROPIC = {
    "search": blocks(
        "web_search",
        {"query": "A-17"},
        {
            "type": "web_search_tool_result",
            "content": [
                {
                    "type": "web_search_result",
                    "url": "https://shop",
                    "title": FOUND,
                    "encrypted_content": "c2VjcmV0",
                }
            ],
        },
    ),
    "bash": blocks(
        "bash_code_execution",
        {"command": "cat A-17"},
        {
            "type": "bash_code_execution_tool_result",
            "content": {
                "type": "bash_code_execution_result",
                "stdout": FOUND,
                "stderr": "",
                "return_code": 0,
                "content": [],
            },
        },
    ),
    "fetch": blocks(
        "web_fetch",
        {"url": "https://shop/A-17"},
        {
            "type": "web_fetch_tool_result",
            "content": {
                "type": "web_fetch_result",
                "url": "https://shop/A-17",
                "content": {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": FOUND},
                },
            },
        },
    ),
}
CODE = [
    {"executableCode": {"language": "PYTHON", "code": "print(orders['A-17'])"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": FOUND}},
    {"text": "Done."},
]
FILLER = "and more of what was talked about " * 50


def body_of_responses(item):
    said = [
        message
        for n in range(12)
        for message in (
            {"role": "assistant", "content": f"Answer {n}: {FILLER}"},
            {"role": "user", "content": f"Question {n}?"},
        )
    ]
    return {"model": "gpt-5", "input": [{"role": "user", "content": "Look."}, item, *said]}


def body_of_messages(parts):
    said = [
        message
        for n in range(12)
        for message in (
            {"role": "user", "content": f"Question {n}?"},
            {"role": "assistant", "content": f"Answer {n}: {FILLER}"},
        )
    ]
    looked = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": parts}]
    messages = [*looked, *said, {"role": "user", "content": "And?"}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages}


def body_of_contents():
    turns = [{"role": "user", "parts": [{"text": "Look."}]}, {"role": "model", "parts": CODE}]
    for n in range(12):
        turns.append({"role": "user", "parts": [{"text": f"Question {n}?"}]})
        turns.append({"role": "model", "parts": [{"text": f"Answer {n}: {FILLER}"}]})
    turns.append({"role": "user", "parts": [{"text": "And?"}]})
    return {"model": "gemini-2.5-pro", "contents": turns}


BODIES = {
    **{name: body_of_responses(item) for name, item in RESPONSES.items()},
    **{name: body_of_messages(parts) for name, parts in ANTHROPIC.items()},
    "gemini": body_of_contents(),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("spec", [C.compaction(3000), C.default() | C.summarize()], ids=str)
def test_what_it_gave_outlives_its_exchange(spec, name):
    """Its line in a note was empty, and a summary had none."""
    sent = str(Context(spec, model=BODIES[name]["model"])(BODIES[name]))
    assert "A-17" in sent and "Lyon" in sent


@pytest.mark.parametrize("name", BODIES)
def test_a_model_that_summarizes_is_told_of_it(name):
    log = read_session(BODIES[name]).snapshot().exchanges()
    told = "\n".join(transcript(block_of(exchange)) for exchange in log)
    asked, _, gave = told.partition(" gave: ")
    assert " used " in asked and "A-17" in asked and FOUND in gave


def test_nothing_of_what_is_encrypted_or_of_bytes_is_told():
    image = {"type": "image_generation_call", "id": "ig", "result": "aGVsbG8=", "status": "done"}
    parts = [
        Opaque(format="anthropic", kind=each["type"], value=each) for each in ANTHROPIC["search"]
    ]
    parts.append(Opaque(format="openai-responses", kind=image["type"], value=image))
    told = str(provider_runs(parts))
    assert FOUND in told and "c2VjcmV0" not in told and "aGVsbG8" not in told


def test_what_failed_says_so():
    failed = {**MCP, "output": None, "error": "no such order"}
    [(_, result)] = provider_runs([Opaque(format="r", kind="mcp_call", value=failed)])
    assert result.status == "error" and result.text == "no such order"
    broken = {"type": "file_search_call", "results": 5, "error": {"code": 7}}
    [(_, result)] = provider_runs([Opaque(format="r", kind="file_search_call", value=broken)])
    assert result.status == "error" and result.text == '{"code": 7}'
    error = {
        "type": "web_search_tool_result",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    }
    parts = blocks("web_search", {"query": "A-17"}, error)
    [(_, result)] = provider_runs([Opaque(format="a", kind=p["type"], value=p) for p in parts])
    assert result.status == "error" and "max_uses_exceeded" in result.text


def test_what_still_runs_gave_nothing():
    use = ANTHROPIC["search"][0]
    [(call, result)] = provider_runs([Opaque(format="a", kind=use["type"], value=use)])
    assert call.name == "web_search" and result is None


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.redact(patterns=["email"]) | C.compaction(3000),
        C.default() | C.summarize() | C.redact(patterns=["email"]),
    ],
    ids=["note", "summary"],
)
def test_what_is_redacted_stands_in_no_line_of_it(spec):
    secret = {**MCP, "output": f"{FOUND} Ask ada@example.com."}
    pack = compile(body_of_responses(secret), spec, model="gpt-5")
    assert "ada@example.com" not in str(pack.request) and "Lyon" in str(pack.request)


@pytest.mark.parametrize("name", BODIES)
def test_a_model_finds_and_reads_it_back(name):
    body = BODIES[name]
    context = Context(C.window(n=1), model=body["model"], read_back=True)
    assert "Lyon" not in str(context(body))
    reader = context.tools()
    found = reader.call("search", {"query": "shipped to Lyon"})
    event = context.session.log[1].id
    assert f"event://{event}" in found and "Lyon" in found
    assert FOUND in reader.call("expand", {"ref": f"event://{event}"})
