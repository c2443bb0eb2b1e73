"""While a session is compiled or recorded, the event loop runs: what computes or waits does so in
other threads. A port here waits until the loop had its turns, so a loop that stands fails a test."""

import asyncio
import contextvars
import multiprocessing
import subprocess
import sys
import threading
import time

import pytest

from contextwright import C, Engine, Session, compile, worker_threads
from contextwright.compute_gate import Gate
from contextwright.engine.premise_guard import acheck_premise
from contextwright.engine.prepare import memo_of
from contextwright.errors import BudgetError
from contextwright.models import Models, ScriptedLLM
from contextwright.retrieval.item import Hit, Item
from contextwright.spec.memo import Memo
from contextwright.testing import target_for
from contextwright.tokens.counter import Counter, counter_for
from contextwright.worker_threads import Lane

SPEC = C.default() | C.budget(max_tokens=2_000)
PATIENCE_S = 60
BEATS = 20
LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 8


def talk(turns=6, id="session"):
    session = Session(id)
    for n in range(turns):
        session.user(f"question {n} of {id}: {LONG}")
        session.assistant(f"answer {n}: {LONG}")
    session.user("and now?")
    return session


class Loop:
    """Runs something beside a heartbeat; `wait` is for a port: it returns once the loop had its
    turns meanwhile.

    Attributes:
        threads: those that ports were called in.
    """

    def __init__(self):
        self.threads, self.turns = set(), threading.Event()

    def wait(self):
        self.threads.add(threading.current_thread())
        assert self.turns.wait(PATIENCE_S), "the event loop stands"

    def run(self, work):
        async def beside():
            running = asyncio.ensure_future(work())
            while not self.threads and not running.done():
                await asyncio.sleep(0)
            for _ in range(BEATS):
                await asyncio.sleep(0)
            self.turns.set()
            return await running

        result = asyncio.run(beside())
        assert self.threads, "the port was not called"
        assert threading.main_thread() not in self.threads
        return result


class WaitingCounter:
    """Counts tokens; the first time it waits."""

    id = "waiting"

    def __init__(self, wait):
        self._wait, self._count, self.calls = wait, counter_for("gpt-5").count, 0

    def count(self, text):
        self.calls += 1
        if self.calls == 1:
            self._wait()
        return self._count(text)


def test_a_compile():
    loop, session = Loop(), talk()
    engine = Engine(SPEC, "gpt-5", counter=WaitingCounter(loop.wait))
    pack = loop.run(lambda: engine.acompile(session))
    assert pack.request == compile(talk(), SPEC, model="gpt-5").request


def test_what_everything_would_have_been_is_counted_there():
    class OldCounter(WaitingCounter):
        """Waits at what the spec leaves out: it is counted for the ledger alone."""

        def count(self, text):
            if "question 3" in text:
                self._wait()
            return self._count(text)

    loop, session = Loop(), talk()
    engine = Engine(C.window(n=1), "gpt-5", counter=OldCounter(loop.wait))
    pack = loop.run(lambda: engine.acompile(session))
    assert b"question 3" not in pack.body
    assert engine.ledger(session).whole_tokens > engine.ledger(session).tokens


def test_messages_are_read_there_too():
    class Message(dict):
        def get(self, key, default=None):
            loop.wait()
            return super().get(key, default)

    loop, messages = Loop(), [Message(role="user", content="hello")]
    assert loop.run(lambda: Engine(SPEC, "gpt-5").acompile(messages)).body


def test_a_compiler_of_the_users_own():
    class Own:
        def compile(self, snapshot, target):
            loop.wait()
            return compile(snapshot, SPEC, target=target)

    loop = Loop()
    assert loop.run(lambda: Engine(Own(), "gpt-5").acompile(talk())).body


class Retriever:
    degraded = ""

    def __init__(self, wait):
        self._wait = wait

    def search(self, query, limit):
        self._wait()
        return [Hit(Item("a", "the price is 49"), 1)]


def test_what_is_retrieved_before_a_turn():
    loop, session = Loop(), talk()
    engine = Engine(C.memory() + C.default(), "gpt-5", retrievers=[Retriever(loop.wait)])
    loop.run(lambda: engine.acompile(session))
    assert session.state["knowledge"][0]["text"] == "the price is 49"


def test_what_refs_name_outside():
    def fetch(url):
        loop.wait()
        return "a page"

    loop = Loop()
    spec = C.expand_refs("https://docs.example/page") + C.default()
    engine = Engine(spec, "gpt-5", hosts={"docs.example": fetch})
    assert "a page" in loop.run(lambda: engine.acompile(talk())).body.decode()


def test_saving_a_session():
    class Sessions:
        def save(self, session):
            loop.wait()

    loop = Loop()
    loop.run(lambda: Engine(SPEC, "gpt-5", sessions=Sessions()).arecord(talk()))


