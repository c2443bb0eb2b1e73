"""Agents with the loop inside: every request is cooled, or the agent is refused; never a report of
success without effect."""

import asyncio
import types

import pytest

from contextwright import SpecError
from contextwright.adapters.wrap import Cooled, with_context_management
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(600))


# LangChain


@pytest.fixture
def chat():
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

    class Model(BaseChatModel):
        seen: list = []

        @property
        def _llm_type(self):
            return "scripted"

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            self.seen.append((messages, kwargs))
            return ChatResult(generations=[ChatGeneration(message=AIMessage("one two three"))])

        def bind_tools(self, tools, **kwargs):
            return self.bind(tools=tools, **kwargs)

    class Streaming(Model):
        def _stream(self, messages, stop=None, run_manager=None, **kwargs):
            self.seen.append((messages, kwargs))
            for word in ("one ", "two ", "three"):
                yield ChatGenerationChunk(message=AIMessageChunk(word))

    return types.SimpleNamespace(plain=Model(seen=[]), streaming=Streaming(seen=[]))


def conversation():
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    call = {"name": "search", "args": {}, "id": "c"}
    return [
        HumanMessage("Find it."),
        AIMessage("", tool_calls=[call]),
        ToolMessage(LONG, tool_call_id="c"),
        HumanMessage("And now?"),
    ]


def sent(model):
    messages, _ = model.seen[-1]
    return sum(COUNT(str(message.content)) for message in messages)


BOUND = {
    "bind_tools": lambda model: model.bind_tools([{"name": "search"}]),
    "bind": lambda model: model.bind(temperature=0),
    "with_config": lambda model: model.with_config(tags=["x"]),
    "with_retry": lambda model: model.with_retry(),
    "with_fallbacks": lambda model: model.with_fallbacks([model]),
    "tools, then retry": lambda model: model.bind_tools([]).with_retry(),
    "plain": lambda model: model,
}


@pytest.mark.parametrize("bind", BOUND.values(), ids=BOUND)
@pytest.mark.parametrize("order", ["cooled first", "bound first"])
def test_a_bound_langchain_model_is_cooled(chat, bind, order):
    if order == "cooled first":
        model = bind(Cooled(chat.plain, threshold=1000))
    else:
        model = Cooled(bind(chat.plain), threshold=1000)
    messages = conversation()
    assert model.invoke(messages).content == "one two three"
    assert sent(chat.plain) <= 1000
    assert asyncio.run(model.ainvoke(messages)).content == "one two three"
    assert sent(chat.plain) <= 1000 and len(chat.plain.seen) == 2
    assert [type(one) for one in chat.plain.seen[-1][0]] == [type(one) for one in messages]
    assert messages[2].content == LONG


def test_a_cooled_langchain_model_is_a_model_of_its_own_class_and_reports(chat):
    from langchain_core.language_models import BaseChatModel

    heard = []
    cooled = Cooled(chat.plain, threshold=1000, on_cool=heard.append)
    assert isinstance(cooled, BaseChatModel) and isinstance(cooled, type(chat.plain))
    assert type(cooled).__name__ == "Model" and type(chat.plain) is not type(cooled)
    cooled.bind_tools([{"name": "search"}]).invoke(conversation())
    assert chat.plain.seen[-1][1]["tools"] == [{"name": "search"}]
    assert cooled.last is heard[0]
    assert cooled.last.tokens_before > 5000 and cooled.last.tokens_after <= 1000
    chat.plain.invoke(conversation())
    assert sent(chat.plain) > 5000  # the model that was given is as it was


def test_a_chain_streams_through_a_cooled_model(chat):
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.runnables import Runnable, RunnableLambda

    cooled = Cooled(chat.streaming, threshold=1000)
    chain = RunnableLambda(lambda _: conversation()) | cooled | StrOutputParser()
    assert isinstance(cooled, Runnable)
    assert [piece for piece in chain.stream("go") if piece] == ["one ", "two ", "three"]
    assert sent(chat.streaming) <= 1000

    async def pieces():
        return [piece async for piece in chain.astream("go") if piece]

    assert asyncio.run(pieces()) == ["one ", "two ", "three"]
    assert len([one for one in chain.batch(["a", "b"]) if one]) == 2
    assert all(
        sum(COUNT(str(m.content)) for m in given) <= 1000 for given, _ in chat.streaming.seen
    )


