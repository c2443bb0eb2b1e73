"""The LLM of CrewAI's agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("crewai")
drivers = pytest.importorskip("tests.adapters.drivers.crewai_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestCrewAI(AdapterSuite):
    """Every scenario for two interfaces."""
