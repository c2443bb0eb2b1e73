"""The adapter of LangChain in every scenario."""

import pytest

from contextwright import C
from contextwright.errors import SpecError
from contextwright.testing.adapter_suite import AdapterSuite

drivers = pytest.importorskip("langchain_openai") and pytest.importorskip(
    "tests.adapters.drivers.langchain_agents"
)


@pytest.fixture(scope="module", params=drivers.DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestLangChain(AdapterSuite):
    """Every scenario for two interfaces."""


def test_a_hook_refuses_to_show_refs_that_no_tool_reads():
    from contextwright.adapters.langchain import pre_model_hook

    with pytest.raises(SpecError, match="ContextMiddleware"):
        pre_model_hook(C.compaction(8_000), model="gpt-5", read_back=True)
