"""Scenarios of what is larger than was thought, or no text at all."""

import json

from contextwright.testing.adapter_suite.agent_driver import MODELS, AgentDriver
from contextwright.testing.adapter_suite.scenario import bounded_context, scenario, stage
from contextwright.testing.adapter_suite.suite_tools import (
    PICTURE,
    WINDOW,
    middle,
    page,
    read,
    read_list,
    read_null,
    read_record,
    reading,
)
from contextwright.testing.strict_server import call, calls
from contextwright.testing.strict_server.reply import Line

_PASTED = "Compare these:\n" + "\n".join(page(f"pasted{n}") for n in range(18))


@scenario("a-question-larger-than-the-budget")
async def large_question(driver: AgentDriver) -> None:
    """A user pastes more than a request may hold: nobody rewrites it, so the user is told before
    anything is sent, and whoever asks something else is answered."""
    script: dict[str, list[Line]] = {"something else": [*reading(4), "done"]}
    with stage(driver, script) as acting:
        await acting.fails(_PASTED)
        acting.passed(0)
        assert await acting.agent.run("something else", conversation="other") == "done"
        acting.passed(5)


@scenario("a-large-question-of-an-earlier-turn")
async def earlier_large_question(driver: AgentDriver) -> None:
    """What a larger model was asked once gives way in later turns, as results do."""
    script: list[Line] = [*reading(4), "first", *reading(8, start=4), "done"]
    with stage(driver, script, context=None, window=1_000_000) as large:
        assert await large.agent.run(_PASTED) == "first"
        large.server.window = WINDOW
        context = bounded_context(MODELS[driver.api])
        again = large.agent.restarted(large.replaced(context=context))
        assert await again.run("and now the rest") == "done"
        large.passed(14)
        assert "Compare these:" in large.server.requests[-1].text


@scenario("results-that-are-no-text")
async def odd_results(driver: AgentDriver) -> None:
    """Objects, lists, and nothing at all: what the framework makes of each is what is sent."""
    tools = (read, read_record, read_list, read_null)
    script: list[Line] = []
    for turn in range(5):
        script += [
            call("read_record", path=f"r{turn}"),
            calls(("read_list", {"path": f"l{turn}"}), ("read_null", {"path": f"n{turn}"})),
            call("read", path=f"f{turn}.txt"),
        ]
    with stage(driver, [*script, "done"], tools=tools) as acting:
        assert await acting.agent.run("read the records") == "done"
        acting.passed(16)
        for turn in range(5):
            after = acting.server.requests[3 * turn + 1 : 3 * turn + 3]
            is_there = [f"seal of r{turn}" in after[0].text, f"seal of l{turn}" in after[1].text]
            assert all(is_there), f"the newest results of turn {turn} are not there: {is_there}"
        assert all(middle(f"r{turn}") in acting.agent.history() for turn in range(5))


@scenario("pictures-in-results")
async def result_media(driver: AgentDriver) -> None:
    """A tool gives a picture: the model sees it when it is new, and nothing is refused later."""
    script: list[Line] = []
    for turn in range(4):
        script += [call("look", path=f"p{turn}"), *reading(3, start=3 * turn)]
    with stage(driver, [*script, "done"], look=PICTURE) as acting:
        assert await acting.agent.run("look around") == "done"
        acting.passed(17)
        for turn in range(4):
            newest = json.dumps(acting.server.requests[4 * turn + 1].body)
            assert "iVBORw0KGgo" in newest, f"picture {turn} did not reach the model"
