"""Proxies over one PostgreSQL database: any of them serves any conversation, and its loss ends none."""

import json
import socket
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for
from tests.serve.test_pages import get
from tests.stores.conftest import postgres_url, redis_url  # noqa: F401 fixtures

from contextwright import C
from contextwright.errors import ProxyError
from contextwright.serve.call_ledger import CallLedger, CallSums
from contextwright.serve.proxy_stores import proxy_stores
from contextwright.serve.settings import ProxySettings

SPEC = C.compaction(4000)
KEY = {"authorization": "Bearer k"}
BILLED = RawAnswer(body=b'{"usage": {"prompt_tokens": 3000, "completion_tokens": 7}}')


@pytest.fixture
def data(postgres_url):  # noqa: F811
    """The URL of a database of this test's own."""
    import psycopg

    name = f"ctx_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield urlunsplit(urlsplit(postgres_url)._replace(path=f"/{name}"))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Relay:
    """A way to a server that can be cut, and mended."""

    def __init__(self, host, port):
        self.target, self.is_cut, self.open = (host, port), False, []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(self.target)
            self.open += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        target.close()

    def cut(self):
        self.is_cut = True
        for one in self.open:
            one.close()

    def close(self):
        self.cut()
        self._listening.close()


@contextmanager
def relayed(url):
    parts = urlsplit(url)
    relay = Relay(parts.hostname, parts.port or 5432)
    user = f"{parts.username}@" if parts.username else ""
    try:
        yield relay, urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{relay.port}"))
    finally:
        relay.close()


def test_a_conversation_goes_on_at_another_proxy(data):
    with (
        proxied(lambda seen: BILLED, spec=SPEC, data=data) as (first, one),
        proxied(lambda seen: BILLED, spec=SPEC, data=data) as (second, other),
    ):
        for count in (24, 25, 26):
            post(one.url, tool_loop(count, lines=25), KEY)
        for count in (27, 28):
            post(other.url, tool_loop(count, lines=25), KEY)
        wait_for(lambda: one.app.ledger.sums().calls == 5)
        assert one.app.ledger.sums() == other.app.ledger.sums()
        assert one.app.ledger.sums().rewritten == 5
        assert len(one.app.ledger.by("tenant")) == len(one.app.ledger.by("conversation")) == 1
        # the second one goes on from the step that the first one took
        kept = [json.loads(seen.body)["messages"] for seen in (first.seen[-1], second.seen[0])]
        assert kept[1][: len(kept[0])] == kept[0]
        assert get(f"{other.url}/readyz")[0] == 200


def test_a_cache_is_read_and_its_loss_ends_no_call(data, redis_url):  # noqa: F811
    import redis

    client = redis.Redis.from_url(redis_url)
    before = set(client.scan_iter("contextwright:*"))
    for cache in (redis_url, redis_url, "redis://127.0.0.1:1/0"):
        with proxied(lambda seen: BILLED, spec=SPEC, data=data, cache=cache) as (upstream, proxy):
            for count in (24, 25):
                assert post(proxy.url, tool_loop(count, lines=25), KEY)[0] == 200
            assert len(upstream.seen) == 2
    new = set(client.scan_iter("contextwright:*")) - before
    assert new
    client.delete(*new)
    client.close()
    with pytest.raises(ProxyError, match="several proxies share"):
        ProxySettings(upstream="http://127.0.0.1:1", cache=redis_url)


def test_a_database_that_is_gone_ends_no_call(data):
    with (
        relayed(data) as (relay, url),
        proxied(lambda seen: BILLED, spec=SPEC, data=url) as (upstream, proxy),
    ):
        post(proxy.url, tool_loop(24, lines=25), KEY)
        wait_for(lambda: proxy.app.ledger.sums().calls == 1)
        relay.cut()
        for count in (25, 26, 27):
            status, headers, _ = post(proxy.url, tool_loop(count, lines=25), KEY)
            assert (status, headers["x-contextwright-action"]) == (200, "rewritten")
        assert get(f"{proxy.url}/healthz")[0] == 200 and get(f"{proxy.url}/readyz")[0] == 503
        assert len(upstream.seen) == 4
        wait_for(lambda: proxy.app.proxy.uncounted_calls == 3)
        assert proxy.app.proxy.uncounted_calls == 3


def test_who_looks_after_machines_needs_neither_key_nor_name():
    with proxied(key="secret") as (upstream, proxy):
        for path in ("/healthz", "/readyz"):
            status, body = get(proxy.url + path, {"host": "proxy.internal"})
            assert (status, json.loads(body)) == (200, {"ok": True})
        assert get(f"{proxy.url}/stats")[0] == 401
        assert upstream.seen == []


def test_proxies_add_to_the_same_sums(data):
    ledgers = [proxy_stores(data)[0] for _ in range(4)]
    assert all(isinstance(ledger, CallLedger) for ledger in ledgers)
    assert len({ledger.salt() for ledger in ledgers}) == 1

    def add(ledger):
        for n in range(25):
            ledger.add(f"t{n % 2}", "c", "m" * 4000, CallSums(calls=1, tokens=10, whole_tokens=30))

    threads = [threading.Thread(target=add, args=(ledger,)) for ledger in ledgers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledgers[0].sums() == CallSums(calls=100, tokens=1000, whole_tokens=3000)
    assert {name: sums.calls for name, sums in ledgers[1].by("tenant")} == {"t0": 52, "t1": 48}
    for ledger in ledgers:
        ledger.close()
