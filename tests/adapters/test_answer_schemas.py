"""The shape that an answer must have is a part of the request: it counts, and is redacted where the
hook hands it over."""

import asyncio
import dataclasses
import importlib

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from contextwright import C, Context
from contextwright.adapters.answer_schemas import answer_schema
from contextwright.errors import BudgetError, SpecError
from contextwright.testing.adapter_suite.suite_tools import SECRET, read
from contextwright.testing.strict_server import StrictServer

SPEC = C.redact(["secrets"]) | C.compaction(8_000)


class Large(BaseModel):
    """The key is AKIAIOSFODNN7EXAMPLE."""

    answer: str = Field(description="one of " + "a b c d " * 1_000)


async def by_openai_agents(server, context, api):
    agents = pytest.importorskip("agents")
    openai = importlib.import_module("openai")
    from agents.models.openai_provider import OpenAIProvider

    from contextwright.adapters.openai_agents import ContextProvider

    client = openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    own = OpenAIProvider(openai_client=client, use_responses=api == "responses")
    config = agents.RunConfig(
        model_provider=ContextProvider(context, provider=own), tracing_disabled=True
    )
    agent = agents.Agent(
        "reader", model="gpt-5", output_type=Large, tools=[agents.function_tool(read)]
    )
    return (await agents.Runner.run(agent, "hi", run_config=config)).final_output


async def by_agent_framework(server, context, api):
    framework = pytest.importorskip("agent_framework")
    clients = pytest.importorskip("agent_framework_openai")
    from contextwright.adapters.agent_framework import ContextChatMiddleware

    names = {"chat": "OpenAIChatCompletionClient", "responses": "OpenAIChatClient"}
    client = getattr(clients, names[api])("gpt-5", api_key="none", base_url=f"{server.url}/v1")
    options = {"response_format": Large, "store": False}
    agent = framework.Agent(
        client, middleware=[ContextChatMiddleware(context)], default_options=options
    )
    return (await agent.run("hi")).value


async def by_langchain(server, context, api):
    pytest.importorskip("langchain_openai")
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ProviderStrategy
    from langchain_openai import ChatOpenAI

    from contextwright.adapters.langchain import ContextMiddleware

    model = ChatOpenAI(
        model="gpt-5",
        base_url=f"{server.url}/v1",
        api_key="none",
        max_retries=0,
        use_responses_api=api == "responses",
    )
    shape = ProviderStrategy(Large)
    agent = create_agent(
        model, [read], middleware=[ContextMiddleware(context)], response_format=shape
    )
    return (await agent.ainvoke({"messages": [("user", "hi")]}))["structured_response"]


async def by_agno(server, context, api):
    pytest.importorskip("agno")
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat, OpenAIResponses

    from contextwright.adapters.agno import context_model

    kind = OpenAIResponses if api == "responses" else OpenAIChat
    model = kind(id="gpt-5", base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    agent = Agent(model=context_model(model, context), output_schema=Large, telemetry=False)
    return (await agent.arun("hi")).content


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("play", [by_openai_agents, by_agent_framework, by_langchain, by_agno])
def test_the_shape_of_an_answer_counts(play, api):
    context = Context(SPEC, model="gpt-5")
    with StrictServer(['{"answer": "x"}'], window=100_000) as server:
        assert asyncio.run(play(server, context, api)) == Large(answer="x")
        assert context.manifest.tokens > 4_000
    assert SECRET not in str(server.requests[0].body)
    assert "REDACTED" in str(server.requests[0].body)


def test_a_shape_that_a_hook_can_not_change_is_refused():
    """LangChain makes the tool of an answer before a middleware is asked."""
    pytest.importorskip("langchain_openai")
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy
    from langchain_openai import ChatOpenAI

    from contextwright.adapters.langchain import ContextMiddleware

    with StrictServer([], window=100_000) as server:
        model = ChatOpenAI(model="gpt-5", base_url=f"{server.url}/v1", api_key="none")
        agent = create_agent(
            model,
            [read],
            middleware=[ContextMiddleware(SPEC)],
            response_format=ToolStrategy(Large),
        )
        with pytest.raises(SpecError, match="ProviderStrategy") as caught:
            agent.invoke({"messages": [("user", "hi")]})
        assert SECRET not in str(caught.value) and not server.requests


def by_adk(server, context, shape):
    pytest.importorskip("google.adk")
    from tests.adapters.drivers.adk_runs import AdkRun

    from contextwright.testing.adapter_suite.agent_driver import AgentSetup

    setup = AgentSetup(url=server.url, model="gemini-2.5-pro", context=context, tools=())
    run = AdkRun(setup)
    run.runner.agent.output_schema = shape
    return asyncio.run(run.run("hi"))


def gemini_schema():
    from google.genai import types

    shape = types.Schema.model_validate(
        {"type": "OBJECT", "description": f"The key is {SECRET}.", "properties": {}}
    )
    shape.properties["answer"] = types.Schema(type="STRING", description="a b c d " * 1_000)
    return shape


SHAPES = {
    "a model": lambda: Large,
    "a list of one": lambda: list[Large],
    "a schema": Large.model_json_schema,
    "a schema of Gemini's": gemini_schema,
}


@pytest.mark.parametrize("kind", SHAPES)
def test_an_adk_agent_s_shape_counts_and_is_redacted(kind):
    context = Context(SPEC, model="gemini-2.5-pro")
    answer = '[{"answer": "x"}]' if "list" in kind else '{"answer": "x"}'
    with StrictServer([answer], window=100_000) as server:
        assert by_adk(server, context, SHAPES[kind]()) == answer
        (sent,) = server.requests
        assert SECRET not in str(sent.body) and "[REDACTED]" in str(sent.body)
        assert "a b c d a b" in str(sent.body)
        assert context.manifest.reserved_system > 2_000


def test_an_adk_agent_s_shape_that_does_not_fit_is_an_error():
    with StrictServer(['{"answer": "x"}'], window=100_000) as server:
        with pytest.raises(Exception, match="and 1000 may be.* for what is put beside"):
            by_adk(server, Context(C.compaction(1_000), model="gemini-2.5-pro"), Large)
        assert not server.requests


def test_a_shape_that_does_not_fit_is_an_error_and_no_request():
    context = Context(C.compaction(2_000), model="gpt-5")
    with StrictServer(['{"answer": "x"}'], window=100_000) as server:
        with pytest.raises(BudgetError, match="instruction, tools and overheads"):
            asyncio.run(by_agent_framework(server, context, "chat"))
        assert not server.requests


class Typed(TypedDict):
    a: str


@dataclasses.dataclass
class Data:
    a: str


@pytest.mark.parametrize("shape", [Large, Typed, Data, Large.model_json_schema()])
def test_a_shape_is_a_type_or_a_schema(shape):
    assert "properties" in answer_schema(shape).schema


@pytest.mark.parametrize("shape", [None, str, dict, {"type": "json_object"}, "text", 3, object()])
def test_what_is_no_shape_of_data_has_no_schema(shape):
    assert answer_schema(shape) is None
