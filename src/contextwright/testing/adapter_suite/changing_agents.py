"""Scenarios in which the agent changes from turn to turn: its tools, its instructions, its model,
its history; and several agents on one context."""

import asyncio

from contextwright.testing.adapter_suite.agent_driver import (
    MODELS,
    OTHER_MODELS,
    AgentDriver,
)
from contextwright.testing.adapter_suite.scenario import AgentStage, scenario, stage
from contextwright.testing.adapter_suite.suite_tools import LIMIT, middle, read, reading, save
from contextwright.testing.strict_server import StrictRequest, call
from contextwright.testing.strict_server.reply import Line
from contextwright.words import C


@scenario("tools-that-come-and-go")
async def changing_tools(driver: AgentDriver) -> None:
    """Each turn has other tools: calls of those that went stay, and no tool is one turn late."""
    turns = [(read,), (read, save), (save,), (read,)]
    script: list[Line] = []
    for turn in range(len(turns)):
        acts = [call("save", path="a")] if turn == 2 else reading(5, start=5 * turn)
        script += [*acts, f"answer {turn}"]
    with stage(driver, script) as acting:
        agent = acting.agent
        for turn, tools in enumerate(turns):
            if turn:
                agent = agent.restarted(acting.replaced(tools=tools))
            before = len(acting.server.requests)
            assert await agent.run(f"question {turn}") == f"answer {turn}"
            ours = {"read", "save"}
            for request in acting.server.requests[before:]:
                assert ours & set(request.tools) == {tool.__name__ for tool in tools}
        acting.passed(20)


@scenario("instructions-that-change")
async def changing_instructions(driver: AgentDriver) -> None:
    """Each turn has another system text: requests have that of now, whole, and no other."""
    script: list[Line] = []
    for turn in range(4):
        script += [*reading(4, start=4 * turn), f"answer {turn}"]
    with stage(driver, script, instructions=_instructions(0)) as acting:
        agent = acting.agent
        for turn in range(4):
            if turn:
                agent = agent.restarted(acting.replaced(instructions=_instructions(turn)))
            before = len(acting.server.requests)
            assert await agent.run(f"question {turn}") == f"answer {turn}"
            for request in acting.server.requests[before:]:
                body = str(request.body)
                others = [n for n in range(4) if _instructions(n) in body]
                assert others == [turn], f"in turn {turn}: the instructions of {others}"
        acting.passed(20)


def _instructions(turn: int) -> str:
    return f"You are the reader of shift {turn}."


@scenario("another-model-goes-on")
async def other_model(driver: AgentDriver) -> None:
    """The next turn asks another model of the provider's: it is compiled for that one."""
    script = [*reading(10), "half", *reading(6, start=10), "done"]
    with stage(driver, script, named=False) as acting:
        assert await acting.agent.run("read the first half") == "half"
        model = OTHER_MODELS[driver.api]
        again = acting.agent.restarted(acting.replaced(model=model))
        assert await again.run("and now the rest") == "done"
        acting.passed(18)
        assert [request.model for request in acting.server.requests[11:]] == [model] * 7
        known = acting.setup.context.manifest.model
        assert known.rpartition("/")[2] == model, f"compiled for {known}, asked was {model}"


@scenario("another-provider-goes-on")
async def other_provider(driver: AgentDriver) -> None:
    """The next turns ask a model of another provider's, and the first one again."""
    others = [*driver.moves_to, driver.api]
    script: list[Line] = [*reading(8), "answer"]
    for turn in range(len(others)):
        script += [*reading(4, start=8 + 4 * turn), f"answer {turn}"]
    with stage(driver, script, named=False) as acting:
        agent = acting.agent
        assert await agent.run("read the first files") == "answer"
        for turn, api in enumerate(others):
            agent = agent.restarted(acting.replaced(api=api, model=MODELS[api]))
            assert await agent.run(f"question {turn}") == f"answer {turn}"
            assert acting.server.requests[-1].model == MODELS[api]
        acting.passed(9 + 5 * len(others))


