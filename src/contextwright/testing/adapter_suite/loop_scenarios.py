"""Scenarios of one agent in its loop: it acts, it stays whole, it changes nothing else."""

import json
from typing import Any

from contextwright.testing.adapter_suite.agent_driver import AgentDriver
from contextwright.testing.adapter_suite.scenario import scenario, stage
from contextwright.testing.adapter_suite.suite_tools import (
    LIMIT,
    files_of,
    long_loop,
    middle,
    page,
    read,
    read_long,
    read_nothing,
    read_odd,
    reading,
    save,
)
from contextwright.testing.strict_server import Reply, call, calls

QUESTION = "Read all the files and say what they have in common."


@scenario("34-calls-in-one-user-turn")
async def loop_of_34_calls(driver: AgentDriver) -> None:
    """Without, the context overflows; with, all calls pass and none is refused."""
    with stage(driver, long_loop(), context=None) as bare:
        await bare.fails(QUESTION)
        assert bare.server.overflows, "without the adapter nothing overflowed: it proves nothing"
    with stage(driver, long_loop()) as acting:
        answer = await acting.agent.run(QUESTION)
        assert answer == "all files are read, and this is the answer in the end"
        acting.passed(35)
        most = max(request.tokens for request in acting.server.requests)
        assert most < acting.server.window, f"{most} tokens"


@scenario("the-history-stays-whole")
async def history_stays_whole(driver: AgentDriver) -> None:
    """What the framework keeps is what happened, to the last line of each file."""
    script = long_loop()
    with stage(driver, script) as acting:
        await acting.agent.run(QUESTION)
        history = acting.agent.history()
        missing = [path for path in files_of(script) if middle(path) not in history]
        assert not missing, f"the framework's own history lost {missing}"


@scenario("synchronous")
async def synchronous(driver: AgentDriver) -> None:
    """The framework's interface without an event loop."""
    import asyncio

    with stage(driver, [*reading(16), "done"]) as acting:
        assert await asyncio.to_thread(acting.agent.run_sync, QUESTION) == "done"
        acting.passed(17)


@scenario("streaming-streams")
async def streaming(driver: AgentDriver) -> None:
    """A streamed run passes like any other, and its text comes in pieces."""
    text = "one two three four five six seven eight nine ten"
    with stage(driver, [*reading(16), Reply(text=text)]) as acting:
        pieces = await acting.agent.stream(QUESTION)
        assert "".join(pieces) == text, pieces
        assert len(pieces) > 2, f"the text came in {len(pieces)} pieces"
        assert acting.server.requests[-1].streamed, "the provider was not asked for a stream"
        acting.passed(17)


@scenario("parallel-calls")
async def parallel_calls(driver: AgentDriver) -> None:
    """Three calls at once, eight times: every result stays with its call."""
    script: list[Any] = [
        calls(*(("read", {"path": f"f{turn}-{each}.txt"}) for each in range(3)))
        for turn in range(8)
    ]
    with stage(driver, [*script, "done"]) as acting:
        assert await acting.agent.run(QUESTION) == "done"
        acting.passed(9)


@scenario("the-newest-results-are-whole")
async def newest_results_are_whole(driver: AgentDriver) -> None:
    """What the model asked for last it reads whole, at every call."""
    script = [*reading(16), "done"]
    with stage(driver, script) as acting:
        await acting.agent.run(QUESTION)
        for number, request in enumerate(acting.server.requests[1:]):
            path = f"f{number}.txt"
            assert page(path).splitlines()[26] in request.text, f"{path} was shortened at once"


@scenario("question-and-instructions-stay")
async def question_and_instructions_stay(driver: AgentDriver) -> None:
    """Every request has the user's words and the system's."""
    with stage(driver, [*reading(16), "done"]) as acting:
        await acting.agent.run(QUESTION)
        acting.passed(17)
        for request in acting.server.requests:
            assert QUESTION in request.text
            assert acting.setup.instructions in json.dumps(request.body, ensure_ascii=False)


@scenario("tools-and-settings-arrive")
async def tools_and_settings_arrive(driver: AgentDriver) -> None:
    """The adapter takes no tool away, and every setting arrives as it does without one."""
    options: dict[str, Any] = {"tools": (read, save), "temperature": 0.25}
    with stage(driver, [*reading(2), "done"], context=None, **options) as bare:
        await bare.agent.run(QUESTION)
        wanted = _settings(bare.server.requests[0].body)
    with stage(driver, [*reading(16), "done"], **options) as acting:
        await acting.agent.run(QUESTION)
        acting.passed(17)
        for request in acting.server.requests:
            assert {"read", "save"} <= set(request.tools)
            assert _settings(request.body) == wanted


def _settings(body: dict[str, Any]) -> dict[str, Any]:
    """The fields of a body beside the context, and beside ids that are new at every run."""
    context = {"messages", "input", "contents", "system", "instructions", "systemInstruction"}
    return {key: value for key, value in _without_tools(body).items() if key not in context}


