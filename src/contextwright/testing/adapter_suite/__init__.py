"""What every adapter of a framework must do, played against the strict server.

    class TestMyFramework(AdapterSuite):
        @pytest.fixture(scope="class")
        def driver(self):
            return MyDriver()

A driver makes an agent of the framework, with our adapter where it is given a context and without
where it is not; each scenario plays it with a scripted model behind a provider that refuses what
the real one refuses.
"""

from typing import TYPE_CHECKING, Any

from contextwright.testing.adapter_suite.agent_driver import (
    MODELS,
    AgentDriver,
    AgentSetup,
    SuiteAgent,
    ToolFunction,
)
from contextwright.testing.adapter_suite.scenario import SCENARIOS

if TYPE_CHECKING:
    from contextwright.testing.adapter_suite.suite import (
        AdapterSuite,
        Outcome,
        check_adapter,
        outcomes,
        suite_table,
    )

__all__ = [
    "MODELS",
    "SCENARIOS",
    "AdapterSuite",
    "AgentDriver",
    "AgentSetup",
    "Outcome",
    "SuiteAgent",
    "ToolFunction",
    "check_adapter",
    "outcomes",
    "suite_table",
]
_OF_PYTEST = frozenset({"AdapterSuite", "Outcome", "check_adapter", "outcomes", "suite_table"})


def __getattr__(name: str) -> Any:
    """What needs pytest, which whoever runs `ctx doctor` need not have."""
    if name not in _OF_PYTEST:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from contextwright.testing.adapter_suite import suite

    return getattr(suite, name)


def __dir__() -> list[str]:
    return __all__
