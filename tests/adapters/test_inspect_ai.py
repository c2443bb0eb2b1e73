"""inspect_ai's strategy of compaction, and the model of its agents, in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("inspect_ai")
drivers = pytest.importorskip("tests.adapters.drivers.inspect_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestInspectAi(AdapterSuite):
    """Every scenario for two hooks."""
