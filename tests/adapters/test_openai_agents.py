"""The adapter of OpenAIAgents in every scenario."""

import asyncio

import pytest

from contextwright import C, Context
from contextwright.errors import SpecError
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer, call

pytest.importorskip("agents")

from agents import (
    Agent,
    HostedMCPTool,
    Model,
    ModelProvider,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    Usage,
    WebSearchTool,
    function_tool,
)
from agents.items import ModelResponse
from agents.models.openai_provider import OpenAIProvider
from openai import AsyncOpenAI
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pydantic import BaseModel, Field
from tests.adapters.drivers import openai_agents_runs as drivers

from contextwright.adapters.openai_agents import (
    ContextFilter,
    ContextProvider,
    context_model,
    read_back_tools,
)


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


class Scripted(Model):
    """Calls a tool, then is done. What it was asked is in `asked`, of all copies."""

    def __init__(self):
        self.model, self.asked = "gpt-5", []

    async def get_response(self, system_instructions, input, *rest, **named):
        self.asked.append(input)
        text = ResponseOutputText(text="done", annotations=[], type="output_text")
        done = ResponseOutputMessage(
            id="m", role="assistant", status="completed", type="message", content=[text]
        )
        call = ResponseFunctionToolCall(
            call_id="c1", name="read", arguments="{}", type="function_call"
        )
        output = [call if len(self.asked) == 1 else done]
        return ModelResponse(output=output, usage=Usage(), response_id=f"r{len(self.asked)}")

    async def stream_response(self, *_, **__):
        raise NotImplementedError


class Provided(ModelProvider):
    def __init__(self, model):
        self.model = model

    def get_model(self, model_name):
        return self.model


@pytest.mark.parametrize(
    "kept",
    [
        {"previous_response_id": "r0"},
        {"conversation_id": "conv"},
        {"auto_previous_response_id": True},
    ],
    ids=lambda kept: next(iter(kept)),
)
@pytest.mark.parametrize("hook", ["provider", "filter"])
def test_a_result_goes_to_the_provider_that_keeps_its_call(hook, kept):
    """The framework hands over what is new, and nothing of what the provider has."""
    model = Scripted()
    own = RunConfig(model_provider=Provided(model), tracing_disabled=True)
    if hook == "provider":
        own.model_provider = ContextProvider(C.compaction(8_000), provider=Provided(model))
    else:
        own.call_model_input_filter = ContextFilter(C.compaction(8_000), model="gpt-5")
    agent = Agent(
        "reader", model="gpt-5", tools=[function_tool(lambda: "text", name_override="read")]
    )
    made = Runner.run_sync(agent, "go", run_config=own, **kept)
    assert made.final_output == "done"
    assert [item["type"] for item in model.asked[1]] == ["function_call_output"]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("hook", ["provider", "filter"])
def test_an_agent_without_the_tools_that_read_back_is_shown_no_refs(hook, streamed):
    """The framework ends a run whose model calls a tool that is not there."""
    done = [*reading(30), call("transfer_to_helper"), "helped"]
    with StrictServer(done, window=100_000) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        own = OpenAIProvider(openai_client=client)
        context = Context(C.compaction(8_000), model="gpt-5", read_back=True)
        if hook == "provider":
            adapter = ContextProvider(context, provider=own)
            config = RunConfig(model_provider=adapter, tracing_disabled=True)
        else:
            adapter = ContextFilter(context)
            config = RunConfig(model_provider=own, call_model_input_filter=adapter)
        helper = Agent("helper", model="gpt-5", tools=[function_tool(read)])
        agent = Agent(
            "root", model="gpt-5", tools=[function_tool(read), *adapter.tools], handoffs=[helper]
        )

        async def play():
            if not streamed:
                return await Runner.run(agent, "read all", run_config=config, max_turns=50)
            result = Runner.run_streamed(agent, "read all", run_config=config, max_turns=50)
            async for _ in result.stream_events():
                pass
            return result

        assert asyncio.run(play()).final_output == "helped"
    assert "event://" in server.requests[-2].text
    assert "event://" not in server.requests[-1].text and "expand" not in server.requests[-1].tools
    assert context.pack.manifest.tokens < 8_000 and not context.manifest.shows_refs


def test_a_model_of_the_frameworks_own_has_no_tools_that_read_back():
    with pytest.raises(SpecError, match="no context"):
        read_back_tools(OpenAIProvider(api_key="none").get_model("gpt-5"))


KEY = "AKIAIOSFODNN7EXAMPLE"
PROMPT = {"id": "pmpt_1", "variables": {"who": f"the owner of {KEY}"}}
REDACTING = C.default() | C.redact(["secrets"])


def responses_model(server):
    client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    return OpenAIResponsesModel("gpt-5", client)


