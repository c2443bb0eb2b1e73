"""A provider that keeps the conversation puts it in front of a request: it counts there."""

import openai
import pytest

from contextwright import C, Context, wrap
from contextwright.errors import BudgetError, ContextOverflowError
from contextwright.testing.adapter_suite.suite_tools import page
from contextwright.testing.strict_server import StrictServer, call

TOOL = {"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}}


def client_of(server, spec, **options):
    context = Context(spec, **options)
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    return wrap(client, context), context


def on(client, before, chain, streamed, number):
    """The next answer: to the result of the call before, and nothing else."""
    link = {"conversation": "conv_1"} if chain == "conversation" else {}
    items = [{"role": "user", "content": "read all"}]
    if before is not None:
        calls = [item for item in before.output if item.type == "function_call"]
        items = [
            {"type": "function_call_output", "call_id": each.call_id, "output": page(str(number))}
            for each in calls
        ]
        link = link or {"previous_response_id": before.id}
    ask = {"model": "gpt-5", "input": items, "tools": [TOOL], **link}
    if not streamed:
        return client.responses.create(**ask)
    *_, last = client.responses.create(**ask, stream=True)
    return last.response


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("chain", ["previous_response_id", "conversation"])
def test_what_the_provider_keeps_counts_within_the_limit(chain, streamed):
    """New results are shortened while that helps; then the user is told what to do, and nothing
    that is over the limit was sent."""
    with StrictServer([call("read")] * 60, window=100_000) as server:
        client, context = client_of(server, C.compaction(8_000))
        answer, sizes = None, []
        with pytest.raises(BudgetError, match="the provider keeps what came before") as told:
            for number in range(60):
                answer = on(client, answer, chain, streamed, number)
                sizes.append(context.pack.tokens)
    assert f"without {chain}" in str(told.value) and "tokens by its bill" in str(told.value)
    assert 7 <= len(server.requests) < 60
    assert max(request.tokens for request in server.requests) < 9_000
    assert max(sizes) > 700 and min(sizes[-3:]) < 300


def test_a_refusal_names_what_nobody_can_shorten():
    """It is refused for what another process was billed, too."""
    with StrictServer(["hello"], window=3_000) as server:
        bare = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        first = bare.responses.create(model="gpt-5", input="x" * 11_000)
        client, _ = client_of(server, C.compaction(8_000))
        ask = {"model": "gpt-5", "input": "y " * 1_000, "previous_response_id": first.id}
        with pytest.raises(ContextOverflowError, match="the provider keeps what came before"):
            client.responses.create(**ask)


def test_no_bill_of_a_kept_conversation_teaches_how_tokens_are_counted():
    with StrictServer(["hello", "more"] * 40, window=100_000) as server:
        client, context = client_of(server, C.compaction(80_000))
        for _ in range(30):
            ask = {"model": "gpt-5", "input": "tell me of " + "a b c d " * 40}
            first = client.responses.create(**ask)
            client.responses.create(**ask, previous_response_id=first.id)
            chained = context.manifest
        client.responses.create(**ask)
    assert chained.counter_factor == context.manifest.counter_factor
    assert float(context.manifest.counter_factor) < 1.3


def test_tenants_do_not_learn_of_each_other_s_conversations():
    context = Context(C.compaction(8_000))
    body = {"model": "gpt-5", "input": "hi", "conversation": "conv_1"}
    usage = {"prompt_tokens": 50_000, "completion_tokens": 1}
    context(body, tenant="a")
    context.billed(body, usage, tenant="a")
    assert context(body, tenant="b") == body
    with pytest.raises(BudgetError, match="49,998 tokens by its bill"):
        context(body, tenant="a")
    assert context({**body, "truncation": "auto"}, tenant="a")["input"] == "hi"
