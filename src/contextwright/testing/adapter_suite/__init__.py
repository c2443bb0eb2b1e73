"""What every adapter of a framework must do, played against the strict server.

    class TestMyFramework(AdapterSuite):
        @pytest.fixture(scope="class")
        def driver(self):
            return MyDriver()

A driver makes an agent of the framework, with our adapter where it is given a context and without
where it is not; each scenario plays it with a scripted model behind a provider that refuses what
the real one refuses.
"""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.testing.adapter_suite.agent_driver import (
        MODELS,
        AgentDriver,
        AgentSetup,
        SuiteAgent,
        ToolFunction,
    )
    from contextwright.testing.adapter_suite.scenario import SCENARIOS
    from contextwright.testing.adapter_suite.suite import (
        AdapterSuite,
        Outcome,
        check_adapter,
        outcomes,
        suite_table,
    )

_HOMES = {
    "AdapterSuite": "suite",
    "AgentDriver": "agent_driver",
    "AgentSetup": "agent_driver",
    "MODELS": "agent_driver",
    "Outcome": "suite",
    "SCENARIOS": "scenario",
    "SuiteAgent": "agent_driver",
    "ToolFunction": "agent_driver",
    "check_adapter": "suite",
    "outcomes": "suite",
    "suite_table": "suite",
}
"""Imported when they are first named: those of `suite` need pytest, which whoever runs
`ctx doctor` need not have."""

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
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
