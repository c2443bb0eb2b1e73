"""Frameworks whose provider keeps the conversation: what a spec says is sent, or the user hears
that it can not be, and nothing is over the limit in silence."""

import asyncio

import pytest

from contextwright import C
from contextwright.errors import BudgetError, SpecError
from contextwright.testing.adapter_suite.suite_tools import SECRET, read, read_secret, reading
from contextwright.testing.strict_server import StrictServer, call

SPEC = C.compaction(8_000)
LOOP = [*reading(34), "done"]


def agno_agent(server, **options):
    pytest.importorskip("agno")
    from agno.agent import Agent
    from agno.models.openai import OpenAIResponses

    from contextwright.adapters.agno import context_model

    spec = options.pop("spec", SPEC)
    tools = options.pop("tools", [read])
    address = {"base_url": f"{server.url}/v1", "api_key": "none", "max_retries": 0}
    model = context_model(OpenAIResponses(id="gpt-5", **address, **options), spec)
    return Agent(model=model, tools=tools, telemetry=False)


@pytest.mark.parametrize("streamed", [False, True])
def test_agno_sends_the_whole_where_the_provider_has_more(streamed):
    """What it does by itself for models that reason: it goes on from the newest answer."""
    with StrictServer(LOOP, window=12_000) as server:
        agent = agno_agent(server)
        if streamed:
            *_, last = agent.run("read all", stream=True, yield_run_output=True)
            assert last.content == "done"
        else:
            assert agent.run("read all").content == "done"
    chains = [bool(request.body.get("previous_response_id")) for request in server.requests]
    assert chains[1] and not chains[-1] and not server.refused
    assert len(server.requests) == 35 and server.requests[-1].body["store"]


def langchain_agent(server, **options):
    pytest.importorskip("langchain_openai")
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    from contextwright.adapters.langchain import ContextMiddleware

    spec, tools = options.pop("spec", SPEC), options.pop("tools", [read])
    address = {"base_url": f"{server.url}/v1", "api_key": "none", "max_retries": 0}
    model = ChatOpenAI(model="gpt-5", use_previous_response_id=True, **address)
    return create_agent(model, tools, middleware=[ContextMiddleware(spec)], **options)


def test_langchain_sends_the_whole_where_the_provider_has_more():
    with StrictServer(LOOP, window=12_000) as server:
        agent = langchain_agent(server)
        asked = {"messages": [("user", "read all")]}
        state = agent.invoke(asked, {"recursion_limit": 200})["messages"]
    assert state[-1].text == "done" and state[1].response_metadata["id"].startswith("resp_")
    chains = [bool(request.body.get("previous_response_id")) for request in server.requests]
    assert chains[1] and not chains[-1] and not server.refused and len(chains) == 35


@pytest.mark.parametrize("made", [agno_agent, langchain_agent])
def test_what_is_redacted_is_not_left_to_what_the_provider_keeps(made):
    """A question that was sent as it came stays there; what goes on from it does not."""
    with StrictServer([call("read_secret", path="a"), "done"], window=50_000) as server:
        agent = made(server, spec=C.redact(["secrets"]), tools=[read_secret])
        if made is agno_agent:
            agent.run(f"my key is {SECRET}")
        else:
            agent.invoke({"messages": [("user", f"my key is {SECRET}")]})
    assert len(server.requests) == 2 and not server.refused
    assert not any(SECRET in str(request.body) for request in server.requests)


def pydantic_agent(server, settings, spec=SPEC):
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from contextwright.adapters.pydantic_ai import ContextCapability

    provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
    model = OpenAIResponsesModel("gpt-5", provider=provider)
    return Agent(
        model, tools=[read], capabilities=[ContextCapability(spec)], model_settings=settings
    )


def test_pydantic_ai_goes_on_from_an_answer_while_that_is_what_was_sent():
    with StrictServer(LOOP, window=12_000) as server:
        agent = pydantic_agent(server, {"openai_previous_response_id": "auto"})
        assert agent.run_sync("read all").output == "done"
    chains = [bool(request.body.get("previous_response_id")) for request in server.requests]
    assert any(chains) and not all(chains[1:]) and not server.refused


