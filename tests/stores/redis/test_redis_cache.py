"""The cache: values that may be gone, claims with fences, a server that dies."""

import shutil
import socket
import subprocess
import threading
import time

import pytest
import redis

from contextwright.errors import StoreError
from contextwright.stores.redis import RedisCache


def test_values_come_back_for_their_tenant_only(cache, redis_url, prefix, empty):
    assert cache.put("answer", "k", b"\0\xff") and cache.get("answer", "k") == b"\0\xff"
    assert cache.get("answer", "K") is cache.get("session", "k") is None
    other = RedisCache(redis_url, prefix=prefix, tenant="other:{x}")
    assert other.get("answer", "k") is None
    cache.delete("answer", ["k", "nobody"])
    assert cache.get("answer", "k") is None
    cache.put("answer", "k", b"1")
    empty()
    assert cache.get("answer", "k") is None and not cache.degraded


def test_a_value_that_is_not_what_was_put_there_is_a_miss(cache, redis_url, prefix):
    cache.put("answer", "a", b"one")
    cache.put("answer", "b", b"two")
    client = redis.Redis.from_url(redis_url)
    a, b = (cache._key("answer", name) for name in "ab")
    client.set(a, client.get(b))  # of another key
    client.set(b, b"short")
    assert cache.get("answer", "a") is cache.get("answer", "b") is None


def test_one_has_a_claim_at_a_time_and_a_late_one_writes_nothing(cache, empty):
    first = cache.claim("k", 0.05)
    assert first.token and cache.claim("k", 5) is None
    time.sleep(0.08)
    second = cache.claim("k", 5)
    assert second.fence > first.fence
    assert cache.put("answer", "k", b"second", claim=second)
    assert not cache.put("answer", "k", b"first", claim=first)
    cache.release(first)  # is not the second's
    assert cache.claim("k", 5) is None
    cache.release(second)
    assert cache.get("answer", "k") == b"second"
    empty()  # with all fences
    third = cache.claim("k", 5)
    assert third.fence > second.fence
    assert not cache.put("answer", "k", b"second", claim=second)


def test_claims_of_many_threads_never_overlap(cache, empty):
    inside, wrong, done = [], [], []

    def work():
        while len(done) < 30:
            claim = cache.claim("k", 30)
            if claim is None:
                time.sleep(0.002)
                continue
            inside.append(claim)
            wrong.extend(inside[1:])
            inside.remove(claim)
            done.append(claim.fence)
            cache.release(claim)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and done == sorted(set(done))


@pytest.fixture
def server(tmp_path):
    """A server of this test's own, which it may kill."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        pytest.skip("no redis-server to kill: apt install redis-server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def start():
        process = subprocess.Popen(
            [binary, "--port", str(port), "--save", "", "--bind", "127.0.0.1"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis(port=port)
        for _ in range(200):
            try:
                client.ping()
                break
            except redis.RedisError:
                time.sleep(0.02)
        return process

    started = [start()]

    def restart():
        started[-1].kill()
        started[-1].wait()
        started.append(start())

    yield f"redis://127.0.0.1:{port}/0", started, restart
    started[-1].kill()
    started[-1].wait()


def test_a_killed_server_is_a_miss_and_its_successor_is_used(server):
    url, started, restart = server
    now = [0.0]
    cache = RedisCache(url, clock=lambda: now[0])
    cache.put("answer", "k", b"1")
    claim = cache.claim("c", 5)
    started[-1].kill()
    started[-1].wait()
    assert cache.get("answer", "k") is None and cache.degraded
    assert not cache.put("answer", "k", b"2", claim=claim)
    assert cache.claim("c", 5).token == ""  # everybody may make it
    cache.release(claim)
    with pytest.raises(StoreError, match="can not be reached"):
        cache.delete("answer", ["k"])
    restart()
    now[0] += 2
    assert cache.get("answer", "k") is None and not cache.degraded
    assert cache.put("answer", "k", b"3") and cache.get("answer", "k") == b"3"


def test_what_means_nothing_is_refused():
    with pytest.raises(StoreError, match="no URL"):
        RedisCache("http://localhost")
    with pytest.raises(StoreError, match="tenant"):
        RedisCache(tenant="")


def test_a_claim_whose_answer_was_lost_is_had(cache, empty, monkeypatch):
    """It is asked for again, and is not taken for somebody else's, whom all would wait for."""
    asked = cache._client.eval

    def asked_again(*arguments):
        asked(*arguments)
        return asked(*arguments)

    monkeypatch.setattr(cache._client, "eval", asked_again)
    claim = cache.claim("k", 5)
    assert claim is not None and claim.token and cache.claim("k", 5) is None


def test_a_server_that_can_not_be_asked_is_nobody_who_claims(cache, monkeypatch):
    """Whatever another thread was told at the same moment."""

    def fails(*arguments):
        raise redis.ConnectionError("away")

    monkeypatch.setattr(cache._client, "eval", fails)
    monkeypatch.setattr(type(cache), "degraded", property(lambda self: "", lambda self, why: None), raising=False)  # fmt: skip
    assert cache.claim("k", 5) is not None
