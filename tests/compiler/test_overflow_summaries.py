"""`budget(overflow="summarize")` asks once, for so much, and uses what it asked for."""

import re

import pytest

from contextwright import C, Engine, Session
from contextwright.compiler.stages import MOST_SUMMARIES
from contextwright.models import Models, ScriptedLLM

ROW = "Row {n} of the report says that parcel {n} weighs {w} grams and left on day {d}. "


def session_of(steps, rows=40):
    """A task and a long run of results of different sizes."""
    session = Session()
    for turn in range(steps // 4):
        session.user(f"Please look at batch {turn}.")
        for step in range(4):
            n = turn * 4 + step
            session.call("read", {"n": n}, id=f"c{n}")
            text = "".join(ROW.format(n=k, w=k * 7 + n, d=k % 30) for k in range(rows + n % 5))
            session.result(f"c{n}", text)
        session.assistant(f"Batch {turn} is all right.")
    session.user("And now?")
    return session


def summaries(prompt):
    """A summary that tells the question it answers."""
    return f"SUMMARY-{abs(hash(prompt.text)) % 10**9} of the batch."


@pytest.mark.parametrize(
    ("steps", "limit"), [(8, 3_000), (24, 6_000), (24, 1_500), (60, 8_000), (60, 40_000)]
)
def test_what_is_asked_for_is_sent(steps, limit):
    models = Models(ScriptedLLM(summaries))
    spec = C.default() | C.budget(limit, overflow="summarize")
    pack = Engine(spec, "gpt-5", models=models).compile(session_of(steps))
    sent = set(re.findall(r"SUMMARY-\d+", pack.body.decode()))
    assert pack.tokens <= limit
    assert len(models.llm.prompts) == len(sent) <= MOST_SUMMARIES


def test_a_turn_more_asks_for_what_is_new():
    models = Models(ScriptedLLM(summaries))
    session = session_of(24)
    engine = Engine(C.default() | C.budget(14_000, overflow="summarize"), "gpt-5", models=models)
    engine.compile(session)
    before = len(models.llm.prompts)
    assert 0 < before <= MOST_SUMMARIES
    session.assistant("It is well.")
    session.user("Thank you. And the next?")
    engine.compile(session)
    assert len(models.llm.prompts) <= before + 1


def test_what_fits_asks_nobody():
    models = Models(ScriptedLLM(summaries))
    Engine(C.default() | C.budget(100_000, overflow="summarize"), "gpt-5", models=models).compile(
        session_of(8)
    )
    assert not models.llm.prompts
