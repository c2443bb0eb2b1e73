"""LiteLLM's callback in every scenario."""

import asyncio
import json
import os

import pytest

from contextwright import C
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import LIMIT, read, reading
from contextwright.testing.strict_server import StrictServer

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # prices of its own, no download
litellm = pytest.importorskip("litellm")
DRIVERS = pytest.importorskip("tests.adapters.drivers.litellm_calls").DRIVERS
ContextCallback = pytest.importorskip("contextwright.adapters.litellm").ContextCallback


@pytest.fixture(scope="module", params=DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestLiteLLM(AdapterSuite):
    """Every scenario, with the callback's own methods and with the SDK's."""


def test_the_router_is_compiled_and_bills(monkeypatch):
    """The router's deployments go through the same hook."""
    script = [*reading(16), "done"]
    callback = ContextCallback(C.compaction(LIMIT), model="gpt-5")
    monkeypatch.setattr(litellm, "callbacks", [callback])
    with StrictServer(script) as server:
        params = {"model": "openai/gpt-5", "api_base": f"{server.url}/v1", "api_key": "none"}
        router = litellm.Router([{"model_name": "reader", "litellm_params": params}])
        messages = [{"role": "user", "content": "read all files"}]
        asyncio.run(loop(router, messages))
        assert not server.refused and len(server.requests) == 17
    assert len(str(messages)) > 4 * LIMIT


def test_the_proxy_is_compiled_and_keeps_keys_apart(tmp_path, monkeypatch):
    """The proxy itself, with a callback from its configuration; two keys are two tenants."""
    testclient = pytest.importorskip("fastapi.testclient")
    proxy = pytest.importorskip("litellm.proxy.proxy_server")
    callback = ContextCallback(C.compaction(LIMIT), model="gpt-5")
    monkeypatch.setattr(litellm, "callbacks", [])
    with StrictServer([*reading(16), "done"]) as server:
        params = {"model": "openai/gpt-5", "api_base": f"{server.url}/v1", "api_key": "none"}
        config = {"model_list": [{"model_name": "reader", "litellm_params": params}]}
        path = tmp_path / "config.yaml"
        path.write_text(json.dumps(config))
        asyncio.run(proxy.initialize(config=str(path)))
        litellm.callbacks.append(callback)
        client = testclient.TestClient(proxy.app)
        messages = [{"role": "user", "content": "read all files"}]
        for _ in range(17):
            body = {"model": "reader", "messages": messages, "tools": TOOLS}
            answer = client.post("/v1/chat/completions", json=body)
            assert answer.status_code == 200, answer.text
            messages += answered(answer.json()["choices"][0]["message"])
        assert not server.refused and len(server.requests) == 17


TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]


async def loop(router, messages):
    while True:
        answer = await router.acompletion(model="reader", messages=list(messages), tools=TOOLS)
        message = answer.choices[0].message.model_dump(exclude_none=True)
        messages += answered(message)
        if not message.get("tool_calls"):
            return


def answered(message):
    """A message of the model's, and what its calls gave."""
    keys = ("role", "content", "tool_calls")
    kept = {key: message[key] for key in keys if message.get(key)}
    results = [
        {"role": "tool", "tool_call_id": call["id"],
         "content": read(**json.loads(call["function"]["arguments"]))}
        for call in message.get("tool_calls") or ()
    ]  # fmt: skip
    return [kept, *results]
