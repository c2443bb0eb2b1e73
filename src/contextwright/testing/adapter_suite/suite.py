"""The suite itself, and the table that it writes."""

from collections.abc import Iterable, Sequence

import msgspec
import pytest

from contextwright.testing.adapter_suite import (
    changing_agents,
    conversation_scenarios,
    failure_scenarios,
    loop_scenarios,
    odd_sizes,
)
from contextwright.testing.adapter_suite.agent_driver import AgentDriver
from contextwright.testing.adapter_suite.scenario import SCENARIOS, play
from contextwright.testing.violation import RuleViolation

# imported for the scenarios that they enter
assert changing_agents and conversation_scenarios and failure_scenarios
assert loop_scenarios and odd_sizes


class AdapterSuite:
    """Every scenario for one adapter.

    class TestMyFramework(AdapterSuite):
        @pytest.fixture(scope="class")
        def driver(self): return MyDriver()
    """

    @pytest.mark.parametrize("name", sorted(SCENARIOS))
    def test_scenario(self, driver: AgentDriver, name: str) -> None:
        if name in driver.cannot:
            pytest.skip(driver.cannot[name])
        check_adapter(driver, name)


def check_adapter(driver: AgentDriver, name: str) -> None:
    """Play one scenario.

    Raises:
        RuleViolation: it does not hold; names the scenario and the framework.
    """
    try:
        play(driver, name)
    except Exception as error:
        what = str(error).partition("\n")[0] or type(error).__name__
        raise RuleViolation(name, driver.name, driver.api, what) from error


class Outcome(msgspec.Struct, frozen=True):
    """What came of one scenario.

    Args:
        mark: `yes`, `no`, or `-` where the framework can not do it.
        why: what went wrong, or why it can not be done.
    """

    scenario: str
    framework: str
    mark: str
    why: str = ""


def outcomes(drivers: Sequence[AgentDriver], names: Iterable[str] = ()) -> list[Outcome]:
    """Play scenarios with every driver.

    Args:
        names: of scenarios; by default all.
    """
    played: list[Outcome] = []
    for driver in drivers:
        for name in sorted(names or SCENARIOS):
            if name in driver.cannot:
                played.append(Outcome(name, driver.name, "-", driver.cannot[name]))
                continue
            try:
                check_adapter(driver, name)
                played.append(Outcome(name, driver.name, "yes"))
            except RuleViolation as violation:
                played.append(Outcome(name, driver.name, "no", violation.what))
    return played


def suite_table(played: Sequence[Outcome]) -> str:
    """The outcomes as Markdown: a row a scenario, a column a framework, the reasons below."""
    frameworks = list(dict.fromkeys(one.framework for one in played))
    marks = {(one.scenario, one.framework): one.mark for one in played}
    rows = ["| | " + " | ".join(frameworks) + " |", "| --- |" + " --- |" * len(frameworks)]
    for name in dict.fromkeys(one.scenario for one in played):
        cells = (marks.get((name, framework), "") for framework in frameworks)
        rows.append(f"| {name.replace('-', ' ')} | " + " | ".join(cells) + " |")
    reasons = dict.fromkeys(
        f"- {one.framework}, {one.scenario.replace('-', ' ')}: {one.why}."
        for one in played
        if one.mark != "yes"
    )
    return "\n".join([*rows, "", *reasons]).rstrip() + "\n"
