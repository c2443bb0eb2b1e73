"""What pydantic-ai's history records beside what was said: tools that were found, capabilities that
were loaded, instructions that changed."""

# pyright: basic

import json

import pytest
from pydantic_ai import Agent, Tool
from pydantic_ai.capabilities import Capability
from pydantic_ai.messages import (
    CompactionPart,
    ModelRequest,
    ModelResponse,
    SpeechPart,
    TextPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from contextwright import C, Context
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.pydantic_ai import ContextCapability
from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer, call


def model_of(kind, url):
    if kind == "anthropic":
        provider = AnthropicProvider(base_url=url, api_key="none")
        return AnthropicModel("claude-sonnet-4-5", provider=provider, settings={"max_tokens": 99})
    own = {"chat": OpenAIChatModel, "responses": OpenAIResponsesModel}[kind]
    return own("gpt-5", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="none"))


def played(kind, script, spec, instruct=None, history=None, **fields):
    """The requests that an agent sends."""
    with StrictServer(script, window=100_000) as server:
        model = model_of(kind, server.url)
        context = ContextCapability(Context(spec, model=model.model_name))
        own = [context, *fields.pop("capabilities", [])]
        agent = Agent(model, capabilities=own, **fields)
        if instruct:
            agent.instructions(on_change="append", name="rules")(instruct)
        assert agent.run_sync("go", message_history=history).output == "done"
    assert not server.refused
    return server.requests


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def offers(request):
    """Whether a model is shown the weather's parameters, or what it unfolds at the provider."""
    own = [*request.body["tools"], *request.body.get("input", ())]
    return '"weather"' in json.dumps(own)


@pytest.mark.parametrize("kind", ["chat", "responses", "anthropic"])
def test_a_tool_that_was_found_is_shown_after_its_search_is_history(kind):
    found = call("search_tools", queries=["weather"])
    requests = played(
        kind,
        [found, *reading(16), "done"],
        C.compaction(6000),
        tools=[read, Tool(weather, defer_loading=True)],
    )
    assert all(map(offers, requests[1:])) and requests[-1].tokens < 8000


@pytest.mark.parametrize("kind", ["chat", "responses", "anthropic"])
def test_a_capability_that_was_loaded_stays_loaded(kind):
    own = Capability(
        id="wx", description="weather", instructions="Ask for the city.", tools=[weather],
        defer_loading=True,
    )  # fmt: skip
    script = [call("load_capability", id="wx"), *reading(16), call("weather", city="Rome"), "done"]
    requests = played(kind, script, C.compaction(6000), tools=[read], capabilities=[own])
    assert all(map(offers, requests[1:]))
    assert all("Ask for the city." in request.text for request in requests[1:])


@pytest.mark.parametrize("kind", ["chat", "anthropic"])
@pytest.mark.parametrize("spec", [C.compaction(6000), C.select(author="nobody")], ids=str)
def test_an_instruction_that_changed_holds_and_is_redacted(kind, spec):
    asked = []

    def rules():
        asked.append(1)
        return "Ask zoe@b.co first." if len(asked) < 3 else "Be polite to zoe@b.co now."

    tools = [read, weather]
    script = [*reading(24), "done"]
    requests = played(kind, script, spec | C.redact("email"), rules, tools=tools)
    assert all("Be polite to [REDACTED] now." in request.text for request in requests[3:])
    assert not any("zoe@" in request.text for request in requests)


def test_a_search_whose_result_is_something_else_is_a_plain_result():
    """The framework reads the names of tools in it."""
    found = {"discovered_tools": [{"name": "weather", "description": "of a city"}]}
    messages = [
        ModelRequest(parts=[UserPromptPart(content="go")]),
        ModelResponse(parts=[ToolSearchCallPart(args={"queries": ["w"]}, tool_call_id="a")]),
        ModelRequest(parts=[ToolSearchReturnPart(content=found, tool_call_id="a")]),
    ]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    *wires, result = request.body["messages"]
    [part] = request.messages_of({"messages": [*wires, {**result, "content": "cut"}]})[-1].parts
    assert type(part) is ToolReturnPart and part.content == "cut" and part.tool_call_id == "a"
    same = {**result, "content": json.dumps({"discovered_tools": []})}
    [part] = request.messages_of({"messages": [*wires, same]})[-1].parts
    assert isinstance(part, ToolSearchReturnPart)


@pytest.mark.parametrize("kind", ["chat", "responses", "anthropic"])
@pytest.mark.parametrize("spec", [C.compaction(6000), C.default() | C.budget(6000)], ids=str)
def test_a_summary_of_the_history_is_sent_as_long_as_it_stands_for_it(kind, spec):
    """What was before it is nowhere else: an agent forgot its task after some more steps."""
    history = [
        ModelRequest(parts=[UserPromptPart(content="hi")]),
        ModelResponse(parts=[TextPart(content="yes")]),
        ModelRequest(parts=[CompactionPart(content="The task: sell the blue boat to zoe@b.co.")]),
        ModelResponse(parts=[TextPart(content="go on")]),
    ]
    spec = spec | C.redact("email")
    requests = played(kind, [*reading(14), "done"], spec, history=history, tools=[read])
    assert all("sell the blue boat to [REDACTED]." in request.text for request in requests)
    assert requests[-1].tokens < 8000


def test_what_was_spoken_is_a_text():
    said = ModelRequest(parts=[SpeechPart(speaker="user", transcript="call zoe@b.co")])
    request = MappedRequest(MESSAGES, [said], model="gpt-5")
    [wire] = request.body["messages"]
    assert wire == {"role": "user", "content": "call zoe@b.co"}
    [sent] = request.messages_of({"messages": [{**wire, "content": "call [X]"}]})
    assert sent.parts[0].transcript == "call [X]" and said.parts[0].transcript == "call zoe@b.co"
