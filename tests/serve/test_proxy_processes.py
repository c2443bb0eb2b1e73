"""Processes of `ctx serve` over one database: one conversation over both, and restarts in its middle."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import aiohttp
import pytest
from tests.serve.raw_upstream import RawUpstream, post, proxied, tool_loop
from tests.serve.test_pages import get
from tests.serve.test_proxy_stores import BILLED, KEY, SPEC, data  # noqa: F401 fixtures
from tests.stores.conftest import postgres_url, redis_url  # noqa: F401 fixtures

TURNS = range(22, 34)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return bound.getsockname()[1]


class Proxy:
    """A process of `ctx serve`, which may be ended and begun again."""

    def __init__(self, upstream, data, cache):  # noqa: F811
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.command = [
            sys.executable, "-m", "contextwright.cli", "serve", "--port", str(self.port),
            "--upstream", upstream, "--data", data, "--cache", cache, "--spec", "C.compaction(4000)",
        ]  # fmt: skip
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                assert get(f"{self.url}/readyz")[0] == 200
                return
            except (OSError, aiohttp.ClientError):
                assert self.process.poll() is None and time.monotonic() < end
                time.sleep(0.1)

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(timeout=60)


@contextmanager
def upstream():
    with RawUpstream(lambda seen: BILLED) as server:
        yield server


def signless(seen):
    """Bodies without the signs that are of one session."""
    return [re.sub(rb'sign=\\"\w+', b"", each.body) for each in seen]


@pytest.mark.slow
def test_restarts_in_the_middle_of_a_conversation_change_nothing(data, redis_url):  # noqa: F811
    """The requests are those of one proxy that lived all the time: taken in turns, with one ended
    by SIGTERM and the other killed in the middle."""
    with proxied(lambda seen: BILLED, spec=SPEC) as (alone, one):
        for count in TURNS:
            post(one.url, tool_loop(count, lines=25), KEY)
    with ExitStack() as stack:
        server = stack.enter_context(upstream())
        proxies = [Proxy(server.url, data, redis_url) for _ in range(2)]
        for proxy in proxies:
            stack.callback(proxy.process.kill)
        for count in TURNS:
            turn = proxies[count % 2]
            assert post(turn.url, tool_loop(count, lines=25), KEY)[0] == 200
            if count == 26:
                assert turn.end(signal.SIGTERM) == 0
                turn.begin()
            if count == 29:
                assert turn.end(signal.SIGKILL) == -signal.SIGKILL
                turn.begin()
        assert signless(server.seen) == signless(alone.seen)
        stats = json.loads(get(f"{proxies[0].url}/stats")[1])
        assert stats["calls"] in range(len(TURNS) - 2, len(TURNS) + 1)
        for proxy in proxies:
            assert proxy.end(signal.SIGTERM) == 0