def test_putting_an_artifact():
    class Artifacts:
        def put(self, data, *, name=""):
            loop.wait()
            return f"artifact://{name}"

        def read_text(self, path):
            return None

    session = Session()
    session.user("look")
    session.call("read", id="c")
    session.result("c", LONG * 20)
    session.assistant("done")
    loop = Loop()
    spec = C.default() + C.offload(min_tokens=10)
    loop.run(lambda: Engine(spec, "gpt-5", artifacts=Artifacts()).arecord(session))


class Answers:
    """A cache of answers."""

    def __init__(self, wait):
        self._wait = wait

    def get(self, key):
        self._wait()

    def put(self, key, answer):
        self._wait()

    latest = get


@pytest.mark.parametrize("llm", [None, ScriptedLLM("They settled it.")], ids=["embedded", "llm"])
def test_answers_of_models(llm):
    loop = Loop()
    engine = Engine(C.rolling(n=2), "gpt-5", models=Models(llm, answers=Answers(loop.wait)))
    assert loop.run(lambda: engine.acompile(talk())).body


def test_counting_what_a_model_is_asked():
    loop = Loop()
    models = Models(ScriptedLLM("They settled it."), counter=WaitingCounter(loop.wait))
    engine = Engine(C.rolling(n=2), "gpt-5", models=models)
    assert loop.run(lambda: engine.acompile(talk())).body


def test_a_judge():
    def judge(premise):
        loop.wait()
        return "reject"

    loop = Loop()
    result = loop.run(lambda: acheck_premise("Why did the server crash?", judge=judge))
    assert result.verdict == "invalid"


def test_what_is_remembered_is_measured_and_forgotten_in_the_threads_that_compile(monkeypatch):
    """Of a long session that takes tens of milliseconds, for which the loop would stand."""
    threads = {"begin": set(), "end": set(), "settle": set()}

    def noted(name, method):
        def call(tables):
            threads[name].add(threading.current_thread())
            return method(tables)

        return call

    for name in threads:
        monkeypatch.setattr(Memo, name, noted(name, getattr(Memo, name)))
    engine, session = Engine(C.compaction(max_tokens=2_000), "gpt-5"), talk(turns=20)

    async def turn():
        await engine.acompile(session)
        session.assistant("an answer")
        await engine.arecord(session)

    asyncio.run(turn())
    assert all(threads.values())
    assert threading.current_thread() not in set.union(*threads.values())


def test_a_cancelled_compile_leaves_no_scope_open():
    loop = Loop()
    engine = Engine(SPEC, "gpt-5", counter=WaitingCounter(loop.wait))
    session = talk()

    async def cancelled():
        running = asyncio.ensure_future(engine.acompile(session))
        while not loop.threads:
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        loop.turns.set()
        return await engine.acompile(session)

    assert asyncio.run(cancelled()).body
    assert not memo_of(session.log)._scopes


def test_one_sessions_first_compile_holds_up_no_other_turn():
    """The long one begins first, and counts more texts than there are turns."""
    done = []

    async def turn(number):
        await Engine(SPEC, "gpt-5").acompile(talk(id=f"other {number}"))
        done.append("turn")

    async def both():
        counter = Counter("long", "o200k_base")
        started = threading.Event()
        count = counter._count

        def slowly(text):
            started.set()
            time.sleep(0.002)
            return count(text)

        counter._count = slowly
        engine = Engine(SPEC, "gpt-5", counter=counter)
        long = asyncio.ensure_future(engine.acompile(talk(turns=150, id="long")))
        long.add_done_callback(lambda _: done.append("long"))
        while not started.is_set():
            await asyncio.sleep(0.001)
        await asyncio.gather(*map(turn, range(8)))
        return await long

    assert asyncio.run(both()).body
    assert done == ["turn"] * 8 + ["long"]


def test_who_waits_for_a_port_lets_others_compute():
    together = threading.Barrier(8)
    engine = Engine(
        C.memory() + C.default(),
        "gpt-5",
        retrievers=[Retriever(lambda: together.wait(PATIENCE_S))],
    )

    sessions = [talk(id=f"s{n}") for n in range(8)]

    async def all_at_once():
        await asyncio.gather(*map(engine.acompile, sessions))

    asyncio.run(all_at_once())
    assert not together.broken
    assert all("knowledge" in session.state for session in sessions)


def test_many_sessions_at_once_give_the_bytes_of_one_after_the_other():
    sessions = [talk(turns=n + 3, id=f"s{n}") for n in range(12)]
    engine = Engine(SPEC, "gpt-5")

    async def all_at_once():
        # each session twice: the second waits for what the first works out
        return await asyncio.gather(*(engine.acompile(s) for s in (*sessions, *sessions)))

    packs = asyncio.run(all_at_once())
    bodies = [compile(s, SPEC, model="gpt-5").body for s in sessions]
    assert [pack.body for pack in packs] == [*bodies, *bodies]


