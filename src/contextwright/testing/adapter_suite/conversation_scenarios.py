"""Scenarios of conversations: several turns, several agents, interruptions, what must not leave."""

import asyncio
import json
from typing import Any

from contextwright.testing.adapter_suite.agent_driver import MODELS, AgentDriver
from contextwright.testing.adapter_suite.scenario import bounded_context, scenario, stage
from contextwright.testing.adapter_suite.suite_tools import (
    LIMIT,
    PICTURE,
    SECRET,
    WINDOW,
    hand_over,
    middle,
    read,
    read_back,
    read_secret,
    reading,
    save,
    structured,
)
from contextwright.testing.strict_server import Reply, ReplyCall, call
from contextwright.testing.strict_server.reply import Line
from contextwright.words import C


@scenario("many-user-turns")
async def many_user_turns(driver: AgentDriver) -> None:
    """Six user messages with four calls each, one conversation."""
    script: list[Line] = []
    for turn in range(6):
        script += [*reading(4, start=4 * turn), f"answer {turn}"]
    with stage(driver, script) as acting:
        for turn in range(6):
            assert await acting.agent.run(f"question {turn}") == f"answer {turn}"
        acting.passed(30)
        assert "question 5" in acting.server.requests[-1].text
        assert all(f"answer {turn}" in acting.agent.history() for turn in range(6))


@scenario("two-conversations-at-once")
async def two_conversations(driver: AgentDriver) -> None:
    """One agent answers two users at the same time: nothing of one reaches the other."""
    script: dict[str, list[Line]] = {
        "task alpha": [*reading(14), "alpha is done"],
        "task omega": [*reading(14, start=50), "omega is done"],
    }
    with stage(driver, script) as acting:
        answers = await asyncio.gather(
            acting.agent.run("task alpha", conversation="alpha"),
            acting.agent.run("task omega", conversation="omega"),
        )
        assert answers == ["alpha is done", "omega is done"]
        acting.passed(30)
        for request in acting.server.requests:
            assert not ("task alpha" in request.text and "task omega" in request.text)
            assert not ("f3.txt" in request.text and "f53.txt" in request.text)


@scenario("a-denied-approval")
async def denied_approval(driver: AgentDriver) -> None:
    """A call that the operator denies has its answer, and the loop goes on."""
    script = [*reading(8), call("save", path="out.txt"), *reading(8, start=8), "done"]
    with stage(driver, script, tools=(read, save), denied="save") as acting:
        assert await acting.agent.run("read, and save what you read") == "done"
        acting.passed(18)
        assert all("no space left" not in request.text for request in acting.server.requests)


@scenario("an-interrupted-stream")
async def interrupted_stream(driver: AgentDriver) -> None:
    """A stream breaks off; the next message of the same conversation is answered."""
    broken = Reply(text="this sentence is never going to be heard to its end", cut=3)
    # clients may try a broken stream again
    script = [*reading(12), *[broken] * 4]
    with stage(driver, {"first try": script, "second try": [*reading(3, start=12), "done"]}) as on:
        try:
            await on.agent.stream("first try")
            failed = False
        except Exception:  # noqa: BLE001
            failed = True
        assert failed, "the stream broke off and nobody was told"
        on.server.scripts = {"second try": on.server.scripts["second try"]}
        assert await on.agent.run("second try") == "done"
        on.passed()


@scenario("cancellation")
async def cancellation(driver: AgentDriver) -> None:
    """A run is cancelled while the model answers; the conversation goes on afterwards."""
    script: dict[str, list[Line]] = {
        "first try": [*reading(6), Reply(text="late", held=True)],
        "second try": [*reading(3, start=12), "done"],
    }
    with stage(driver, script) as acting:
        running = asyncio.create_task(acting.agent.run("first try"))
        assert await asyncio.to_thread(acting.server.held.wait, 20)
        running.cancel()
        try:
            await running
            cancelled = False
        except asyncio.CancelledError:
            cancelled = True
        acting.server.release.set()
        assert cancelled, "the cancellation was swallowed"
        acting.server.scripts = {"second try": script["second try"]}
        assert await acting.agent.run("second try") == "done"
        acting.passed()


@scenario("resume-after-a-restart")
async def resume(driver: AgentDriver) -> None:
    """Another process goes on with what the framework stored."""
    script = [*reading(14), "half", *reading(4, start=14), "done"]
    with stage(driver, script) as acting:
        assert await acting.agent.run("read the first half") == "half"
        context = bounded_context(MODELS[driver.api])
        again = acting.agent.restarted(acting.replaced(context=context))
        assert await again.run("and now the rest") == "done"
        acting.passed(20)
        assert "and now the rest" in acting.server.requests[-1].text
        assert middle("f0.txt") in again.history() and middle("f17.txt") in again.history()


