"""The model of smolagents' agents in every scenario."""

import pytest

from contextwright import C, Context
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.strict_server import Reply, StrictServer, call

pytest.importorskip("smolagents")

from PIL import Image
from smolagents import ActionStep, CodeAgent, OpenAIModel, ToolCallingAgent, tool
from tests.adapters.drivers import smolagents_agents as drivers

from contextwright.adapters.smolagents import context_model, read_back_tools


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestSmolagents(AdapterSuite):
    """Every scenario."""


@tool
def browse(page: str) -> str:
    """Go to a page.

    Args:
        page: its name.
    """
    return f"this is {page}" + " and more of it" * 100


def shot(step, agent):
    """What a browser's agent does: a picture of the page stands with the step's result."""
    if isinstance(step, ActionStep) and step.tool_calls:
        step.observations_images = [Image.new("RGB", (8, 8 + step.step_number))]


def sent(spec, steps=3):
    """The bodies of an agent that looks at pages."""
    script = [*(call("browse", page=f"p{n}") for n in range(steps)), call("final_answer", answer=1)]
    with StrictServer(script, window=100_000) as server:
        model = OpenAIModel("gpt-5", f"{server.url}/v1", api_key="none")
        model = context_model(model, spec) if spec else model
        agent = ToolCallingAgent(
            [browse], model, step_callbacks=[shot], verbosity_level=0, max_steps=40
        )
        agent.run("look around")
    return [request.body["messages"] for request in server.requests]


def pictures(messages):
    parts = [part for each in messages for part in each["content"] if isinstance(part, dict)]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def test_a_picture_of_a_step_stands_where_the_framework_has_it():
    assert sent(C.compaction(100_000)) == sent(None)


def test_pictures_of_steps_that_were_shortened_give_way_and_the_newest_stays():
    bodies = sent(C.compaction(4_000), steps=30)
    own = sent(None, steps=30)
    assert 0 < len(pictures(bodies[-1])) < len(pictures(own[-1]))
    assert [pictures(body)[-1:] for body in bodies] == [pictures(body)[-1:] for body in own]


def test_a_redacted_result_keeps_its_picture():
    bodies = sent(C.compaction(100_000) | C.redact(patterns=[r"p\d"]))
    assert pictures(bodies[-1]) == pictures(sent(None)[-1])
    assert "this is p1" not in str(bodies[-1])


@pytest.mark.parametrize("has_tools", [True, False])
@pytest.mark.parametrize("kind", [ToolCallingAgent, CodeAgent])
def test_refs_are_shown_to_an_agent_that_has_the_tools(kind, has_tools):
    """The tools of an agent that writes code stand in its instruction, where nobody looks."""
    code = "<code>\nprint(browse('p%d'))\n</code>"
    steps = [call("browse", page=f"p{n}") for n in range(30)]
    steps += [call("final_answer", answer=1)]
    if kind is CodeAgent:
        steps = [*(Reply(code % n) for n in range(30)), Reply("<code>\nfinal_answer(1)\n</code>")]
    with StrictServer(steps, window=100_000) as server:
        model = OpenAIModel("gpt-5", f"{server.url}/v1", api_key="none")
        model = context_model(model, Context(C.compaction(6_000), model="gpt-5", read_back=True))
        tools = [browse, *(read_back_tools(model) if has_tools else ())]
        kind(tools, model, verbosity_level=0, max_steps=40).run("look around")
    assert ("event://" in server.requests[-1].text) == (has_tools or kind is CodeAgent)
