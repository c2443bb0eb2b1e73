"""Every kind of call stays what it is: what it returns, streams and raises is its own."""

import asyncio
import contextlib
import copy
import functools
import inspect
import pickle
import threading
from typing import get_type_hints

import pytest

from contextwright.adapters.wrap import Cooled, with_context_management

LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(60))
SHORT = len(LONG) // 2


def test_a_function_gets_less_and_returns_its_own():
    sentinel = object()

    def agent(text, *, times=2):
        assert len(text) < SHORT
        assert times == 3
        return sentinel

    assert Cooled(agent, 100)(LONG, times=3) is sentinel
    assert Cooled(agent, 100)(text=LONG, times=3) is sentinel


def test_an_async_function_is_awaited():
    async def agent(text):
        await asyncio.sleep(0)
        return len(text)

    cooled = Cooled(agent, 100)
    assert asyncio.iscoroutinefunction(cooled)
    assert asyncio.run(cooled(LONG)) < SHORT
    assert asyncio.run(cooled.invoke(LONG)) < SHORT


def test_a_report_is_a_line():
    cooled = Cooled(lambda text: text, 100)
    cooled(LONG)
    said = str(cooled.last)
    assert said.startswith(f"{cooled.last.tokens_before:,} → {cooled.last.tokens_after} of 100")
    assert said.endswith("tokens; 1 summarized by extractive") and "\n" not in said
    cooled("short")
    assert str(cooled.last).endswith("of 100 tokens")


def test_what_must_be_awaited_is_seen_as_such():
    """As langchain, LangGraph, pydantic-ai and Starlette look at it."""

    async def agent(text):
        return text

    async def stream(text):
        yield text

    def plain(text):
        return text

    assert inspect.iscoroutinefunction(Cooled(agent).__call__)
    assert inspect.isasyncgenfunction(Cooled(stream).__call__)
    assert inspect.iscoroutinefunction(with_context_management(Cooled(agent)).__call__)
    assert not inspect.iscoroutinefunction(Cooled(plain).__call__)


def test_a_generator_streams_lazily_and_returns_its_value():
    steps = []

    def agent(text):
        steps.append(len(text))
        got = yield 1
        steps.append(got)
        try:
            yield 2
        except KeyError:
            steps.append("thrown")
        yield 3
        return "end"

    stream = Cooled(agent, 100)(LONG)
    assert steps == []
    assert next(stream) == 1
    assert steps[0] < SHORT
    assert stream.send("sent") == 2
    assert stream.throw(KeyError()) == 3
    with pytest.raises(StopIteration) as ended:
        next(stream)
    assert ended.value.value == "end"
    assert steps[1:] == ["sent", "thrown"]


def test_an_async_generator_streams_lazily_and_is_closed():
    steps = []

    async def agent(text):
        steps.append(len(text))
        try:
            steps.append((yield 1))
            try:
                yield 2
            except KeyError:
                yield 3
        finally:
            steps.append("closed")

    async def main():
        stream = Cooled(agent, 100)(LONG)
        assert steps == []
        assert await anext(stream) == 1
        assert await stream.asend("sent") == 2
        assert await stream.athrow(KeyError()) == 3
        await stream.aclose()
        assert [item async for item in Cooled(agent, 100)("short")] == [1, 2]

    asyncio.run(main())
    assert steps[0] < SHORT
    assert steps[1:3] == ["sent", "closed"]


def test_an_async_context_manager_is_entered_with_less():
    class Agent:
        @contextlib.asynccontextmanager
        async def run_stream(self, text):
            yield len(text)

    async def main():
        async with Cooled(Agent(), 100).run_stream(LONG) as got:
            return got

    with pytest.raises(Exception, match="Agent"):
        Cooled(Agent(), 100)
    Agent.run = lambda self, text: text
    assert asyncio.run(main()) < SHORT


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), StopIteration(3)])
def test_errors_pass_through(error):
    def agent(text):
        raise error

    with pytest.raises(type(error)) as raised:
        Cooled(agent, 100)(LONG)
    assert raised.value is error


def test_a_call_with_wrong_arguments_fails_as_it_would():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        Cooled(lambda a, b: a, 100)(LONG)


