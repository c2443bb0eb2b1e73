"""The clients of `/v1/compress` as their makers ship them, where they are installed."""

import asyncio

import pytest
from tests.serve.raw_upstream import proxied, tool_loop

from contextwright import C

headroom = pytest.importorskip(
    "litellm.proxy.guardrails.guardrail_hooks.headroom.headroom",
    reason="pip install 'litellm[proxy]'",
)
LONG = tool_loop(6, lines=300)


def guarded(url, messages, **settings):
    """What LiteLLM would send of messages behind its guardrail."""
    guard = headroom.HeadroomGuardrail(
        api_base=url, api_key="k", model="gpt-5", guardrail_name="contextwright", **settings
    )
    request = {"messages": messages, "model": "gpt-5", "metadata": {}}
    inputs = {"structured_messages": messages, "texts": []}
    made = asyncio.run(guard.apply_guardrail(inputs, request, "request"))
    return made["structured_messages"], request


def test_litellms_guardrail_gets_every_message_in_its_place():
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        messages = LONG["messages"]
        made, _ = guarded(proxy.url, messages)
        assert [one["role"] for one in made] == [one["role"] for one in messages]
        assert made[0] == messages[0] and not upstream.seen
        calls = [(one.get("tool_calls"), one.get("tool_call_id")) for one in made]
        assert calls == [(one.get("tool_calls"), one.get("tool_call_id")) for one in messages]
        sizes = [len(str(one["content"])) for one in made]
        assert sum(sizes) < sum(len(str(one["content"])) for one in messages) / 2


def test_a_longer_conversation_keeps_the_bytes_of_the_shorter_one():
    with proxied(spec=C.compaction(4000)) as (_, proxy):
        shorter, _ = guarded(proxy.url, LONG["messages"][:9])
        longer, _ = guarded(proxy.url, LONG["messages"])
        # the newest rows are held back by LiteLLM as what is asked now
        assert longer[:7] == shorter[:7]


def test_a_service_that_is_not_there_leaves_the_messages():
    made, _ = guarded("http://127.0.0.1:9", LONG["messages"], unreachable_fallback="fail_open")
    assert made == LONG["messages"]