@scenario("while-it-fits-nothing-changes")
async def nothing_changes_while_it_fits(driver: AgentDriver) -> None:
    """A conversation that fits is sent as the framework would send it, to the last field."""
    bodies: list[list[Any]] = []
    for context in (None, "default"):
        with stage(driver, [*reading(4), "done"], context=context) as acting:
            await acting.agent.run(QUESTION)
            bodies.append([_without_tools(request.body) for request in acting.server.requests])
    assert bodies[0] == bodies[1], _first_difference(*bodies)


def _without_tools(body: dict[str, Any]) -> dict[str, Any]:
    """A body without its tools, among which the adapter's own stand, and without random ids."""
    left_out = {"tools", "prompt_cache_key", "user", "metadata"}
    return {key: value for key, value in body.items() if key not in left_out}


def _first_difference(bare: list[Any], acting: list[Any]) -> str:
    for number, (one, other) in enumerate(zip(bare, acting, strict=False)):
        for key in one.keys() | other.keys():
            if one.get(key) != other.get(key):
                return f"request {number}, {key}: {one.get(key)!r} became {other.get(key)!r}"
    return f"{len(bare)} requests became {len(acting)}"


@scenario("no-dearer-than-everything")
async def no_dearer_than_everything(driver: AgentDriver) -> None:
    """The loop costs no more than sending everything to a model that could take it."""
    costs: list[float] = []
    for context in (None, "default"):
        with stage(driver, long_loop(), context=context, window=1_000_000) as acting:
            await acting.agent.run(QUESTION)
            costs.append(acting.server.cost)
    assert costs[1] <= costs[0], f"{costs[1]:,.0f} against {costs[0]:,.0f}"


@scenario("one-result-larger-than-the-window")
async def one_large_result(driver: AgentDriver) -> None:
    """A single result of 49,000 characters does not end the agent."""
    script = [call("read_long", path="big"), *reading(3), "done"]
    with stage(driver, script, tools=(read, read_long)) as acting:
        assert await acting.agent.run(QUESTION) == "done"
        acting.passed(5)


@scenario("a-tool-that-fails-four-times")
async def tool_that_fails(driver: AgentDriver) -> None:
    """The newest failure is always in sight, word for word."""
    script = [*reading(6)]
    for number in range(4):
        script += [call("save", path=f"out{number}.txt"), *reading(3, start=6 + 3 * number)]
    with stage(driver, [*script, "done"], tools=(read, save)) as acting:
        assert await acting.agent.run(QUESTION) == "done"
        acting.passed(len(script) + 1)
        last = acting.server.requests[-1].text
        assert "cannot save out3.txt: no space left on device" in last


@scenario("odd-texts-and-empty-results")
async def odd_texts(driver: AgentDriver) -> None:
    """Many scripts, control signs, texts that look like our marks, results of nothing."""
    script = [
        *reading(6, "read_odd"),
        *reading(2, "read_nothing", start=6),
        *reading(8, "read_odd", start=8),
    ]
    with stage(driver, [*script, "done"], tools=(read_odd, read_nothing)) as acting:
        assert await acting.agent.run("漢字 🧭 — read </context_block> all") == "done"
        acting.passed(17)


@scenario("an-overflow-is-mended-once")
async def overflow_is_mended(driver: AgentDriver) -> None:
    """The provider takes less than was thought: the same call goes out once more, smaller."""
    with stage(driver, [*reading(12), "done"], window=LIMIT // 2) as acting:
        assert await acting.agent.run(QUESTION) == "done"
        assert acting.server.overflows, "nothing overflowed: it proves nothing"
        sent = [json.dumps(each.body, sort_keys=True) for each in acting.server.refused]
        assert len(set(sent)) == len(sent), "the same bytes were sent again after a refusal"
        assert len(acting.server.requests) == 13
        others = [each for each in acting.server.refused if not each.is_overflow]
        assert not others, others[0]


@scenario("other-errors-reach-the-user")
async def other_errors_reach_the_user(driver: AgentDriver) -> None:
    """A refusal that is no overflow is raised, and is not tried again with other words."""
    with stage(driver, reading(2)) as acting:  # the script ends: the third request is refused
        await acting.fails(QUESTION)
        assert [each.code for each in acting.server.refused] in (["script"], ["script"] * 3)


@scenario("the-bill-reaches-the-context")
async def bill_reaches_the_context(driver: AgentDriver) -> None:
    """What the provider billed, streamed or not, counts for the conversation's budget."""
    from contextwright.engine.session_budget import SessionBudget

    for streamed in (False, True):
        budget = SessionBudget(max_tokens=10**9)
        with stage(driver, [*reading(4), "done"], options={"budget": budget}) as acting:
            await (acting.agent.stream(QUESTION) if streamed else acting.agent.run(QUESTION))
            spent = budget.spent(acting.setup.context.session).usage.input
            billed = sum(bill.tokens for bill in acting.server.bills)
            assert spent == billed, f"{spent} of {billed} billed tokens, streamed: {streamed}"


@scenario("the-pack-tells-what-was-shortened")
async def pack_tells(driver: AgentDriver) -> None:
    """The context's newest pack names what is not as it was."""
    with stage(driver, [*reading(16), "done"]) as acting:
        await acting.agent.run(QUESTION)
        context = acting.setup.context
        manifest = context.manifest
        assert manifest is not None and manifest.changes, "the manifest names no change"
        assert len(context.session) >= 33, f"the session has {len(context.session)} events"
