"""The plugin of Strands' agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("strands")
drivers = pytest.importorskip("tests.adapters.drivers.strands_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestStrands(AdapterSuite):
    """Every scenario for two interfaces."""
