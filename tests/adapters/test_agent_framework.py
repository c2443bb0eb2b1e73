"""The chat middleware of Microsoft Agent Framework in every scenario."""

import asyncio

import pytest

from contextwright import C, Context
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer

pytest.importorskip("agent_framework_openai")
pytest.importorskip("agent_framework_anthropic")
drivers = pytest.importorskip("tests.adapters.drivers.agent_framework_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestAgentFramework(AdapterSuite):
    """Every scenario for three interfaces."""


@pytest.mark.parametrize("has_tools", [True, False])
def test_refs_are_shown_to_an_agent_that_has_the_tools(has_tools):
    from agent_framework import Agent
    from agent_framework_openai import OpenAIChatCompletionClient

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    with StrictServer([*reading(30), "done"], window=100_000) as server:
        client = OpenAIChatCompletionClient("gpt-5", api_key="none", base_url=f"{server.url}/v1")
        client.function_invocation_configuration["max_iterations"] = 50
        context = Context(C.compaction(8_000), model="gpt-5", read_back=True)
        middleware = ContextChatMiddleware(context)
        tools = [read, *(middleware.tools if has_tools else ())]
        agent = Agent(client, tools=tools, middleware=[middleware])
        assert asyncio.run(agent.run("read all")).text == "done"
    assert ("event://" in server.requests[-1].text) == has_tools
    assert context.manifest.shows_refs == has_tools


def test_who_speaks_is_redacted_with_what_is_said():
    from agent_framework import Agent, Message
    from agent_framework_openai import OpenAIChatCompletionClient

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    with StrictServer(["done"]) as server:
        client = OpenAIChatCompletionClient("gpt-5", api_key="none", base_url=f"{server.url}/v1")
        agent = Agent(client, middleware=[ContextChatMiddleware(C.redact("email"))])
        asked = Message("user", ["hi"], author_name="zoe@b.co")
        asyncio.run(agent.run([asked, Message("assistant", ["ho"], author_name="al"), "on"]))
    first, second, _ = server.requests[0].body["messages"]
    # some versions take out of a name what OpenAI's rules have no place for
    assert (first["name"].strip("[]"), second["name"]) == ("REDACTED", "al")
    assert "zoe" not in server.requests[0].text
    assert asked.author_name == "zoe@b.co"


@pytest.mark.parametrize("streams", [False, True])
def test_options_and_tools_that_run_at_the_provider_are_redacted(streams):
    from agent_framework import Agent
    from agent_framework_openai import OpenAIChatClient

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    async def play(agent):
        options = {"metadata": {"whose": "zoe@b.co", "kind": "a"}, "user": "zoe@b.co"}
        answer = agent.run("hi", options=options, stream=streams)
        await (answer.get_final_response() if streams else answer)
        return options

    with StrictServer(["done"]) as server:
        client = OpenAIChatClient("gpt-5", api_key="none", base_url=f"{server.url}/v1")
        search = client.get_web_search_tool(user_location={"city": "zoe@b.co", "country": "US"})
        middleware = ContextChatMiddleware(C.default() | C.redact("email"))
        agent = Agent(client, middleware=[middleware], tools=[read, search])
        options = asyncio.run(play(agent))
    body = server.requests[0].body
    assert body["metadata"] == {"whose": "[REDACTED]", "kind": "a"}
    assert body["user"] == "[REDACTED]" and "zoe" not in server.requests[0].text
    assert any(tool.get("user_location", {}).get("city") == "[REDACTED]" for tool in body["tools"])
    assert options["user"] == "zoe@b.co"
