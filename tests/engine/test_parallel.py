"""Threads that compile at once give the bytes of one after the other; on a free-threaded Python
they really run at once."""

import pytest
from tests.at_once import at_once

from contextwright import C, Engine, Session, compile

THREADS = 8
SPECS = {
    "window": C.window(n=5) | C.compact() | C.budget(max_tokens=1_500),
    "default": C.default() | C.dedup("structural") | C.redact(["email"]) | C.budget(max_tokens=1_500),
    "compaction": C.compaction(max_tokens=1_500),
    "relevant": C.relevant(query="price of order 7", top_k=6) | C.summarize(max_tokens=200),
    "salient": C.salient() | C.budget(max_tokens=1_500),
    "cool": C.default() | C.cool(1_500) | C.budget(max_tokens=1_500),
    "notes": C.window(n=3) + C.notes("log") + C.write_notes("log") + C.capture("answer", what="output"),
}  # fmt: skip


def talk(number, turns=12):
    session = Session(f"s{number}")
    for n in range(turns):
        session.user(f"question {n} of {number}: the price of order {n}, user{n}@example.com?")
        session.call("search", {"order": n, "session": number}, id=f"c{n}")
        rows = ", ".join(f'{{"order": {n}, "price": {n * k + number}}}' for k in range(12))
        session.result(f"c{n}", f"[{rows}]", error=n % 5 == 4)
        session.assistant(f"The price of order {n} is {n + number} euros. " * 4)
    session.user("and now?")
    return session


def go_on(session, number):
    session.assistant(f"answer of {number}")
    session.user(f"what of order {number}?")


def three_turns(engine, number):
    session, bodies = talk(number), []
    for _ in range(3):
        bodies.append(engine.compile(session).body)
        go_on(session, number)
        engine.record(session)
    return bodies, dict(session.state)


@pytest.mark.parametrize("name", SPECS)
def test_many_sessions_on_one_engine(name):
    shared = Engine(SPECS[name], "gpt-5")
    together = at_once(lambda number: three_turns(shared, number), range(THREADS))
    alone = [three_turns(Engine(SPECS[name], "gpt-5"), number) for number in range(THREADS)]
    assert together == alone


@pytest.mark.parametrize("name", SPECS)
def test_one_session_by_many_threads(name):
    session, engine = talk(1), Engine(SPECS[name], "gpt-5")
    packs = at_once(lambda _: compile(session, SPECS[name], model="gpt-5"), range(THREADS))
    by_engine = at_once(lambda _: engine.compile(session).body, range(THREADS))
    expected = compile(talk(1), SPECS[name], model="gpt-5")
    assert {pack.body for pack in packs} == {expected.body}
    assert set(by_engine) == {expected.body}
    assert {pack.manifest.digest for pack in packs} == {expected.manifest.digest}


def test_one_session_that_grows_meanwhile():
    """Every pack is that of the session as it was when it was taken."""
    session, spec = talk(1), SPECS["default"]

    def work(number):
        if number % 2:
            for _ in range(10):
                go_on(session, number)
            return []
        return [compile(session, spec, model="gpt-5") for _ in range(5)]

    for pack in filter(None, sum(at_once(work, range(THREADS)), [])):
        there = session.snapshot_at(pack.manifest.position, pack.manifest.state_version)
        assert pack.body == compile(there, spec, model="gpt-5").body
