"""A Redis that is emptied again and again, whatever runs: every result is what it is without.

`CONTEXTWRIGHT_FLUSH_S=1` empties it every second; by default it is fifty times a second, so that the
suite, which takes seconds, meets it often.
"""

import os
import re
import shutil
import socket
import subprocess
import threading

import pytest
from tests.serve import test_proxy_stores as proxies
from tests.stores.redis import test_redis_answers as answers

from contextwright import Conversations
from contextwright.stores import SQLiteAnswers
from contextwright.stores.postgres import PostgresSessions
from contextwright.stores.redis import RedisCache
from contextwright.testing import SessionStoreSuite

redis = pytest.importorskip("redis")
FLUSH_S = float(os.environ.get("CONTEXTWRIGHT_FLUSH_S", "0.02"))
flushes = []


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory):
    """Of a server of these tests' own, and a thread that empties it."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        pytest.skip("no redis-server to empty: apt-get install redis-server")
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    process = subprocess.Popen(
        [binary, "--port", str(port), "--save", "", "--bind", "127.0.0.1"],
        cwd=tmp_path_factory.mktemp("redis"),
        stdout=subprocess.DEVNULL,
    )
    # redis-py 5 does not take a refused connection for one of its own errors
    errors = (redis.ConnectionError, redis.TimeoutError, OSError)
    retry = redis.retry.Retry(redis.backoff.ConstantBackoff(0.1), 100, errors)
    client = redis.Redis(port=port, retry=retry)
    client.ping()
    ended = threading.Event()

    def flush():
        while not ended.wait(FLUSH_S):
            client.flushall()
            flushes.append(1)

    thread = threading.Thread(target=flush)
    thread.start()
    yield f"redis://127.0.0.1:{port}/0"
    ended.set()
    thread.join()
    client.close()
    process.kill()
    process.wait()


@pytest.fixture
def cache(redis_url, prefix):
    opened = RedisCache(redis_url, prefix=prefix, timeout_s=5)
    yield opened
    assert not opened.degraded  # it was asked all the time
    opened.close()


@pytest.fixture
def empty():
    """Nothing to do: it is emptied anyway."""
    return lambda: None


class TestSessions(SessionStoreSuite):
    """The suite of stores, with what sessions begin with in that server."""

    @pytest.fixture
    def store(self, database, cache):
        return PostgresSessions(database, cache=cache)

    @pytest.fixture
    def reopen(self, open_database, cache):
        return lambda: PostgresSessions(open_database(), cache=cache)


@pytest.fixture
def store(tmp_path):
    return SQLiteAnswers(tmp_path / "answers.db")


one_task = answers.one_task


@pytest.mark.parametrize(
    "name",
    [
        "test_answers_are_the_same_with_and_without_a_flush",
        "test_what_is_forgotten_is_in_neither",
        "test_what_is_removed_while_it_is_read_does_not_come_back",
        "test_processes_that_want_one_answer_ask_once",
    ],
)
def test_answers(name, request):
    test = getattr(answers, name)
    code = getattr(test, "__wrapped__", test).__code__
    wanted = code.co_varnames[: code.co_argcount]
    given = {each: True if each == "flush" else request.getfixturevalue(each) for each in wanted}
    test(**given)


def test_conversations_of_two_machines(open_database, cache):
    machines = [
        Conversations(store=PostgresSessions(open_database(), cache=cache)) for _ in range(2)
    ]
    messages, before = [], len(flushes)
    for turn in range(30):
        messages.append({"role": "user", "content": f"question {turn}"})
        assert len(machines[turn % 2].update(messages, id="c")) == len(messages)
        messages.append({"role": "assistant", "content": f"answer {turn}"})
    stored = PostgresSessions(open_database(), cache=cache)
    loaded = [stored.load(stored.ids()[0]) for _ in range(20)]
    assert all(
        [event.text for event in each.log] == [m["content"] for m in messages[:-1]]
        for each in loaded
    )
    assert len(flushes) > before or FLUSH_S >= 1


data = proxies.data


def test_a_proxys_conversations(data, redis_url):
    """Two proxies in turn, over one database: each call is rewritten, as it is without the cache."""
    with (
        proxies.proxied(lambda seen: proxies.BILLED, spec=proxies.SPEC, data=data, cache=redis_url) as (first, one),
        proxies.proxied(lambda seen: proxies.BILLED, spec=proxies.SPEC, data=data, cache=redis_url) as (second, other),
        proxies.proxied(lambda seen: proxies.BILLED, spec=proxies.SPEC) as (plain, alone),
    ):  # fmt: skip
        for count in range(22, 32):
            body = proxies.tool_loop(count, lines=25)
            proxies.post((one, other)[count % 2].url, body, proxies.KEY)
            proxies.post(alone.url, body, proxies.KEY)
        proxies.wait_for(lambda: one.app.ledger.sums().calls == 10)

    def bodies(*seen):
        # a sign is of a session's own, and each proxy makes sessions of its own
        return sorted(re.sub(rb'sign=\\"\w+', b"", each.body) for each in seen)

    assert bodies(*first.seen, *second.seen) == bodies(*plain.seen)
