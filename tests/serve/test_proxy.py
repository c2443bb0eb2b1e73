"""Requests through the proxy: bytes in are bytes out until something is due."""

import asyncio
import gzip
import json

import anthropic
import openai
import pytest
from tests.serve.proxied_clients import PROXIED
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings
from contextwright.testing.adapter_suite import check_adapter
from contextwright.testing.strict_server import StrictServer

SCENARIOS = [
    "while-it-fits-nothing-changes",
    "an-overflow-is-mended-once",
    "streaming-streams",
    "other-errors-reach-the-user",
    "thinking",
]
"""The quick ones of the suite; all of them pass."""


@pytest.fixture(scope="module", params=PROXIED, ids=lambda driver: driver.name)
def driver(request):
    yield request.param
    request.param.close()


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_client_that_knows_only_the_base_url(driver, name):
    if name in driver.cannot:
        pytest.skip(driver.cannot[name])
    check_adapter(driver, name)


ODD = json.dumps(tool_loop(2), indent=3).encode().replace(b'"gpt-5"', b'"gpt\\u002d5"')
"""A body that no writer of JSON here would write."""


def test_a_body_that_nothing_is_due_for_leaves_byte_for_byte():
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        status, headers, _ = post(proxy.url, ODD, {"authorization": "Bearer k", "x-own": "1"})
        assert status == 200 and upstream.seen[0].body == ODD
        assert headers["x-contextwright-action"] == "untouched"
        assert upstream.seen[0].header("authorization") == ["Bearer k"]
        assert upstream.seen[0].header("x-own") == ["1"]
        assert upstream.seen[0].header("host") == [upstream.url.removeprefix("http://")]


def test_a_body_over_the_limit_is_rewritten_and_its_pack_can_be_had():
    body = tool_loop(20)
    key = {"authorization": "Bearer k"}
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body, {**key, "x-contextwright-session": "one"})
        sent = json.loads(upstream.seen[0].body)
        assert headers["x-contextwright-action"] == "rewritten"
        assert len(upstream.seen[0].body) < len(json.dumps(body)) / 2
        assert sent["messages"][0] == body["messages"][0] and sent["tools"] == body["tools"]
        assert not any(name.startswith("x-contextwright") for name, _ in upstream.seen[0].headers)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/models?limit=2&a=b%20c"),
        ("POST", "/v1/embeddings"),
        ("HEAD", "/"),
        ("DELETE", "/v1/files/f%2F1"),
    ],
)
def test_what_is_no_call_of_a_model_goes_through(method, path):
    answer = RawAnswer(418, b"short", (("x-two", "1"), ("x-two", "2"), ("set-cookie", "a=b")))
    body = b"\x00not json" if method == "POST" else b""
    with proxied(lambda seen: answer) as (upstream, proxy):
        status, headers, text = asyncio.run(request(method, proxy.url + path, body))
        seen = upstream.seen[0]
        assert (seen.method, seen.path, seen.body) == (method, path, body)
        assert status == 418 and text == (b"" if method == "HEAD" else b"short")
        assert headers.getall("x-two") == ["1", "2"] and headers["set-cookie"] == "a=b"
        assert not any(name.startswith("x-contextwright") for name in headers)


async def request(method, url, body):
    import aiohttp
    from yarl import URL

    async with aiohttp.ClientSession() as session:
        target = URL(url, encoded=True)
        async with session.request(method, target, data=body or None) as answer:
            return answer.status, answer.headers, await answer.read()


def test_a_stream_comes_back_chunk_by_chunk_and_its_usage_is_read():
    usage = b'{"prompt_tokens": 70, "completion_tokens": 5}'
    chunks = (b"data: {}\n\n", b'data: {"choices": [], "usa', b'ge": ' + usage + b"}\n\n")
    kind = (("content-type", "text/event-stream"),)
    with proxied(lambda seen: RawAnswer(headers=kind, chunks=chunks)) as (_, proxy):
        _, headers, text = post(proxy.url, tool_loop(1))
        assert text == b"".join(chunks) and headers["Content-Type"] == "text/event-stream"
        wait_for(lambda: proxy.app.ledger.sums().calls)
        assert proxy.app.ledger.sums().billed_input == 70


def test_an_answer_that_is_packed_stays_packed():
    packed = gzip.compress(b'{"usage": {"prompt_tokens": 9}}')
    heads = (("content-type", "application/json"), ("content-encoding", "gzip"))
    with proxied(lambda seen: RawAnswer(body=packed, headers=heads)) as (upstream, proxy):
        _, headers, text = post(proxy.url, tool_loop(1), {"accept-encoding": "br, gzip;q=0.5"})
        assert text == packed and headers["Content-Encoding"] == "gzip"
        assert upstream.seen[0].header("accept-encoding") == ["gzip;q=0.5"]
        wait_for(lambda: proxy.app.ledger.sums().calls)
        assert proxy.app.ledger.sums().billed_input == 9


@pytest.mark.parametrize(("deployed", "model"), [("gpt-5", None), ("of-the-team", "gpt-5")])
def test_a_model_that_the_path_names_is_not_in_the_body(deployed, model):
    """As at Azure, where a deployment may have the name of its model, or another."""
    body = {key: value for key, value in tool_loop(20).items() if key != "model"}
    path = f"/openai/deployments/{deployed}/chat/completions?api-version=2025-01-01"
    with proxied(spec=C.compaction(4000), model=model) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body, {"api-key": "k"}, path=path)
        sent = json.loads(upstream.seen[0].body)
        assert headers["x-contextwright-action"] == "rewritten" and "model" not in sent
        assert upstream.seen[0].path == path and upstream.seen[0].header("api-key") == ["k"]
        wait_for(lambda: proxy.app.ledger.sums().calls == 1)
        assert [name for name, _ in proxy.app.ledger.by("model")] == [deployed]


def test_a_base_url_that_ends_in_v1_is_not_doubled():
    with proxied() as (upstream, _):
        settings = ProxySettings(upstream=f"{upstream.url}/api/v1", port=0, drain_s=1)
        with ProxyThread(settings) as proxy:
            post(proxy.url, tool_loop(1))
            post(proxy.url, tool_loop(1), path="/chat/completions")
        assert [seen.path for seen in upstream.seen] == ["/api/v1/chat/completions"] * 2


def test_the_asynchronous_clients_stream():
    async def texts(url):
        client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k")
        body = tool_loop(12)
        stream = await client.chat.completions.create(**body, stream=True)
        chat = "".join([e.choices[0].delta.content or "" async for e in stream if e.choices])
        other = anthropic.AsyncAnthropic(base_url=url, api_key="k")
        asked = {"model": "claude-opus-4-5", "max_tokens": 100}
        messages = [{"role": "user", "content": "hello"}]
        async with other.messages.stream(**asked, messages=messages) as stream:
            claude = "".join([text async for text in stream.text_stream])
        return chat, claude

    with StrictServer(["one two three", "four five"]) as server:
        settings = ProxySettings(upstream=server.url, port=0, spec=C.compaction(4000), drain_s=1)
        with ProxyThread(settings) as proxy:
            assert asyncio.run(texts(proxy.url)) == ("one two three", "four five")
        assert not server.refused and server.requests[0].tokens < 4000