def test_another_part_of_a_chain_stays_one_and_streams():
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.runnables import Runnable, RunnableGenerator, RunnableLambda

    def words(pieces):
        for piece in pieces:
            yield from piece["docs"].split()[:3]

    cooled = Cooled(RunnableGenerator(words), threshold=100)
    assert isinstance(cooled, Runnable)
    chain = RunnableLambda(lambda docs: {"docs": docs, "question": "?"}) | cooled
    assert len(list(chain.stream(LONG))) == 3
    assert cooled.last.tokens_after <= 100
    seen = Cooled(RunnableLambda(lambda given: given["docs"]), threshold=100).with_retry()
    assert COUNT(seen.invoke({"docs": LONG, "question": "?"})) <= 100


# pydantic-ai


@pytest.mark.parametrize("way", ["run", "run_sync", "run_stream", "iter"])
def test_every_request_of_a_pydantic_ai_loop_is_cooled(way):
    pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

    requests = []

    def answer(messages, info):
        requests.append(messages)
        if len(requests) <= 3:
            return ModelResponse(parts=[ToolCallPart("page", {"n": len(requests)})])
        return ModelResponse(parts=[TextPart("done")])

    async def stream(messages, info):
        requests.append(messages)
        if len(requests) <= 3:
            yield {0: DeltaToolCall(name="page", json_args="{}", tool_call_id=f"c{len(requests)}")}
        else:
            yield "done"

    agent = Agent(FunctionModel(answer, stream_function=stream))

    @agent.tool_plain
    def page(n: int = 0) -> str:
        return LONG

    heard = []
    cooled = with_context_management(agent, 1000, on_cool=heard.append)

    async def main():
        if way == "run_stream":
            async with cooled.run_stream("go") as result:
                assert await result.get_output() == "done"
            return result.all_messages()
        if way == "iter":
            async with cooled.iter("go") as run:
                async for _ in run:
                    pass
            return run.result.all_messages()
        return (await cooled.run("go")).all_messages()

    whole = cooled.run_sync("go").all_messages() if way == "run_sync" else asyncio.run(main())
    assert len(requests) == 4
    for messages in requests:
        texts = [str(p.content) for m in messages for p in m.parts if hasattr(p, "content")]
        assert sum(map(COUNT, texts)) <= 1000
        assert texts[0] == "go"
    assert heard and cooled.last.tokens_before > 1000
    kept = [p.content for m in whole for p in m.parts if p.part_kind == "tool-return"]
    assert kept == [LONG] * 3  # what the run remembers is whole


# loops that nobody here reaches


def stand_in(name, module, **fields):
    """An object of a class as a framework that is not installed here names it."""
    base = type(name, (), {"__module__": module, "invoke": lambda self, given: given, **fields})
    return type("Mine", (base,), {"__module__": "mine"})()


@pytest.mark.parametrize(
    ("agent", "way"),
    [
        (stand_in("Pregel", "langgraph.pregel.main"), "create_agent(Cooled(model), tools)"),
        (stand_in("AgentExecutor", "langchain_classic.agents.agent"), "Cooled(model)"),
        (stand_in("AgentBase", "agents.agent"), "call_model_input_filter"),
    ],
    ids=["langgraph", "executor", "openai-agents"],
)
@pytest.mark.parametrize("wrap", [Cooled, with_context_management])
def test_a_loop_that_can_not_be_reached_is_refused_with_the_way_that_can(agent, way, wrap):
    with pytest.raises(SpecError, match="its loop is inside") as caught:
        wrap(agent)
    assert way in caught.value.fix


def test_the_runner_of_the_openai_agents_sdk_is_refused():
    async def run(agent, input):
        return input

    run.__module__, run.__qualname__ = "agents.run", "Runner.run"
    with pytest.raises(SpecError, match="its loop is inside") as caught:
        Cooled(run)
    assert "call_model_input_filter" in caught.value.fix


def test_a_threshold_that_nothing_fits_gives_no_empty_text():
    seen = Cooled(lambda context, question: context, threshold=1)(LONG, "What now?")
    assert seen.strip() and COUNT(seen) <= 16


def test_a_prompt_is_the_users_and_stays():
    cooled = Cooled(lambda prompt: prompt, threshold=100)
    assert cooled(LONG) == LONG
    assert "by themselves" in cooled.last.why
