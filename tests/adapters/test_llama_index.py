"""The LLM of LlamaIndex's agents in every scenario."""

import pytest

from contextwright.testing.adapter_suite import AdapterSuite

pytest.importorskip("llama_index.llms.openai")
pytest.importorskip("llama_index.llms.anthropic")
drivers = pytest.importorskip("tests.adapters.drivers.llama_index_agents")


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestLlamaIndex(AdapterSuite):
    """Every scenario for two interfaces."""
