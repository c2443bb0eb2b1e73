"""The chat middleware of Microsoft Agent Framework in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("agent_framework_openai")
pytest.importorskip("agent_framework_anthropic")
drivers = pytest.importorskip("tests.adapters.drivers.agent_framework_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestAgentFramework(AdapterSuite):
    """Every scenario for three interfaces."""
