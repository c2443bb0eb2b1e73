"""A process that is forked off while other threads compile has their locks, and not them."""

import os
import threading
import time

import pytest
from tests.at_once import at_once

from contextwright import C, Engine, Session, compile
from contextwright.engine.prepare import memo_of
from contextwright.forked_process import made_once
from contextwright.memo.memory_budget import BUDGET
from contextwright.models import Models, ScriptedLLM
from contextwright.typed_decoding import _LOCK

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
SPEC = C.window(n=3) | C.compact() | C.budget(max_tokens=2_000)


def talk():
    session = Session("s")
    for n in range(6):
        session.user(f"question {n} of orders and their prices")
        session.assistant(f"answer {n}: the price is {n} euros")
    session.user("and now?")
    return session


def ended_in_a_fork(work):
    """How a forked process ended that did some work; one that hangs is ended, by an alarm."""
    process = os.fork()
    if not process:
        import signal

        signal.alarm(30)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(process, 0)[1]


def held(lock):
    """Have another thread hold a lock; what has it let go."""
    is_held, goes_on = threading.Event(), threading.Event()

    def hold():
        with lock:
            is_held.set()
            goes_on.wait(60)

    threading.Thread(target=hold, daemon=True).start()
    assert is_held.wait(20)
    return goes_on


def test_a_session_that_another_thread_compiles_is_compiled_anew():
    session, engine = talk(), Engine(SPEC, "gpt-5")
    expected = engine.compile(session).body
    for lock in (memo_of(session.log).lock, engine._ledgers.of(session.log)._lock):
        goes_on = held(lock)

        def work():
            assert engine.compile(session).body == expected
            assert compile(session, SPEC, model="gpt-5").body == expected

        assert ended_in_a_fork(work) == 0
        goes_on.set()


@pytest.mark.parametrize("lock", [BUDGET.lock, _LOCK], ids=["memory", "types"])
def test_it_is_forked_when_no_other_thread_holds_what_all_processes_have(lock):
    goes_on = held(lock)
    threading.Timer(0.05, goes_on.set).start()
    assert ended_in_a_fork(lambda: compile(talk(), SPEC, model="gpt-5")) == 0


def test_a_question_that_another_thread_asks_is_asked_there_as_well():
    """Nobody is there who would answer it."""
    llm = ScriptedLLM("All of it, in short.", delay_s=2)
    engine = Engine(C.default() | C.summarize(max_tokens=30), "gpt-5", models=Models(llm))
    asking = threading.Thread(target=lambda: engine.compile(talk()), daemon=True)
    asking.start()
    while not llm.prompts:
        pass
    assert ended_in_a_fork(lambda: engine.compile(talk())) == 0
    asking.join()


def test_what_is_made_once_is_one_for_all_threads_and_another_in_a_fork():
    made = []

    @made_once
    def loop():
        time.sleep(0.01)  # others ask meanwhile
        made.append(object())
        return made[-1]

    assert at_once(lambda _: loop(), range(8)) == [made[0]] * 8

    def work():
        assert loop() is not made[0] and loop() is made[1]

    assert ended_in_a_fork(work) == 0 and loop() is made[0]
