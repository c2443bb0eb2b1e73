"""Answers in front of where they are kept: paid for once, and right whatever happens to Redis."""

import asyncio
import threading

import pytest

from contextwright.errors import StoreError
from contextwright.models import Models, ScriptedLLM
from contextwright.retention import Lethe, RetentionPolicy
from contextwright.spec.task import Answer
from contextwright.stores import SQLiteAnswers
from contextwright.stores.redis import RedisAnswers, RedisCache


def answer(n, series="", value="x"):
    return Answer(fingerprint=f"f{n}", kind="summary", value=value, model="m", series=series)


@pytest.fixture
def store(tmp_path):
    return SQLiteAnswers(tmp_path / "answers.db")


def test_answers_are_the_same_with_and_without_a_flush(cache, store, empty, tmp_path):
    """Every step is done here and beside it, on a store without a cache."""
    plain = SQLiteAnswers(tmp_path / "plain.db")
    cached = RedisAnswers(cache, store)
    for n in range(40):
        for each in (cached, plain):
            each.put(f"k{n % 7}", answer(n, f"s{n % 3}", f"value {n}"))
        if n % 5 == 0:
            empty()
        for key in (f"k{n % 7}", f"k{(n + 3) % 7}", "nobody"):
            assert cached.get(key) == plain.get(key)
            assert cached.get(key) == plain.get(key)
        for series in ("s0", "s1", "s2", "none"):
            assert cached.latest(series) == plain.latest(series)


def test_without_a_store_they_are_asked_again_when_they_are_gone(cache, empty):
    alone = RedisAnswers(cache)
    alone.put("k", answer(1, "s"))
    assert alone.get("k") == alone.latest("s") == answer(1, "s")
    empty()
    assert alone.get("k") is alone.latest("s") is None


def test_what_is_forgotten_is_in_neither(cache, store):
    now = [0]
    store._clock = lambda: now[0]
    cached = RedisAnswers(cache, store)
    cached.put("k", answer(1))
    assert cached.get("k")
    lethe = Lethe(
        ":memory:", cached, policies=RetentionPolicy(max_age_days=1), clock=lambda: 10**12
    )
    assert lethe.apply_retention_policy().actions
    assert cached.get("k") is store.get("k") is None


def test_what_is_removed_while_it_is_read_does_not_come_back(cache, store):
    cached = RedisAnswers(cache, store)
    cached.put("k", answer(1))
    cache.delete("answer", ["k"])
    get = store.get

    def slow(key):
        known = get(key)
        cached.remove_records([key])
        return known

    store.get = slow
    assert cached.get("k") == answer(1)  # as it was when it was read
    store.get = get
    assert cached.get("k") is None


def test_a_dead_server_costs_nothing_but_time(store):
    cached = RedisAnswers(RedisCache("redis://127.0.0.1:1/0", rest_s=60), store)
    cached.put("k", answer(1, "s"))
    assert cached.get("k") == cached.latest("s") == answer(1, "s")
    assert cached.claim("k", 1)
    cached.release("k")
    with pytest.raises(StoreError, match="can not be reached"):
        cached.remove_records(["k"])


class SlowLLM:
    """Says how often it was asked."""

    id = "slow"

    def __init__(self):
        self.asked = 0

    async def complete(self, prompt):
        self.asked += 1
        await asyncio.sleep(0.05)
        return await ScriptedLLM("the answer").complete(prompt)


@pytest.mark.parametrize("flush", [False, True])
def test_processes_that_want_one_answer_ask_once(
    cache, redis_url, prefix, empty, tmp_path, flush, one_task
):
    llm = SlowLLM()
    results = []

    def process():
        own = RedisCache(redis_url, prefix=prefix, timeout_s=5)
        models = Models(llm, answers=RedisAnswers(own, SQLiteAnswers(tmp_path / "a.db")))
        results.append(models.answer_now([one_task])[0])

    threads = [threading.Thread(target=process) for _ in range(6)]
    for thread in threads:
        thread.start()
        if flush:
            empty()
    for thread in threads:
        thread.join()
    assert {each.value for each in results} == {"the answer"} and len(results) == 6
    assert not any(each.fallback for each in results)
    assert llm.asked == 1 or flush


@pytest.fixture
def one_task():
    """A task as a summary asks it."""
    from contextwright import C, Engine, Session

    tasks = []

    class Watching(Models):
        async def answer(self, asked, **rest):
            tasks.extend(asked)
            return await super().answer(asked, **rest)

    session = Session("s")
    for n in range(8):
        session.user(f"question {n}: {'The supplier confirmed order A17. ' * 8}")
        session.assistant(f"answer {n}: {'The price is 49 euros. ' * 8}")
    session.user("and?")
    engine = Engine(C.summarize(), "gpt-5", models=Watching(ScriptedLLM("x")))
    asyncio.run(engine.aprepare(session))
    return tasks[0]
