"""The chat generator of Haystack's agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("haystack_integrations.components.generators.anthropic")
drivers = pytest.importorskip("tests.adapters.drivers.haystack_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestHaystack(AdapterSuite):
    """Every scenario for two interfaces."""
