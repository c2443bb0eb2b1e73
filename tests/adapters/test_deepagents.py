"""LangChain's middleware inside deepagents, in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("deepagents")
drivers = pytest.importorskip("tests.adapters.drivers.deepagents_runs")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestDeepagents(AdapterSuite):
    """Every scenario for two interfaces."""
