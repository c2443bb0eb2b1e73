"""The adapter of OpenAIAgents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

drivers = pytest.importorskip("agents") and pytest.importorskip(
    "tests.adapters.drivers.openai_agents_runs"
)


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestOpenAIAgents(AdapterSuite):
    """Every scenario for two interfaces."""
