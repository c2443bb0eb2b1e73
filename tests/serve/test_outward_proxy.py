"""Where the environment names a proxy: the upstream is reached by it, and our own by none."""

import base64
import os
import subprocess
import sys

import pytest
from tests.serve.raw_upstream import RawAnswer, RawUpstream, post, proxied

from contextwright.errors import ProxyError
from contextwright.serve.outward_proxy import direct_to_us, outward_proxy
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings

NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
FAR = "http://provider.example"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_the_upstream_is_reached_by_the_proxy_of_the_environment(monkeypatch):
    with RawUpstream() as outward:
        address = outward.url.removeprefix("http://")
        monkeypatch.setenv("HTTP_PROXY", f"http://me:word@{address}")
        with ProxyThread(ProxySettings(upstream=FAR, port=0, drain_s=1)) as proxy:
            assert post(proxy.url, {})[0] == 200
        (seen,) = outward.seen
        assert seen.path == f"{FAR}/v1/chat/completions"
        word = base64.b64encode(b"me:word").decode()
        assert seen.header("proxy-authorization") == [f"Basic {word}"]


def test_what_is_wrong_with_it_is_told_without_its_password(monkeypatch):
    refusal = RawAnswer(407, b"no")
    with RawUpstream(lambda seen: refusal) as outward:
        address = outward.url.removeprefix("http://")
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:word@{address}")
        secure = FAR.replace("http:", "https:")
        with ProxyThread(ProxySettings(upstream=secure, port=0, drain_s=1)) as proxy:
            status, headers, body = post(proxy.url, {})
    assert status == 502 and b"did not answer" in body
    assert b"word" not in body and "word" not in str(headers)


def test_an_upstream_of_this_machine_is_reached_without(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with proxied() as (upstream, proxy):
        assert post(proxy.url, {})[0] == 200 and upstream.seen


@pytest.mark.parametrize(
    ("given", "root", "url"),
    [
        ({}, FAR, None),
        ({"HTTP_PROXY": "http://p:3128"}, "https://provider.example", None),
        ({"ALL_PROXY": "p:3128"}, "https://provider.example", "http://p:3128"),
        ({"HTTP_PROXY": "http://p:3128", "NO_PROXY": ".example"}, FAR, None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://127.0.0.1:11434", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://localhost:11434", None),
    ],
)
def test_which_proxy_it_is(monkeypatch, given, root, url):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert outward_proxy(root) == url


def test_a_proxy_that_does_not_speak_http_is_refused_before_it_serves(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://me:word@p:1080")
    with pytest.raises(ProxyError, match="a socks5 proxy") as refused:
        ProxyThread(ProxySettings(upstream=FAR, port=0))
    assert "NO_PROXY=provider.example" in str(refused.value) and "word" not in str(refused.value)


def test_a_wrapped_command_reaches_us_without():
    assert direct_to_us({"PATH": "/bin"}) == {}
    assert direct_to_us({"HTTP_PROXY": "http://p", "no_proxy": "*"}) == {}
    made = direct_to_us({"https_proxy": "http://p", "NO_PROXY": "a.example, localhost"})
    assert made["no_proxy"] == made["NO_PROXY"] == "a.example,localhost,127.0.0.1,::1"


def test_wrap_works_where_the_environment_names_a_proxy():
    agent = """
import os, urllib.request
base = os.environ["OPENAI_BASE_URL"]
print(urllib.request.urlopen(base + "/models").read().decode())
"""
    with RawUpstream(lambda seen: RawAnswer(body=b"the models")) as upstream:
        wrapped = ["wrap", "--upstream", upstream.url, "--", sys.executable, "-c", agent]
        done = subprocess.run(
            [sys.executable, "-m", "contextwright.cli", *wrapped],
            env={**os.environ, "http_proxy": "http://127.0.0.1:9"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0 and "the models" in done.stdout, done.stderr
