"""The model of Agno's agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("agno")
drivers = pytest.importorskip("tests.adapters.drivers.agno_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestAgno(AdapterSuite):
    """Every scenario for two interfaces."""
