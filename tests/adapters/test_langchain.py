"""The adapter of LangChain in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

drivers = pytest.importorskip("langchain_openai") and pytest.importorskip(
    "tests.adapters.drivers.langchain_agents"
)


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestLangChain(AdapterSuite):
    """Every scenario for two interfaces."""
