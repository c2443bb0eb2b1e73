"""Scenarios of what goes wrong in a turn: a tool, a call, the provider, a caller who turns away."""

import json

from contextwright.testing.adapter_suite.agent_driver import AgentDriver
from contextwright.testing.adapter_suite.scenario import scenario, stage
from contextwright.testing.adapter_suite.suite_tools import (
    broken,
    middle,
    read,
    reading,
    save,
    structured,
)
from contextwright.testing.strict_server import Reply, call, calls
from contextwright.testing.strict_server.reply import Line


@scenario("parallel-calls-of-which-one-fails")
async def one_of_several_fails(driver: AgentDriver) -> None:
    """Three calls at once, one of them in vain: the newest failure is in sight, word for word."""
    script: list[Line] = [
        calls(
            ("read", {"path": f"f{turn}-0.txt"}),
            ("save", {"path": f"out{turn % 2}.txt"}),
            ("read", {"path": f"f{turn}-1.txt"}),
        )
        for turn in range(8)
    ]
    with stage(driver, [*script, "done"], tools=(read, save)) as acting:
        assert await acting.agent.run("read, and save what you read") == "done"
        acting.passed(9)
        for turn, request in enumerate(acting.server.requests[1:]):
            assert f"cannot save out{turn % 2}.txt: no space left on device" in request.text
            assert middle(f"f{turn}-1.txt") in request.text, f"a result of call {turn} is cut"


@scenario("a-tool-that-raises")
async def tool_that_raises(driver: AgentDriver) -> None:
    """A tool raises beside others that do not: the model is told, or the user; the next turn goes
    on."""
    one = calls(("read", {"path": "f8.txt"}), ("broken", {"path": "x"}))
    first = [*reading(8), one, *reading(2, start=9), "first answer"]
    script: dict[str, list[Line]] = {
        "second try": [*reading(4, start=20), "done"],
        "first try": first,
    }
    with stage(driver, script, tools=(read, broken)) as acting:
        try:
            assert await acting.agent.run("first try") == "first answer"
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 the framework's way, or the provider's refusal
            assert not acting.server.refused, error
        assert await acting.agent.run("second try") == "done"
        acting.passed()


@scenario("a-call-with-wrong-arguments")
async def wrong_arguments(driver: AgentDriver) -> None:
    """The model leaves out an argument, and names a tool that is not there: it is told so."""
    wrong = [call("read", file="f6.txt"), call("reed", path="f6.txt")]
    script = [*reading(6), *wrong, *reading(6, start=6), "done"]
    with stage(driver, script) as acting:
        assert await acting.agent.run("read all the files") == "done"
        acting.passed(15)


@scenario("a-provider-that-fails-once")
async def provider_fails(driver: AgentDriver) -> None:
    """The provider is down for one call: what is tried again is the same request, to the last byte;
    where nobody tries again, the user hears of it, and the next turn goes on."""
    busy = Reply(status=503)
    script: dict[str, list[Line]] = {
        "second try": [*reading(2, start=20), "done"],
        "first try": [*reading(10), busy, *reading(4, start=10), "first answer"],
    }
    with stage(driver, script) as acting:
        try:
            answer = await acting.agent.run("first try")
        except Exception:  # noqa: BLE001
            assert acting.server.failed, "it failed, and not by the provider"
        else:
            assert answer == "first answer"
            failed = json.dumps(acting.server.failed[0], sort_keys=True)
            again = json.dumps(acting.server.requests[10].body, sort_keys=True)
            assert failed == again, "what was tried again is another request"
        assert await acting.agent.run("second try") == "done"
        acting.passed()


@scenario("an-abandoned-stream")
async def abandoned_stream(driver: AgentDriver) -> None:
    """The caller turns away from a stream in the middle of a text; the conversation goes on."""
    text = "one two three four five six seven eight nine ten"
    script: dict[str, list[Line]] = {
        "second try": [*reading(3, start=12), "done"],
        "first try": [*reading(12), Reply(text=text)],
    }
    with stage(driver, script) as acting:
        pieces = await acting.agent.stream("first try", most=2)
        assert text.startswith("".join(pieces)) and len(pieces) == 2, pieces
        assert await acting.agent.run("second try") == "done"
        acting.passed()
        last = acting.server.requests[-1].text
        assert "second try" in last and middle("f14.txt") in last


@scenario("an-object-at-the-end-of-every-turn")
async def objects_every_turn(driver: AgentDriver) -> None:
    """Tools, then an object, three turns long."""
    script: list[Line] = []
    for turn in range(3):
        script += [*reading(5, start=5 * turn), structured(f"answer {turn}", ("read",))]
    with stage(driver, script, structured=True) as acting:
        for turn in range(3):
            answer = await acting.agent.run(f"question {turn}")
            assert json.loads(answer) == {"answer": f"answer {turn}"}, answer
        acting.passed(18)
