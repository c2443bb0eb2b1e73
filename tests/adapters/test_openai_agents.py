"""The adapter of OpenAIAgents in every scenario."""

import asyncio

import pytest

from contextwright import C
from contextwright.errors import SpecError
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer

pytest.importorskip("agents")

from agents import Agent, RunConfig, Runner, function_tool
from agents.models.openai_provider import OpenAIProvider
from openai import AsyncOpenAI
from tests.adapters.drivers import openai_agents_runs as drivers

from contextwright.adapters.openai_agents import ContextProvider, read_back_tools


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestOpenAIAgents(AdapterSuite):
    """Every scenario for two hooks of two interfaces."""


def test_a_provider_holds_the_requests_of_agents_that_name_their_models():
    """A refusal is mended, streamed or not, and tools of the agent's are counted."""
    script = [*reading(12), "done"]
    with StrictServer([*script, *script], window=9_000) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        provider = ContextProvider(
            C.compaction(24_000), provider=OpenAIProvider(openai_client=client)
        )
        agent = Agent("reader", model="gpt-5", tools=[function_tool(read)])
        config = RunConfig(model_provider=provider, tracing_disabled=True)

        async def play():
            first = await Runner.run(agent, "read all", run_config=config, max_turns=30)
            second = Runner.run_streamed(agent, "read them", run_config=config, max_turns=30)
            async for _ in second.stream_events():
                pass
            return first.final_output, second.final_output

        assert asyncio.run(play()) == ("done", "done")
    assert len(server.requests) == 26
    assert server.refused and server.overflows == len(server.refused)


def test_a_model_of_the_frameworks_own_has_no_tools_that_read_back():
    with pytest.raises(SpecError, match="no context"):
        read_back_tools(OpenAIProvider(api_key="none").get_model("gpt-5"))