def test_a_cancelled_compile_leaves_its_session_usable():
    started, released = threading.Event(), threading.Event()

    def wait():
        started.set()
        assert released.wait(PATIENCE_S)

    session, expected = talk(), compile(talk(), SPEC, target=target_for("openai-chat")).body
    engine = Engine(SPEC, "gpt-5", counter=WaitingCounter(wait))

    async def cancelled():
        work = asyncio.ensure_future(engine.acompile(session))
        while not started.is_set():
            await asyncio.sleep(0.001)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work  # at once, though the thread still waits
        assert not released.is_set()
        again = asyncio.ensure_future(engine.acompile(session))
        await asyncio.sleep(0.01)
        assert not again.done()  # it waits for its turn
        released.set()
        return await again

    assert asyncio.run(cancelled()).request == compile(talk(), SPEC, model="gpt-5").request
    assert expected
    assert len(session.changes) == 0


def test_what_is_cancelled_before_its_turn_is_not_done(monkeypatch):
    gate = Gate(1)
    lanes = Lane("turn", gate, long=False), Lane("long", gate, long=True)
    monkeypatch.setattr(worker_threads, "_lanes", lambda: lanes)
    started, released = threading.Event(), threading.Event()

    def wait():
        started.set()
        assert released.wait(PATIENCE_S)

    later = WaitingCounter(lambda: None)

    async def run():
        first = Engine(SPEC, "gpt-5", counter=WaitingCounter(wait))
        work = asyncio.ensure_future(first.acompile(talk()))
        while not started.is_set():
            await asyncio.sleep(0.001)
        other = asyncio.ensure_future(Engine(SPEC, "gpt-5", counter=later).acompile(talk()))
        await asyncio.sleep(0.01)
        other.cancel()
        await asyncio.wait([other])
        released.set()
        await work
        await Engine(SPEC, "gpt-5").acompile(talk())  # behind it in the same lane
        return other.cancelled()

    assert asyncio.run(run())
    assert later.calls == 0


def test_a_cancelled_compile_is_not_the_one_before():
    """Nobody got its pack, so no manifest compares itself with it."""
    session, engine = talk(), Engine(SPEC, "gpt-5")

    async def run():
        work = asyncio.ensure_future(engine.acompile(session))
        await asyncio.sleep(0)
        work.cancel()
        await asyncio.wait([work])
        return await engine.acompile(session)

    assert asyncio.run(run()).manifest.prefix is None


def test_context_variables_are_those_of_who_awaits():
    user = contextvars.ContextVar("user")
    users = []

    async def run():
        user.set("ada")
        engine = Engine(
            C.memory() + C.default(),
            "gpt-5",
            retrievers=[Retriever(lambda: users.append(user.get()))],
        )
        await engine.acompile(talk())

    asyncio.run(run())
    assert users == ["ada"]


def test_an_error_is_the_same_as_without_a_loop():
    spec = C.default() | C.budget(max_tokens=5)
    with pytest.raises(BudgetError) as sync:
        Engine(spec, "gpt-5").compile(talk())
    with pytest.raises(BudgetError) as awaited:
        asyncio.run(Engine(spec, "gpt-5").acompile(talk()))
    assert str(sync.value) == str(awaited.value)


def test_a_stop_iteration_ends_the_wait():
    class Own:
        def compile(self, snapshot, target):
            raise StopIteration

    with pytest.raises(RuntimeError):
        asyncio.run(asyncio.wait_for(Engine(Own(), "gpt-5").acompile(talk()), PATIENCE_S))


def compiled_in_a_child(sender):
    sender.send(asyncio.run(Engine(SPEC, "gpt-5").acompile(talk())).body)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own():
    here = asyncio.run(Engine(SPEC, "gpt-5").acompile(talk())).body
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=compiled_in_a_child, args=(sender,))
    child.start()
    assert receiver.poll(PATIENCE_S), "the child hangs"
    assert receiver.recv() == here
    child.join()


MODELS_ASKED_IN_THREADS = """
import asyncio
from contextwright import C, Context, worker_threads
from contextwright.models import ModelFault, Models, ScriptedLLM
from contextwright.compute_gate import Gate

worker_threads.THREADS = 1  # as where all of them wait

def messages(number, turns):
    asked = [
        {"role": role, "content": f"{number}: the price of order {n} is {n} euros. " * 6}
        for n in range(turns)
        for role in ("user", "assistant")
    ]
    return [*asked, {"role": "user", "content": "and now?"}]

async def run():
    spec = C.default() | C.summarize(max_tokens=50)
    for lines in (["In short."], [ModelFault("refused", "no")]):
        context = Context(spec, model="gpt-5", models=Models(ScriptedLLM(lines * 20)))
        calls = [context.acall(messages(n % 4, 120)) for n in range(8)]
        print(len(await asyncio.gather(*calls)))
    print(context.manifest.notes)

asyncio.run(run())
"""


def test_threads_that_wait_for_models_hold_up_none_that_answers_take():
    """Neither the place in which they computed, nor a thread: one call with a model never ended."""
    code = [sys.executable, "-c", MODELS_ASKED_IN_THREADS]
    ended = subprocess.run(code, capture_output=True, text=True, timeout=120)
    assert ended.stdout.splitlines()[:2] == ["8", "8"], ended.stderr
    assert "refused" in ended.stdout
