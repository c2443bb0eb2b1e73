"""Frameworks used in another way than the suite does: two agents of different words and tools share
one `Context`, both at once, over several turns, and a tool comes in between; a streamed turn that
calls tools and ends in a schema."""

import asyncio
import json

import pytest

from contextwright import C, Context
from contextwright.testing.adapter_suite.suite_tools import LIMIT, middle, page, reading
from contextwright.testing.strict_server import StrictServer

NAMES = ("alpha", "beta")


def read(path: str) -> str:
    """Read a file."""
    return page(path)


def fetch(path: str) -> str:
    """Fetch a file.

    Args:
        path: of the file.
    """
    return page(path)


def script(name):
    start = 100 * NAMES.index(name)
    return [
        *reading(9, start=start),
        f"first of {name}",
        *reading(9, "fetch", start=start + 20),
        f"second of {name}",
    ]


def words(name):
    return f"You are {name}, and answer {'briefly' if name == 'alpha' else 'in full'}."


class PydanticAi:
    def __init__(self, server, context):
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
        self.model, self.context, self.known = (
            OpenAIChatModel("gpt-5", provider=provider),
            context,
            {},
        )

    def agent(self, name, tools, **options):
        from pydantic_ai import Agent

        from contextwright.adapters.pydantic_ai import ContextCapability

        capabilities = [ContextCapability(self.context)]
        return Agent(
            self.model, instructions=words(name), tools=tools, capabilities=capabilities, **options
        )

    async def ask(self, name, question, tools):
        result = await self.agent(name, tools).run(question, message_history=self.known.get(name))
        self.known[name] = result.all_messages()
        return result.output


class LangChain:
    def __init__(self, server, context):
        from langchain_openai import ChatOpenAI
        from langgraph.checkpoint.memory import InMemorySaver

        self.model = ChatOpenAI(
            model="gpt-5", base_url=f"{server.url}/v1", api_key="none", use_responses_api=False
        )
        self.context, self.saver = context, InMemorySaver()

    async def ask(self, name, question, tools):
        from langchain.agents import create_agent

        from contextwright.adapters.langchain import ContextMiddleware

        agent = create_agent(
            self.model,
            tools,
            system_prompt=words(name),
            middleware=[ContextMiddleware(self.context)],
            checkpointer=self.saver,
        )
        config = {"recursion_limit": 200, "configurable": {"thread_id": name}}
        result = await agent.ainvoke({"messages": [("user", question)]}, config)
        return result["messages"][-1].text


class OpenAiAgents:
    def __init__(self, server, context):
        from agents import OpenAIProvider, RunConfig, SQLiteSession, set_tracing_disabled
        from openai import AsyncOpenAI

        from contextwright.adapters.openai_agents import ContextProvider

        set_tracing_disabled(True)
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none")
        provider = OpenAIProvider(openai_client=client, use_responses=False)
        self.config = RunConfig(model_provider=ContextProvider(context, provider=provider))
        self.sessions = {name: SQLiteSession(name) for name in NAMES}

    async def ask(self, name, question, tools):
        from agents import Agent, Runner, function_tool

        agent = Agent(
            name=name,
            instructions=words(name),
            model="gpt-5",
            tools=[function_tool(tool) for tool in tools],
        )
        result = await Runner.run(
            agent,
            question,
            run_config=self.config,
            session=self.sessions[name],
            max_turns=100,
        )
        return result.final_output


