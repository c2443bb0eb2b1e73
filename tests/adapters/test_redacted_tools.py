"""What a spec redacts goes from the descriptions and schemas of a framework's tools, where the hook
hands them over."""

import asyncio
import importlib
from typing import Annotated

import pytest
from pydantic import Field

from contextwright import C
from contextwright.testing.adapter_suite.scenario import stage
from contextwright.testing.strict_server import call

SECRET = "AKIAIOSFODNN7EXAMPLE"
SPEC = C.default() | C.redact(patterns=["secrets"])
MODULES = ("langchain_agents", "pydantic_ai_agents", "openai_agents_runs", "deepagents_runs")
MODULES += ("agno_agents", "agent_framework_agents")


def drivers():
    for name in MODULES:
        try:
            module = importlib.import_module(f"tests.adapters.drivers.{name}")
        except ModuleNotFoundError:
            continue
        yield from (one for one in module.DRIVERS if "filter" not in one.name)


def find(what: Annotated[str, Field(description=f"Not {SECRET}.")]) -> str:
    """Finds what is asked for by the key AKIAIOSFODNN7EXAMPLE."""
    return f"found {what}"


@pytest.mark.parametrize("driver", drivers(), ids=lambda one: one.name)
def test_descriptions_of_tools_are_redacted_and_tools_answer(driver):
    with stage(driver, [call("find", what="it"), "done"], spec=SPEC, tools=(find,)) as acting:
        assert asyncio.run(acting.agent.run("find it")) == "done"
        assert len(acting.server.requests) == 2
        for request in acting.server.requests:
            assert SECRET not in str(request.body)
            assert "[REDACTED]" in str(request.body["tools"])
        assert "found it" in str(acting.server.requests[-1].body)
