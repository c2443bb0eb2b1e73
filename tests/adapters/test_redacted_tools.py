"""What a spec redacts goes from the descriptions and schemas of a framework's tools, where the hook
hands them over."""

import asyncio
import importlib
import warnings
from typing import Annotated

import pytest
from pydantic import Field

from contextwright import C, SpecError
from contextwright.testing.adapter_suite.scenario import stage
from contextwright.testing.adapter_suite.suite_tools import read, read_long
from contextwright.testing.strict_server import call

SECRET = "AKIAIOSFODNN7EXAMPLE"
SPEC = C.default() | C.redact(patterns=["secrets"])
MODULES = ("langchain_agents", "pydantic_ai_agents", "openai_agents_runs", "deepagents_runs")
MODULES += ("agno_agents", "agent_framework_agents")


ALONE = ("crewai_agents", "haystack_agents", "llama_index_agents", "strands_agents")
"""Modules of frameworks whose hook hands over messages alone."""


def drivers(modules=MODULES, kind=""):
    for name in modules:
        try:
            with warnings.catch_warnings():  # some frameworks warn as they are imported
                warnings.simplefilter("ignore")
                module = importlib.import_module(f"tests.adapters.drivers.{name}")
        except ModuleNotFoundError:
            continue
        yield from (one for one in module.DRIVERS if ("filter" in one.name) == bool(kind))


def alone():
    """Drivers whose hook can not change tools."""
    return [*drivers(("openai_agents_runs",), "filter"), *drivers(ALONE)]


def of_smolagents():
    return drivers(("smolagents_agents",))


def find(what: Annotated[str, Field(description=f"Not {SECRET}.")]) -> str:
    """Finds what is asked for by the key AKIAIOSFODNN7EXAMPLE."""
    return f"found {what}"


def look(what: str) -> str:
    """Looks for what is asked for by the key AKIAIOSFODNN7EXAMPLE."""
    return f"found {what}"


def mail(to: str) -> str:
    """Mail somebody."""
    return f"sent to {to}"


def cause_of(error, kind):
    """The error of this kind among those that a framework wrapped it in."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


@pytest.mark.parametrize("driver", drivers(), ids=lambda one: one.name)
def test_descriptions_of_tools_are_redacted_and_tools_answer(driver):
    with stage(driver, [call("find", what="it"), "done"], spec=SPEC, tools=(find,)) as acting:
        assert asyncio.run(acting.agent.run("find it")) == "done"
        assert len(acting.server.requests) == 2
        for request in acting.server.requests:
            assert SECRET not in str(request.body)
            assert "[REDACTED]" in str(request.body["tools"])
        assert "found it" in str(acting.server.requests[-1].body)


@pytest.mark.parametrize("driver", drivers(), ids=lambda one: one.name)
def test_tools_that_are_not_in_scope_are_not_sent(driver):
    spec, tools = C.default() + C.tools("find"), (find, mail)
    with stage(driver, [call("find", what="it"), "done"], spec=spec, tools=tools) as acting:
        assert asyncio.run(acting.agent.run("find it")) == "done"
        assert [request.tools for request in acting.server.requests] == [("find",)] * 2


# OpenAI Agents says `tools: []` to the Responses API, which the server takes for a mistake
@pytest.mark.parametrize(
    "driver",
    [one for one in drivers() if one.name != "openai-agents, responses"],
    ids=lambda one: one.name,
)
def test_no_tool_in_scope_is_none_sent(driver):
    with stage(driver, ["done"], spec=C.default() + C.tools("none"), tools=(find,)) as acting:
        assert asyncio.run(acting.agent.run("find it")) == "done"
        bodies = [request.body for request in acting.server.requests]
        assert not any(body.get("tools") for body in bodies)


@pytest.mark.parametrize("spec", [SPEC, C.default() + C.tools("mail")], ids=["redacted", "scope"])
@pytest.mark.parametrize("driver", alone(), ids=lambda one: one.name)
def test_a_hook_that_hands_over_messages_alone_refuses_other_tools(driver, spec):
    """It sent them as they were, and the limit did not count those that the spec leaves out."""
    with stage(driver, ["done"], spec=spec, tools=(look, mail)) as acting:
        with pytest.raises(Exception) as caught:
            asyncio.run(acting.agent.run("find it"))
        assert not acting.server.requests
    error = cause_of(caught.value, SpecError)
    assert error is not None and error.where == "the tools look"


@pytest.mark.parametrize("driver", of_smolagents(), ids=lambda one: one.name)
def test_tools_that_the_framework_hands_over_otherwise_are_refused(driver):
    """smolagents makes the schemas itself, of the tools that its agent has."""
    tools = read, read_long
    with stage(driver, ["done"], spec=C.default() + C.tools("read"), tools=tools) as acting:
        with pytest.raises(Exception) as caught:
            asyncio.run(acting.agent.run("read it"))
        assert not acting.server.requests
    assert "the tools final_answer, read_long" in str(caught.value)