@scenario("pictures")
async def pictures(driver: AgentDriver) -> None:
    """A picture of the user's is in every request of its turn."""
    with stage(driver, [*reading(14), "done"]) as acting:
        assert await acting.agent.run("what is on the picture?", picture=PICTURE) == "done"
        acting.passed(15)
        for request in acting.server.requests:
            assert "iVBORw0KGgo" in json.dumps(request.body), "the picture is gone"


@scenario("thinking")
async def thinking(driver: AgentDriver) -> None:
    """Signed reasoning in every answer: it goes back as it was, or not at all."""
    await _thinking_loop(driver, bound=False)


@scenario("thinking-bound-to-its-prefix")
async def bound_thinking(driver: AgentDriver) -> None:
    """The same where a signature holds only behind the prefix that it was made behind."""
    await _thinking_loop(driver, bound=True)


async def _thinking_loop(driver: AgentDriver, bound: bool) -> None:
    script: list[Line] = [
        Reply(thinking=f"now file {n}", calls=(ReplyCall("read", {"path": f"f{n}.txt"}),))
        for n in range(16)
    ]
    with stage(driver, [*script, "done"], bound=bound) as acting:
        assert await acting.agent.run("think, and read all files") == "done"
        acting.passed(17)


@scenario("structured-output")
async def structured_output(driver: AgentDriver) -> None:
    """An agent that answers with an object still does."""
    with stage(driver, [*reading(14), structured("42", ("read",))], structured=True) as acting:
        answer = await acting.agent.run("read all and give me the answer")
        assert json.loads(answer) == {"answer": "42"}, answer
        acting.passed(15)


@scenario("sub-agents-and-handoffs")
async def sub_agents(driver: AgentDriver) -> None:
    """An agent hands a task to another, which has a loop of its own; both stay within."""
    task = "helper, read the other files"
    script: list[Line] = [*reading(6), hand_over(task), *reading(14, start=20), "helped", "done"]
    helper = {"instructions": "You are the helper.", "tools": (read,)}
    with stage(driver, script, helper=helper) as acting:
        assert await acting.agent.run("read, and let the helper read") in {"done", "helped"}
        acting.passed()
        assert len(acting.server.requests) >= 22
        texts = [json.dumps(request.body) for request in acting.server.requests]
        assert any("You are the helper." in text for text in texts), "the helper was never asked"


@scenario("read-back-by-the-model")
async def model_reads_back(driver: AgentDriver) -> None:
    """The model follows a ref that it sees, and reads what was shortened."""
    script = [*reading(14), read_back("f0.txt"), "done"]
    with stage(driver, script, options={"read_back": True}) as acting:
        assert await acting.agent.run("read all files") == "done"
        acting.passed(16)
        before, after = acting.server.requests[-2:]
        assert middle("f0.txt") not in before.text, "nothing was shortened: it proves nothing"
        assert middle("f0.txt") in after.text, "what was read back is not in the request"


@scenario("redaction-of-everything-that-is-sent")
async def redaction(driver: AgentDriver) -> None:
    """A key in the user's words, in a result, in what the model thought and in the system text
    leaves in no request."""
    spec = C.compaction(LIMIT) | C.redact(patterns=["secrets"])
    thought = "" if "thinking" in driver.cannot else f"the key is {SECRET}"
    script: list[Line] = [call("read_secret", path="env"), Reply("read", thinking=thought)]
    setup: dict[str, Any] = {
        "tools": (read, read_secret),
        "instructions": f"The operator's key is {SECRET}; never use it.",
        "spec": spec,
    }
    with stage(driver, [*script, *reading(10), "done"], **setup) as acting:
        assert await acting.agent.run(f"my key is {SECRET}: read it") == "read"
        assert await acting.agent.run("read all files") == "done"
        acting.passed(13)
        leaks = [n for n, each in enumerate(acting.server.requests) if SECRET in str(each.body)]
        assert not leaks, f"the key left in the requests {leaks}"
        assert SECRET in acting.agent.history(), "the framework's own history was redacted"


@scenario("a-window-that-shrinks")
async def window_that_shrinks(driver: AgentDriver) -> None:
    """A conversation that a large model took goes on with a limit it is far beyond."""
    script = [*reading(16), "half", *reading(2, start=16), "done"]
    with stage(driver, script, context=None, window=1_000_000) as large:
        assert await large.agent.run("read the first files") == "half"
        large.server.window = WINDOW
        context = bounded_context(MODELS[driver.api])
        again = large.agent.restarted(large.replaced(context=context))
        assert await again.run("and the last two") == "done"
        large.passed(20)