class Adk:
    def __init__(self, server, context):
        from google.adk.sessions import InMemorySessionService

        from contextwright.adapters.adk import ContextPlugin, Mirrors

        self.url, self.sessions = server.url, InMemorySessionService()
        self.plugin = ContextPlugin(context, mirrors=Mirrors())

    async def ask(self, name, question, tools):
        from google.adk.agents import LlmAgent
        from google.adk.apps import App
        from google.adk.models import Gemini
        from google.adk.runners import Runner
        from google.genai import types

        model = Gemini(model="gemini-2.5-flash", base_url=self.url, client_kwargs={"api_key": "no"})
        agent = LlmAgent(name=name, model=model, static_instruction=words(name), tools=tools)
        app = App(name="both", root_agent=agent, plugins=[self.plugin])
        runner = Runner(app=app, session_service=self.sessions)
        ids = {"app_name": "both", "user_id": "u", "session_id": name}
        if await self.sessions.get_session(**ids) is None:
            await self.sessions.create_session(**ids)
        message = types.Content(role="user", parts=[types.Part(text=question)])
        text = ""
        async for event in runner.run_async(user_id="u", session_id=name, new_message=message):
            if event.error_message:
                raise RuntimeError(event.error_message)
            if event.is_final_response() and event.content:
                text = "".join(part.text or "" for part in event.content.parts)
        return text


class Agno:
    def __init__(self, server, context):
        from agno.db.in_memory import InMemoryDb
        from agno.models.openai import OpenAIChat

        from contextwright.adapters.agno import context_model

        model = OpenAIChat("gpt-5", base_url=f"{server.url}/v1", api_key="none")
        self.model, self.db = context_model(model, context), InMemoryDb()

    async def ask(self, name, question, tools):
        from agno.agent import Agent

        agent = Agent(
            model=self.model,
            instructions=words(name),
            tools=tools,
            db=self.db,
            add_history_to_context=True,
            telemetry=False,
        )
        return (await agent.arun(question, session_id=name)).content


FRAMEWORKS = {
    "pydantic-ai": (PydanticAi, ("pydantic_ai", "openai")),
    "langchain": (LangChain, ("langchain", "langchain_openai")),
    "openai-agents": (OpenAiAgents, ("agents",)),
    "google-adk": (Adk, ("google.adk",)),
    "agno": (Agno, ("agno", "openai")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_two_agents_share_one_context_and_a_tool_comes_in_between(name):
    kind, modules = FRAMEWORKS[name]
    for module in modules:
        pytest.importorskip(module)
    context = Context(C.compaction(LIMIT))

    async def play(server):
        chat = kind(server, context)
        first = await asyncio.gather(*(chat.ask(n, f"go, {n}", [read]) for n in NAMES))
        more = await asyncio.gather(*(chat.ask(n, "go on", [read, fetch]) for n in NAMES))
        return [*first, *more]

    with StrictServer({words(n): script(n) for n in NAMES}) as server:
        said = asyncio.run(play(server))
    assert said == [f"{turn} of {n}" for turn in ("first", "second") for n in NAMES]
    assert not server.refused
    for n, other in (NAMES, NAMES[::-1]):
        own = [each for each in server.requests if words(n) in each.text]
        assert len(own) == 20 and not any(words(other) in each.text for each in own)
        seals = [middle(f"f{100 * NAMES.index(other) + k}.txt") for k in range(9)]
        assert not any(seal in each.text for each in own for seal in seals)
        assert own[0].tools == ("read",) and set(own[-1].tools) == {"read", "fetch"}


@pytest.mark.slow
def test_a_stream_that_calls_tools_and_ends_in_a_schema():
    pytest.importorskip("pydantic_ai")
    from pydantic import BaseModel

    class Answer(BaseModel):
        answer: str

    from contextwright.testing.strict_server import call

    script = [*reading(14), call("final_result", answer="streamed")]
    with StrictServer(script) as server:
        chat = PydanticAi(server, Context(C.compaction(LIMIT)))

        async def play():
            agent = chat.agent("alpha", [read], output_type=Answer)
            async with agent.run_stream("go") as result:
                return await result.get_output(), result.all_messages_json()

        output, history = asyncio.run(play())
    assert output.answer == "streamed" and not server.refused
    assert all(each.streamed for each in server.requests)
    text = json.dumps(json.loads(history), ensure_ascii=False)
    assert all(middle(f"f{number}.txt") in text for number in range(14))
