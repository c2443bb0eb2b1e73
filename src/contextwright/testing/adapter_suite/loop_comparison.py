"""The same agent without an adapter and with it: what it costs, what is held, what is kept."""

import asyncio

import msgspec

from contextwright.testing.adapter_suite.agent_driver import AgentDriver
from contextwright.testing.adapter_suite.loop_scenarios import QUESTION
from contextwright.testing.adapter_suite.scenario import stage
from contextwright.testing.adapter_suite.suite_tools import files_of, long_loop, middle, reading
from contextwright.testing.strict_server import Reply

_WORDS = "one two three four five six seven eight nine ten"
_LARGE = 1_000_000


class LoopComparison(msgspec.Struct, frozen=True):
    """What came of the loop of 34 calls in one user turn.

    Args:
        framework: the driver's name.
        api: the provider's interface.
        fails_at: the call that was refused without the adapter.
        passed: calls that were taken with it, the answer's included.
        largest: tokens of the largest of them.
        whole: whether the framework's own history has all that happened.
        pieces: pieces of a streamed answer.
        cost_percent: of what sending everything costs, cached prefixes at a tenth.
    """

    framework: str
    api: str
    fails_at: int
    passed: int
    largest: int
    whole: bool
    pieces: int
    cost_percent: int


def compare(driver: AgentDriver) -> LoopComparison:
    """Play the loop without and with the adapter."""
    return asyncio.run(_compared(driver))


async def _compared(driver: AgentDriver) -> LoopComparison:
    with stage(driver, long_loop(), context=None) as bare:
        await bare.fails(QUESTION)
        fails_at = len(bare.server.requests) + 1
    script = long_loop()
    with stage(driver, script) as acting:
        await acting.agent.run(QUESTION)
        history = acting.agent.history()
        requests = acting.server.requests
    pieces: list[str] = []
    if "streaming-streams" not in driver.cannot:
        with stage(driver, [*reading(3), Reply(text=_WORDS)]) as streamed:
            pieces = await streamed.agent.stream(QUESTION)
    with stage(driver, long_loop(), context=None, window=_LARGE) as everything:
        await everything.agent.run(QUESTION)
    with stage(driver, long_loop(), window=_LARGE) as bounded:
        await bounded.agent.run(QUESTION)
    return LoopComparison(
        driver.name,
        driver.api,
        fails_at,
        len(requests),
        max(request.tokens for request in requests),
        all(middle(path) in history for path in files_of(script)),
        len(pieces),
        round(100 * bounded.server.cost / everything.server.cost),
    )


def comparison_table(rows: list[LoopComparison]) -> str:
    """Comparisons as Markdown, a row a framework."""
    head = (
        "| | without | with | largest request | history | stream | cost |\n"
        "| --- | --- | --- | ---: | --- | ---: | ---: |\n"
    )
    return head + "".join(
        f"| {row.framework} | gives up at call {row.fails_at} | {row.passed} calls | "
        f"{row.largest:,} | {'whole' if row.whole else 'not whole'} | "
        f"{f'{row.pieces} pieces' if row.pieces else '-'} | {row.cost_percent} % |\n"
        for row in rows
    )
