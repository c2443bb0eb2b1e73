"""Whose conversation a request is of, in the shapes in which today's agents send them."""

import json

import pytest
from tests.formats.test_agent_bodies import CLAUDE_CODE, CODEX
from tests.serve.raw_upstream import post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.serve.client_identity import client_identity, tenant_of
from contextwright.serve.model_calls import model_call
from contextwright.serve.side_calls import why_aside

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
CHAT = tool_loop(2)


def heads(**headers):
    return [(key.replace("_", "-").encode(), value.encode()) for key, value in headers.items()]


CODEX_AGENT = {"user_agent": "codex_exec/0.169.0"}
WHOSE = [
    (heads(x_contextwright_session="s", x_litellm_trace_id="t"), CHAT, "s"),
    (heads(x_litellm_session_id="l"), CHAT, "l"),
    (heads(x_claude_code_session_id="c"), CLAUDE_CODE, "c"),
    (heads(x_somebody_session_id="v"), CHAT, "v"),
    (heads(session_id="x", **CODEX_AGENT), CODEX, "x"),
    (heads(session_id="x"), CHAT, None),  # anybody may have such a header
    (heads(x_session_id="ses_1", x_session_affinity="ses_1"), CHAT, "ses_1"),  # opencode
    ([], {**CLAUDE_CODE, "metadata": {"user_id": json.dumps({"session_id": "m"})}}, "m"),
    ([], {**CLAUDE_CODE, "metadata": {"user_id": f"user_1_account__session_{UUID}"}}, UUID),
    ([], {**CLAUDE_CODE, "metadata": {"user_id": "{no json"}}, None),
    ([], {**CODEX, "prompt_cache_key": UUID}, UUID),
    ([], {**CHAT, "prompt_cache_key": "my-app"}, None),  # of all conversations of a program
    (heads(x_contextwright_session="s" * 300), CHAT, None),
    ([], CHAT, None),  # gemini-cli, qwen-code, cline, pi and aider say nothing
]


@pytest.mark.parametrize(("headers", "body", "id"), WHOSE)
def test_a_conversation_is_known_by_what_its_agent_says(headers, body, id):
    assert client_identity(headers, body, "t").id == id


def test_a_tenant_is_a_digest_of_the_credential():
    salt = b"s" * 32
    digests = {
        tenant_of(heads(authorization="Bearer k1"), b"", salt),
        tenant_of(heads(authorization="Bearer k2"), b"", salt),
        tenant_of(heads(authorization="Bearer k1"), b"", b"t" * 32),
        tenant_of([], b"key=k3&alt=sse", salt),
        tenant_of([], b"", salt),
    }
    assert len(digests) == 5 and not any("k" in digest for digest in digests)
    assert tenant_of(heads(x_api_key="k1"), b"", salt) == tenant_of(
        heads(authorization="Bearer k1"), b"", salt
    )


TITLE = {
    **CLAUDE_CODE,
    "tools": [],
    "messages": [{"role": "user", "content": "Write a title for this conversation"}],
    "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
}
TURN = heads(x_codex_turn_metadata='{"request_kind": "turn"}')
COMPACTION = heads(x_codex_turn_metadata='{"request_kind": "compaction", "window_number": 1}')
ASIDE = [
    ("anthropic", CLAUDE_CODE, [], ""),
    ("anthropic", TITLE, [], "beside"),
    ("openai-responses", CODEX, TURN, ""),
    ("openai-responses", CODEX, heads(x_codex_turn_metadata="{no json"), ""),
    ("openai-responses", {**CODEX, "tools": []}, COMPACTION, "compaction"),
    ("openai-responses", {**CODEX, "input": [*CODEX["input"], {"type": "compaction_trigger"}]}, [], "compaction"),
    ("openai-responses", {**CODEX, "previous_response_id": "r"}, [], "provider has"),
    ("openai-responses", {**CODEX, "conversation": "c"}, [], "provider has"),
    ("openai-responses", {"model": "m", "input": "one text"}, [], "one text"),
    ("openai-chat", {"model": "m", "messages": [{"role": "system"}, {"role": "user"}]}, [], "beside"),
    ("openai-chat", CHAT, [], ""),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, [], "beside"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "body", "headers", "why"), ASIDE)
def test_calls_beside_the_conversation_are_left_alone(format, body, headers, why):
    told = why_aside(format, body, headers)
    assert why in told if why else not told


CALLS = {
    "/v1/chat/completions": ("openai-chat", "", False),
    "/openai/deployments/x/chat/completions?api-version=1": ("openai-chat", "x", False),
    "/v1/responses": ("openai-responses", "", False),
    "/v1/messages?beta=true": ("anthropic", "", False),
    "/v1/messages/count_tokens?beta=true": ("anthropic", "", True),
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse": ("gemini", "gemini-2.5-pro", False),
    "/v1beta/models/gemini-2.5-pro:countTokens": ("gemini", "gemini-2.5-pro", True),
    "/v1internal:streamGenerateContent?alt=sse": ("gemini", "", False),
    "/v1internal:generateContent": ("gemini", "", False),
    "/v1internal:countTokens": ("gemini", "", True),
}  # fmt: skip


@pytest.mark.parametrize("path", CALLS)
def test_a_call_of_a_model_is_known_by_its_path(path):
    call = model_call("POST", path)
    assert (call.format, call.model, call.only_counts) == CALLS[path]
    assert model_call("GET", path) is None


@pytest.mark.parametrize(
    "path",
    [
        "/v1/embeddings",
        "/v1/responses/compact",
        "/v1/messages/batches",
        "/v1internal:loadCodeAssist",
    ],
)
def test_other_paths_are_no_calls(path):
    assert model_call("POST", path) is None


def test_a_title_under_the_same_id_is_no_turn_of_the_conversation():
    id = {"x-session-id": "ses_1"}
    title = {"model": "gpt-5", "messages": [{"role": "user", "content": "a title, please"}]}
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        post(proxy.url, title, id)
        for count in (2, 4, 20):
            _, headers, _ = post(proxy.url, tool_loop(count), id)
        conversations = proxy.app.proxy.compiler.context("openai-chat").conversations
        assert len(conversations) == 1 and headers["x-contextwright-action"] == "rewritten"
        assert json.loads(upstream.seen[0].body) == title


def test_two_tenants_with_the_same_words_and_id_share_nothing():
    with proxied(spec=C.compaction(4000)) as (_, proxy):
        for key in ("a", "b"):
            headers = {"authorization": f"Bearer {key}", "x-contextwright-session": "one"}
            post(proxy.url, tool_loop(20), headers)
        assert len(proxy.app.proxy.compiler.context("openai-chat").conversations) == 2
        wait_for(lambda: len(proxy.app.ledger.by("tenant")) == 2)
        assert len(proxy.app.ledger.by("tenant")) == 2


def test_a_conversation_without_an_id_goes_on_where_it_was():
    """One lineage, found by its messages: its prefix moves once at most while it grows."""
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        for count in range(30, 36):
            post(proxy.url, tool_loop(count, lines=10))
        sent = [json.loads(seen.body)["messages"] for seen in upstream.seen]
        pairs = list(zip(sent, sent[1:], strict=False))
        assert len(sent[-1]) < 71
        assert sum(new[: len(old)] != old for old, new in pairs) <= 1
        assert len(proxy.app.proxy.compiler.context("openai-chat").conversations) == 1
