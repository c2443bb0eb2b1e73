"""The suite of adapters: one that acts passes, one that does nothing does not."""

import openai
import pytest
from tests.adapters.drivers.clients import DRIVERS, ChatLoop, ClientDriver

from contextwright.testing import RuleViolation
from contextwright.testing.adapter_suite import SCENARIOS, check_adapter, outcomes, suite_table

ACTS = ["34-calls-in-one-user-turn", "a-window-that-shrinks", "many-user-turns"]


class DummyLoop(ChatLoop):
    """An adapter that takes a context and does nothing with it."""

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        options = {"base_url": f"{setup.url}/v1", "api_key": "none", "max_retries": 0}
        self.client, self.aclient = openai.OpenAI(**options), openai.AsyncOpenAI(**options)


class ForgetfulLoop(ChatLoop):
    """An adapter that holds the limit by leaving out what came first."""

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        options = {"base_url": f"{setup.url}/v1", "api_key": "none", "max_retries": 0}
        self.client, self.aclient = openai.OpenAI(**options), openai.AsyncOpenAI(**options)

    def options(self, history):
        if self.setup.context:
            history = history[-6:]
        return super().options(history)


class RewritingLoop(ChatLoop):
    """An adapter that shortens the user's own history."""

    def options(self, history):
        for message in history[:-6]:
            if message["role"] == "tool" and self.setup.context:
                message["content"] = "(shortened)"
        return super().options(history)


def test_there_are_at_least_25_scenarios_and_each_says_what_it_is():
    assert len(SCENARIOS) >= 25
    assert all(play.__doc__ for play in SCENARIOS.values())


@pytest.mark.parametrize("name", ACTS)
def test_an_adapter_that_does_nothing_fails(name):
    with pytest.raises(RuleViolation, match=name):
        check_adapter(ClientDriver(DummyLoop, "dummy"), name)


def test_an_adapter_that_breaks_pairs_fails():
    with pytest.raises(RuleViolation, match="parallel-calls"):
        check_adapter(ClientDriver(ForgetfulLoop, "forgetful"), "parallel-calls")


def test_an_adapter_that_rewrites_the_history_fails():
    with pytest.raises(RuleViolation, match="lost"):
        check_adapter(ClientDriver(RewritingLoop, "rewriting"), "the-history-stays-whole")


def test_the_table_has_a_column_a_framework_and_names_reasons(monkeypatch):
    few = {name: SCENARIOS[name] for name in ("parallel-calls", "thinking")}
    monkeypatch.setattr("contextwright.testing.adapter_suite.suite.SCENARIOS", few)
    played = outcomes([DRIVERS[0], ClientDriver(ForgetfulLoop, "forgetful")])
    table = suite_table(played)
    assert "| | openai, chat | forgetful |" in table
    assert "| parallel calls | yes | no |" in table
    assert "- openai, chat, thinking: the interface gives no signed reasoning." in table