@scenario("a-history-that-the-framework-trims")
async def trimmed_history(driver: AgentDriver) -> None:
    """The framework leaves out old turns by itself, and the next requests go on without them."""
    script: list[Line] = []
    for turn in range(5):
        script += [*reading(3, start=3 * turn), f"answer {turn}"]
    with stage(driver, script) as acting:
        for turn in range(5):
            if turn in (2, 4):
                acting.agent.trim(turns=1)
            assert await acting.agent.run(f"question {turn}") == f"answer {turn}"
            last = acting.server.requests[-1]
            for old in range({2: 1, 3: 1, 4: 3}.get(turn, 0)):
                assert f"question {old}" not in last.text, f"turn {old} came back in turn {turn}"
            assert f"question {turn}" in last.text
        acting.passed(20)


@scenario("two-agents-on-one-context")
async def shared_context(driver: AgentDriver) -> None:
    """Two agents with one context work at the same time, and again: each has its own."""
    script: dict[str, list[Line]] = {
        f"task {name}": [*reading(9, start=start), "half", *reading(3, start=start + 9), "done"]
        for name, start in (("alpha", 0), ("omega", 50))
    }
    with stage(driver, script) as acting:
        setup = acting.replaced(instructions="You are the second reader.", tools=(read, save))
        other = driver.agent(setup)
        pair = (acting.agent, "alpha"), (other, "omega")
        for question, answer in (("", "half"), ("go on, ", "done")):
            runs = (agent.run(f"{question}task {name}") for agent, name in pair)
            assert await asyncio.gather(*runs) == [answer, answer]
        acting.passed(28)
        for request in acting.server.requests:
            is_second = "second reader" in str(request.body)
            assert ("task omega" in request.text) is is_second
            assert ("save" in request.tools) is is_second
        _are_apart(acting.server.requests)


def _are_apart(requests: list[StrictRequest]) -> None:
    for request in requests:
        assert not ("task alpha" in request.text and "task omega" in request.text)
        assert not ("f1.txt" in request.text and "f51.txt" in request.text)


@scenario("conversations-in-alternation")
async def alternating(driver: AgentDriver) -> None:
    """One agent answers two users turn about: each goes on where it was."""
    script: dict[str, list[Line]] = {}
    for name, start in (("alpha", 0), ("omega", 50)):
        lines: list[Line] = []
        for turn in range(3):
            lines += [*reading(5, start=start + 5 * turn), f"{name} {turn}"]
        script[f"task {name}"] = lines
    with stage(driver, script) as acting:
        for turn in range(3):
            for name in ("alpha", "omega"):
                question = f"task {name}, part {turn}"
                answer = await acting.agent.run(question, conversation=name)
                assert answer == f"{name} {turn}"
        acting.passed(36)
        _are_apart(acting.server.requests)
        history = acting.agent.history("omega")
        assert middle("f50.txt") in history and middle("f1.txt") not in history


@scenario("specs-of-other-kinds")
async def other_specs(driver: AgentDriver) -> None:
    """A budget, a window of exchanges, shortened results and cooling hold the loop as well."""
    specs = [
        C.budget(LIMIT),
        C.window(steps=4) | C.budget(LIMIT),
        C.default() | C.compact("tool_results") | C.budget(LIMIT),
        C.cool(LIMIT // 2) | C.budget(LIMIT),
    ]
    for spec in specs:
        with stage(driver, [*reading(14), "done"], spec=spec) as acting:
            assert await acting.agent.run("read all the files") == "done", spec
            _held(acting, spec)


def _held(acting: AgentStage, spec: object) -> None:
    try:
        acting.passed(15)
    except AssertionError as error:
        raise AssertionError(f"{spec!r}: {error}") from error
    last = acting.server.requests[-1].text
    assert middle("f13.txt") in last, f"{spec!r}: the newest result is not whole"
    assert "read all the files" in last, f"{spec!r}: the question is gone"
