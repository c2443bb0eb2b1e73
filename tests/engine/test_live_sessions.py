"""Many sessions live in one process: what a turn of one costs does not depend on the others, and
nothing of a session outlives it."""

import gc
import weakref

import pytest

from contextwright import C, Engine, Session
from contextwright.tokens.counter import counter_for

SPECS = {
    "window": C.window(n=3) | C.compact() | C.budget(max_tokens=2_000),
    "default": C.default() | C.budget(max_tokens=2_000),
}


class CountingCounter:
    """Counts how often it is asked."""

    id = "counting"

    def __init__(self):
        self.asked, self._count = 0, counter_for("gpt-5").count

    def count(self, text):
        self.asked += 1
        return self._count(text)


def turn(session, n):
    session.user(f"question {n} of {session.id}")
    session.call("look", {"n": n}, id=f"c{n}")
    session.result(f"c{n}", f"row {n} of {session.id}: " + "a value, " * 20)
    session.assistant(f"answer {n} of {session.id}")


def live(count, engine):
    sessions = [Session(f"s{number:04}") for number in range(count)]
    for session in sessions:
        for n in range(5):
            turn(session, n)
        engine.compile(session)
    return sessions


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_turn_counts_what_is_new_however_many_live(spec):
    asked = []
    for count in (1, 100):
        counter = CountingCounter()
        engine = Engine(spec, "gpt-5", counter=counter)
        session = live(count, engine)[0]
        before = counter.asked
        turn(session, 5)
        engine.compile(session)
        asked.append(counter.asked - before)
    assert asked[0] == asked[1] < 12


def test_a_session_that_nobody_holds_is_gone():
    engine = Engine(SPECS["default"], "gpt-5")
    sessions = live(20, engine)
    logs = [weakref.ref(session.log) for session in sessions]
    del sessions
    gc.collect()
    assert [log() for log in logs if log() is not None] == []
    assert len(engine._ledgers) == 0
