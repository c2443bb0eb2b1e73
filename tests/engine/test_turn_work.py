"""A turn of an agent's loop is a little work, whatever its session is."""

from statistics import median

import pytest
from benchmarks.generated import generated_session
from tests.work_counts import function_calls

from contextwright import C, Engine, Session
from contextwright.atoms.compress.compact import Compact
from contextwright.session import ToolCall

TURNS = 40
MOST = {
    C.default() | C.budget(8_000): 440,
    C.window(n=10) | C.compact() | C.budget(8_000): 560,
    C.compaction(8_000): 1_700,
}
"""Python's calls of the median turn, at most; with some to spare."""


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


def test_what_has_not_settled_is_not_shortened(monkeypatch):
    made, compacted = [], Compact.compacted

    def noted(word, block, inputs):
        made.append(block.order)
        return compacted(word, block, inputs)

    monkeypatch.setattr(Compact, "compacted", noted)
    session, engine = Session("s"), Engine(C.window(3) | C.compact(), "gpt-5")
    session.user("Read both files.")
    for id in ("c0", "c1"):
        session.assistant(ToolCall(id=id, name="read"))
        session.result(id, "a line of a file\n" * 400)
        whole = engine.compile(session)
    assert not made and whole.tokens > 3_000
    session.assistant("Both are read.")
    session.user("And now?")
    assert engine.compile(session).tokens < 1_000 and {1, 2} <= set(made)


def test_what_all_of_a_session_counts_is_not_remembered_text_by_text():
    session, engine = generated_session(900, seed=3), Engine(C.default() | C.budget(2_000), "gpt-5")
    engine.compile(session)
    tables, counter = session.log.memo.tables, engine.target.counter
    assert len(tables[counter]) < len(session) / 5
    assert not tables["in passing", counter]