@pytest.mark.parametrize("loop", [2, 34])
def test_pydantic_ai_refuses_to_shorten_what_the_provider_has(loop):
    with StrictServer([*reading(loop), "done"], window=50_000) as server:
        agent = pydantic_agent(server, {"openai_conversation_id": "conv_1"})
        if loop == 2:
            assert agent.run_sync("read all").output == "done"
        else:
            with pytest.raises(SpecError, match="the provider keeps this conversation"):
                agent.run_sync("read all")
    assert not server.refused and max(each.tokens for each in server.requests) < 12_000


@pytest.mark.parametrize("link", ["resp_", "conv_1"])
@pytest.mark.parametrize("streamed", [False, True])
def test_agent_framework_counts_what_the_service_keeps(streamed, link):
    """Its Responses client leaves the conversation there by default."""
    pytest.importorskip("agent_framework_openai")
    from agent_framework import Agent
    from agent_framework_openai import OpenAIChatClient

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    options = {"conversation_id": link} if link == "conv_1" else None

    async def played(server, options):
        client = OpenAIChatClient("gpt-5", api_key="none", base_url=f"{server.url}/v1")
        agent = Agent(
            client, tools=[read], middleware=[ContextChatMiddleware(SPEC)], default_options=options
        )
        session = agent.create_session()
        if not streamed:
            return (await agent.run("read all", session=session)).text
        stream = agent.run("read all", session=session, stream=True)
        return (await stream.get_final_response()).text

    with StrictServer(LOOP, window=50_000) as server:
        with pytest.raises(BudgetError, match="the provider keeps what came before") as told:
            asyncio.run(played(server, options))
        assert "store=False" in str(told.value)
        assert max(request.tokens for request in server.requests) < 9_000
    with StrictServer(LOOP, window=12_000) as server:
        assert asyncio.run(played(server, {"store": False})) == "done"


@pytest.mark.parametrize("link", [{"auto_previous_response_id": True}, {"conversation_id": "c"}])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("hook", ["provider", "filter"])
def test_openai_agents_counts_what_the_provider_keeps(hook, streamed, link):
    pytest.importorskip("agents")
    from agents import Agent, RunConfig, Runner, function_tool
    from agents.models.openai_provider import OpenAIProvider
    from openai import AsyncOpenAI

    from contextwright.adapters.openai_agents import ContextFilter, ContextProvider

    async def played(server):
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        provider = OpenAIProvider(openai_client=client)
        config = RunConfig(model_provider=provider, tracing_disabled=True)
        agent = Agent("reader", model="gpt-5", tools=[function_tool(read)])
        options = {"run_config": config, "max_turns": 50, **link}
        if hook == "filter":
            config.call_model_input_filter = ContextFilter(SPEC, model="gpt-5")
            options["hooks"] = config.call_model_input_filter.hooks
        else:
            config.model_provider = ContextProvider(SPEC, provider=provider)
        if not streamed:
            return await Runner.run(agent, "read all", **options)
        result = Runner.run_streamed(agent, "read all", **options)
        return [event async for event in result.stream_events()]

    with StrictServer(LOOP, window=50_000) as server:
        with pytest.raises(BudgetError, match="the provider keeps what came before"):
            asyncio.run(played(server))
        assert len(server.requests) > 7
        assert max(request.tokens for request in server.requests) < 9_000


def test_a_filter_counts_what_the_provider_keeps_of_its_own_run():
    pytest.importorskip("agents")
    from agents import Agent, RunConfig, Runner, function_tool
    from agents.models.openai_provider import OpenAIProvider
    from openai import AsyncOpenAI

    from contextwright.adapters.openai_agents import ContextFilter

    async def played(server):
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        filter = ContextFilter(SPEC, model="gpt-5")
        config = RunConfig(
            model_provider=OpenAIProvider(openai_client=client),
            call_model_input_filter=filter,
            tracing_disabled=True,
        )
        agent = Agent("reader", model="gpt-5", tools=[function_tool(read)])
        options = {"run_config": config, "hooks": filter.hooks, "auto_previous_response_id": True}
        long, short = (Runner.run(agent, name, max_turns=50, **options) for name in ("long", "few"))
        with pytest.raises(BudgetError):
            await long
        return (await short).final_output

    scripts = {"long": LOOP, "few": [*reading(2), "done"]}
    with StrictServer(scripts, window=50_000) as server:
        assert asyncio.run(played(server)) == "done"
