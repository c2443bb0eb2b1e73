"""A session of OpenAI Agents over our stores."""

import asyncio

import pytest
from agents import OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner
from tests.adapters.drivers.openai_agents_runs import AgentsRun

from contextwright import C, compile
from contextwright.adapters.openai_agents import StoreSession
from contextwright.engine.context import Context
from contextwright.stores.sqlite import SQLiteSessions
from contextwright.testing.adapter_suite import AgentSetup
from contextwright.testing.adapter_suite.suite_tools import LIMIT, read, reading
from contextwright.testing.strict_server import Reply, ReplyCall, StrictServer

USER = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}", "x": 1}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "text"}
ANSWER = {"type": "message", "role": "assistant", "id": "m1", "status": "completed",
          "content": [{"type": "output_text", "text": "done", "annotations": []}]}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return SQLiteSessions(tmp_path / "sessions.db")


def session(store, id="alice"):
    return StoreSession(id, store)


def test_it_is_a_session_of_the_framework(store):
    from agents.memory import Session

    assert isinstance(session(store), Session)


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (4,), (2, 2), (1, 3)])
def test_items_come_back_as_they_were_added_here_and_in_another_process(store, sizes):
    async def play():
        items, own = [USER, CALL, RESULT, ANSWER], session(store)
        for size in sizes:
            await own.add_items(items[:size])
            items = items[size:]
        assert await own.get_items() == [USER, CALL, RESULT, ANSWER]
        assert await session(store).get_items() == [USER, CALL, RESULT, ANSWER]
        assert await session(store).get_items(limit=2) == [RESULT, ANSWER]
        assert await session(store, "bob").get_items() == []

    asyncio.run(play())


def test_an_item_is_taken_back_after_a_restart(store):
    async def play():
        await session(store).add_items([USER, CALL, RESULT])
        assert await session(store).pop_item() == RESULT
        assert await session(store).get_items() == [USER, CALL]

    asyncio.run(play())


def test_what_another_process_put_in_an_item_s_place_is_read(store):
    async def play():
        here, there = session(store), session(store)
        await here.add_items([USER, ANSWER])
        assert await there.get_items() == [USER, ANSWER]
        await here.pop_item()
        await here.add_items([CALL])
        assert await there.get_items() == [USER, CALL]
        await there.add_items([RESULT])
        assert await here.get_items() == [USER, CALL, RESULT]

    asyncio.run(play())


def test_items_are_taken_back_one_by_one_and_all(store):
    async def play():
        own = session(store)
        await own.add_items([USER, CALL, RESULT])
        assert await own.pop_item() == RESULT and await own.pop_item() == CALL
        await own.add_items([ANSWER])
        assert await session(store).get_items() == [USER, ANSWER]
        assert await own.pop_item() == ANSWER and await own.pop_item() == USER
        assert await own.pop_item() is None and await session(store).get_items() == []
        await own.add_items([USER])
        await own.clear_session()
        assert await own.get_items() == [] and store.ids() == []

    asyncio.run(play())


def test_two_that_write_see_each_other(store):
    async def play():
        one, two = session(store), session(store)
        await one.add_items([USER])
        await two.add_items([ANSWER])
        assert await one.get_items() == [USER, ANSWER]

    asyncio.run(play())


@pytest.mark.parametrize("kind", [OpenAIChatCompletionsModel, OpenAIResponsesModel])
def test_a_run_goes_on_after_a_restart_and_the_store_has_its_session(store, kind):
    thought = Reply(thinking="hm", calls=(ReplyCall("read", {"path": "f99.txt"}),))
    script = [*reading(14), "half", thought, *reading(3, start=14), "done"]
    if kind is OpenAIChatCompletionsModel:
        script[15] = reading(1, start=99)[0]

    async def play(server, question, own):
        context = Context(C.compaction(LIMIT), model="gpt-5")
        setup = AgentSetup(url=server.url, model="gpt-5", tools=(read,), context=context)
        made = AgentsRun(setup, kind, by_filter=True)
        return await Runner.run(made.agent, question, session=own, **made.options)

    with StrictServer(script) as server:
        first = asyncio.run(play(server, "read the first half", session(store)))
        assert first.final_output == "half"
        again = asyncio.run(play(server, "and the rest", session(store)))
        assert again.final_output == "done" and not server.refused
    stored = store.load("alice")
    assert [event.text for event in stored.log if event.role == "user"] == [
        "read the first half", "and the rest"
    ]  # fmt: skip
    pack = compile(stored, C.compaction(4000), model="gpt-5")
    assert pack.manifest.tokens <= 4000