def test_a_cancelled_call_is_cancelled():
    seen = []

    async def agent(text):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main():
        task = asyncio.create_task(Cooled(agent, 100)(LONG))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_attributes_are_the_agents_and_entries_are_cooled():
    class Agent:
        """Helps."""

        name = "guide"

        def __init__(self):
            self.sizes = []

        def invoke(self, text):
            self.sizes.append(len(text))

        async def ainvoke(self, text):
            self.invoke(text)

        def other(self, text):
            return text

    inner = Agent()
    cooled = Cooled(inner, 100)
    cooled.invoke(LONG)
    asyncio.run(cooled.ainvoke(LONG))
    cooled(LONG)
    assert all(size < SHORT for size in inner.sizes)
    assert len(inner.sizes) == 3
    assert cooled.other(LONG) is LONG
    assert cooled.name == "guide"
    assert cooled.inner is inner
    assert cooled.__doc__ == "Helps."
    with pytest.raises(AttributeError):
        cooled.nothing


def test_the_documents_name_for_calling_works_on_any_function():
    def agent(text):
        return len(text)

    class Called:
        async def __call__(self, text):
            return len(text)

    assert Cooled(inner=agent, threshold=100, radiator=None).invoke(LONG) < SHORT
    assert asyncio.run(Cooled(agent, 100).ainvoke(LONG)) < SHORT
    assert asyncio.run(Cooled(Called(), 100)(LONG)) < SHORT
    assert asyncio.run(Cooled(Called(), 100).invoke(LONG)) < SHORT


def test_wrapping_twice_is_harmless():
    seen = []
    once = Cooled(seen.append, 300)
    twice = Cooled(Cooled(seen.append, 300), 300)
    once(LONG)
    twice(LONG)
    assert seen[0] == seen[1]
    assert not twice.inner.last.cooled

    async def stream(text):
        yield len(text)

    async def main():
        return [one async for one in Cooled(Cooled(stream, 300), 200)(LONG)]

    assert asyncio.run(main())[0] < SHORT


def test_a_function_and_a_method_can_be_decorated():
    @with_context_management
    def agent(text):
        """Answers."""
        return text

    assert agent.__name__ == "agent"
    assert agent.__doc__ == "Answers."
    assert list(inspect.signature(agent).parameters) == ["text"]

    @with_context_management(window_size=100)
    def other(text):
        return text

    assert len(other(LONG)) < SHORT
    assert other.__name__ == "other" and other.__doc__ is None

    class Team:
        notes = LONG

        @functools.partial(with_context_management, window_size=100)
        def ask(self, text):
            return self, text

    team = Team()
    owner, text = team.ask(LONG)
    assert owner is team
    assert len(text) < SHORT
    assert team.ask.last is Team.ask.last


def test_arguments_keep_their_form():
    def agent(first, /, second, *rest, word, **others):
        return first, second, rest, word, others

    cooled = Cooled(agent, 10_000)
    given = cooled("a", "b", "c", "d", word="e", first="f")
    assert given == ("a", "b", ("c", "d"), "e", {"first": "f"})
    first, second, rest, word, others = Cooled(agent, 200)(LONG, "b", LONG, word="e", first=LONG)
    assert (second, word) == ("b", "e")
    assert all(len(text) < SHORT for text in (first, rest[0], others["first"]))


def test_what_has_no_signature_is_cooled_too():
    assert len(Cooled(str.upper, 100)(LONG)) < SHORT
    assert Cooled(print, 100, on_cool=lambda report: None).last is None


def test_many_threads_share_one():
    cooled = Cooled(lambda text: text, 100)
    made = []
    threads = [
        threading.Thread(target=lambda n=n: made.append((n, cooled(f"{n} {LONG}"))))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n for n, text in made if str(n) in text} == set(range(8))


def length_of(text):
    return len(text)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_what_is_cooled_can_be_copied_and_pickled(again):
    cooled = Cooled(length_of, 100, user="brief", timeout_s=3)
    cooled(LONG)
    made = again(cooled)
    assert repr(made) == repr(cooled)
    assert made.last is None
    assert made(LONG) == cooled(LONG) < SHORT
    assert made({"brief": LONG}) == 1
    assert made.last.why


def test_frameworks_see_the_types_of_what_is_wrapped():
    def search(query: str, limit: int = 3) -> list[str]:
        """Looks things up."""
        return [query] * limit

    wrapped = Cooled(search)
    assert get_type_hints(wrapped) == get_type_hints(search)
    assert Cooled[str, list](search)("a", 1) == ["a"]
    tools = pytest.importorskip("langchain_core.tools")
    tool = tools.tool(wrapped)
    assert set(tool.args) == {"query", "limit"} and tool.invoke({"query": "b"}) == ["b"] * 3
