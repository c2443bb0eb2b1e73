"""Prepare, assemble, record: in threads, in event loops, for several agents at once."""

import asyncio
import threading

import pytest

from contextwright import C, Engine, Session, replay
from contextwright.models import Models, ScriptedLLM

LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 8
SPEC = C.rolling(n=2) + C.distill("case") + C.write_notes("log") + C.capture("said", what="output")


def talk(turns=6):
    session = Session()
    for n in range(turns):
        session.user(f"question {n}: {LONG}")
        session.assistant(f"answer {n}: {LONG}")
    session.user("and now?")
    return session


def reply(prompt):
    return '{"facts": ["It costs 49."]}' if prompt.schema else "They settled it."


def test_preparing_is_what_makes_assembling_whole():
    session, llm = talk(), ScriptedLLM(reply)
    engine = Engine(SPEC, "gpt-5", models=Models(llm))
    bare = engine.assemble(session)
    assert "They settled it." not in bare.body.decode()
    assert len(session.changes) == 0
    assert llm.prompts == []
    engine.prepare(session)
    asked = len(llm.prompts)
    assert asked == 2
    assert session.state["_facts_case"] == ["It costs 49."]
    whole = engine.assemble(session)
    assert "They settled it." in whole.body.decode()
    assert len(llm.prompts) == asked
    assert replay(whole.manifest, session).body == whole.body


def test_assembling_asks_nobody_and_writes_nothing():
    class Nobody:
        llm = object()

        def latest(self, series):
            raise AssertionError

        async def answer(self, tasks, **options):
            raise AssertionError

        answer_now = answer

    session = talk()
    before = (len(session.log), len(session.changes), dict(session.state))
    Engine(SPEC, "gpt-5", models=Nobody()).assemble(session)
    assert (len(session.log), len(session.changes), dict(session.state)) == before


def test_sync_and_async_give_the_same_bytes():
    one, other = talk(), talk()
    sync = Engine(SPEC, "gpt-5", models=Models(ScriptedLLM(reply))).compile(one)
    slow = Models(ScriptedLLM(reply, delay_s=0.01))
    both = asyncio.run(Engine(SPEC, "gpt-5", models=slow).acompile(other))
    assert sync.body == both.body


def test_sync_works_where_an_event_loop_runs():
    async def inside():
        return Engine(SPEC, "gpt-5", models=Models(ScriptedLLM(reply, delay_s=0.01))).compile(
            talk()
        )

    assert "They settled it." in asyncio.run(inside()).body.decode()


def test_recording_writes_what_the_spec_says_once():
    session = talk()
    engine = Engine(SPEC, "gpt-5")
    engine.compile(session)
    session.assistant("It is settled.")
    engine.record(session)
    changes = len(session.changes)
    asyncio.run(engine.arecord(session))
    assert len(session.changes) == changes
    assert session.state["said"] == "It is settled."
    assert [note["text"] for note in session.state["_notes_log"]] == ["It is settled."]


def test_tasks_of_a_turn_are_asked_at_once():
    running, most = 0, 0

    class Counting:
        id = "counting"

        async def complete(self, prompt):
            nonlocal running, most
            running += 1
            most = max(most, running)
            for _ in range(1_000):  # until the other one is asked, however busy the machine is
                if most == 2:
                    break
                await asyncio.sleep(0.01)
            running -= 1
            return await ScriptedLLM(reply).complete(prompt)

    Engine(SPEC, "gpt-5", models=Models(Counting())).compile(talk())
    assert most == 2


def test_what_depends_on_an_answer_is_asked_after_it():
    session, llm = (
        talk(8),
        ScriptedLLM(lambda p: '{"scores": [{"item": 2, "score": 100}]}' if p.schema else "Short."),
    )
    spec = C.relevant(query="x", top_k=2) | C.summarize(max_tokens=60)
    pack = Engine(spec, "gpt-5", models=Models(llm)).compile(session)
    assert [bool(prompt.schema) for prompt in llm.prompts] == [True, False]
    assert "answer 1" in llm.prompts[1].text
    assert "Short." in pack.body.decode()


@pytest.mark.parametrize("shared", [True, False])
def test_several_agents_compile_one_session_at_once(shared):
    session, llm = talk(20), ScriptedLLM(reply, delay_s=0.005)
    models = Models(llm)
    specs = [C.rolling(n=n) + C.distill(f"case{n}") for n in range(1, 6)]
    engines = [
        Engine(spec, "gpt-5", agent=f"a{n}", models=models if shared else Models(llm))
        for n, spec in enumerate(specs)
    ]
    packs, failed = [], []

    def work(engine):
        try:
            for _ in range(3):
                packs.append(engine.compile(session))
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=work, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(packs) == 15
    assert {key for key in session.state if key.startswith("_facts_")} == {
        f"_facts_case{n}" for n in range(1, 6)
    }
    for pack in packs:
        assert replay(pack.manifest, session).body == pack.body


def test_several_agents_compile_one_session_in_one_loop():
    session, models = talk(12), Models(ScriptedLLM(reply, delay_s=0.005))
    engines = [
        Engine(C.rolling(n=n, stride=1), "gpt-5", agent=f"a{n}", models=models) for n in range(1, 9)
    ]

    async def all_of_them():
        return await asyncio.gather(*(engine.acompile(session) for engine in engines))

    packs = asyncio.run(all_of_them())
    assert all("They settled it." in pack.body.decode() for pack in packs)


def test_events_that_arrive_meanwhile_do_not_mix_into_a_pack():
    session = talk()

    class Appending:
        id = "appending"

        async def complete(self, prompt):
            session.assistant("meanwhile")
            return await ScriptedLLM(reply).complete(prompt)

    pack = Engine(C.rolling(n=2), "gpt-5", models=Models(Appending())).compile(session)
    assert replay(pack.manifest, session).body == pack.body
