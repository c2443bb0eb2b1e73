"""The model of smolagents' agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("smolagents")
drivers = pytest.importorskip("tests.adapters.drivers.smolagents_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestSmolagents(AdapterSuite):
    """Every scenario."""
