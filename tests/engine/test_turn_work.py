"""A turn of an agent's loop is a little work, whatever its session is."""

from statistics import median

import pytest
from benchmarks.generated import generated_session
from tests.work_counts import function_calls

from contextwright import C, Engine, Session

TURNS = 40
MOST = {
    C.default() | C.budget(8_000): 540,
    C.window(n=10) | C.compact() | C.budget(8_000): 1_010,
    C.compaction(8_000): 1_790,
}
"""Python's calls of the median turn, at most; with a tenth to spare."""


@pytest.mark.parametrize("spec", MOST, ids=repr)
def test_a_warm_turn_takes_few_calls(spec):
    events = list(generated_session(200, seed=3).log)
    first = len(events) // 2
    session, engine = Session("s", events[:first]), Engine(spec, "gpt-5")
    engine.compile(session)
    calls = list[int]()
    for at in range(first, first + 2 * TURNS, 2):
        new = events[at : at + 2]
        turn = lambda: (session.extend(new), engine.compile(session))  # noqa: B023, E731
        calls.append(function_calls(turn, events=("call",)))
    assert median(calls) < MOST[spec]