def test_the_variables_of_a_stored_prompt_are_redacted():
    with StrictServer(["done", "done"]) as server:
        agent = Agent("a", model=context_model(responses_model(server), REDACTING), prompt=PROMPT)

        async def play():
            await Runner.run(agent, "hi")
            async for _ in Runner.run_streamed(agent, "hi").stream_events():
                pass

        asyncio.run(play())
    prompts = [request.body["prompt"] for request in server.requests]
    assert [each["variables"] for each in prompts] == [{"who": "the owner of [REDACTED]"}] * 2
    assert PROMPT["variables"]["who"].endswith(KEY)


def hosted():
    config = {"type": "mcp", "server_label": "s", "server_url": "https://s.io",
              "server_description": f"knows {KEY}"}  # fmt: skip
    return HostedMCPTool(config)


def test_what_a_provider_s_own_tools_say_is_redacted():
    with StrictServer(["done", "done"]) as server:
        tools = [hosted(), WebSearchTool(user_location={"type": "approximate", "city": KEY})]
        model = context_model(responses_model(server), REDACTING)
        agent = Agent("a", model=model, tools=[*tools, function_tool(find)])

        async def play():
            await Runner.run(agent, "hi")
            async for _ in Runner.run_streamed(agent, "hi").stream_events():
                pass

        asyncio.run(play())
    for request in server.requests:
        mcp, search, function = request.body["tools"]
        assert mcp["server_description"] == "knows [REDACTED]" and mcp["server_label"] == "s"
        assert search["user_location"]["city"] == "[REDACTED]"
        assert KEY not in function["description"]
    assert tools[0].tool_config["server_description"].endswith(KEY)


def test_a_provider_s_own_tool_that_says_nothing_secret_is_the_agent_s():
    own = hosted()
    own.tool_config["server_description"] = "knows"
    with StrictServer(["done"]) as server:
        model = context_model(responses_model(server), REDACTING)
        asyncio.run(Runner.run(Agent("a", model=model, tools=[own]), "hi"))
    assert server.requests[0].body["tools"] == [own.tool_config]


def prompt_of(data):
    return PROMPT


def find(key: str) -> str:
    """Finds what is asked for, by the key AKIAIOSFODNN7EXAMPLE."""
    return key


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [function_tool(find)]},
        {"handoffs": [Agent("other", handoff_description=f"knows {KEY}")]},
        {"prompt": PROMPT},
        {"prompt": prompt_of},
        {"tools": [hosted()]},
    ],
    ids=["tool", "handoff", "prompt", "function", "hosted"],
)
def test_a_filter_refuses_tools_and_prompts_that_it_can_not_redact(fields):
    """It gives items and instructions back, and all else would leave as it came."""
    with StrictServer(["done"]) as server:
        agent = Agent("a", model=responses_model(server), **fields)
        config = RunConfig(call_model_input_filter=ContextFilter(REDACTING))
        with pytest.raises(SpecError, match="context_model"):
            asyncio.run(Runner.run(agent, "hi", run_config=config))
        assert not server.requests


def test_a_filter_that_redacts_nothing_takes_a_prompt_of_a_function():
    with StrictServer(["done"]) as server:
        agent = Agent("a", model=responses_model(server), prompt=prompt_of)
        config = RunConfig(call_model_input_filter=ContextFilter(C.default()))
        asyncio.run(Runner.run(agent, "hi", run_config=config))
    assert server.requests[0].body["prompt"]["variables"] == PROMPT["variables"]


class Letter(BaseModel):
    to: str = Field(description="such as a@b.co")


def test_a_filter_refuses_what_it_can_not_redact():
    """It hands over items and instructions alone: the shape of an answer was sent as it was."""
    agent = Agent("writer", model="gpt-5", output_type=Letter)
    model = Scripted()
    config = RunConfig(model_provider=Provided(model), tracing_disabled=True)
    config.call_model_input_filter = ContextFilter(C.redact("email"))
    with pytest.raises(SpecError, match="the answer's shape") as caught:
        Runner.run_sync(agent, "go", run_config=config)
    assert "ContextProvider" in caught.value.fix and not model.asked


@pytest.mark.parametrize("mode", ["immediate", "after_turn"])
def test_a_stream_that_is_cancelled_leaves_its_conversation_whole(mode):
    context = Context(C.compaction(8_000) | C.redact(["email"]), model="gpt-5")
    answers = [*reading(12), "one two three", "four", "done"]
    with StrictServer(answers) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        provider = ContextProvider(context, provider=OpenAIProvider(openai_client=client))
        agent = Agent("reader", model="gpt-5", tools=[function_tool(read)])
        config = RunConfig(model_provider=provider, tracing_disabled=True)

        async def play():
            first = Runner.run_streamed(
                agent, "read all for a@b.example", run_config=config, max_turns=50
            )
            async for event in first.stream_events():
                if event.type == "run_item_stream_event" and len(server.requests) > 7:
                    first.cancel(mode)
            said = [*first.to_input_list(), {"role": "user", "content": "and now?"}]
            return await Runner.run(agent, said, run_config=config, max_turns=50)

        assert asyncio.run(play()).final_output
    assert not server.refused and context.pack.manifest.tokens < 8_000
    assert not any("a@b.example" in request.text for request in server.requests)
