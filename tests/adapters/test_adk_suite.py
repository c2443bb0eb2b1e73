"""google-adk's plugin in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("google.adk")
drivers = pytest.importorskip("tests.adapters.drivers.adk_runs")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestAdk(AdapterSuite):
    """Every scenario with the plugin."""
