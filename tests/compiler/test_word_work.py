"""A turn of a word is as much work in a long session as in a short one, or the page of words says
that it is not, and what it costs."""

import re
from functools import cache
from pathlib import Path

import pytest
from benchmarks.generated import generated_session
from benchmarks.speed_specs import word_specs
from tests.parameters import few
from tests.work_counts import function_calls

from contextwright import C, Engine, Event, FileArtifacts, Session
from contextwright.spec import ATOMS
from contextwright.spec.expr import Expr
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE

PAGE = Path(__file__).parents[2] / "docs/reference/words.md"
SHORT, LONG, TURN, TURNS = 400, 1_600, 8, 24
"""Events of the sessions, of a turn, and turns."""
MORE = 1.2
"""Times the calls of a turn in a session four times as long: one that looks at all makes twice as
many and more."""

ELSEWHERE = (
    C.select(role="user") | C.budget(400),
    C.default() | C.select(type="tool_call") | C.compact() | C.budget(1_000),
    C.default() | C.fresh(10, stale_action="summarize") | C.budget(4_000),
)
"""Specs with words in other places than in those of the benchmark."""
DEAREST = (word_specs()["C.isolate"], C.default() | C.budget(1_000, overflow="summarize"))
"""Specs of which a turn on which a step is taken is no more work either."""


@cache
def events() -> tuple[Event, ...]:
    return tuple(generated_session(LONG + TURN * TURNS, seed=1).log)


def declared() -> set[str]:
    """The words of the page's table of those that weigh all that there is."""
    rows = PAGE.read_text().partition("| word | what is looked at")[2].partition("\n\n")[0]
    return {
        name
        for row in rows.split("\n| ")[2:]
        for name in re.findall(r"`(\w+)`", row.partition("|")[0])
    }


def calls_of_a_turn(spec: Expr, size: int, folder: Path) -> int:
    """Calls of functions that the median turn makes, behind so many events."""
    return calls_of_turns(spec, size, folder)[TURNS // 2]


def calls_of_turns(spec: Expr, size: int, folder: Path) -> list[int]:
    """Calls of functions that turns make behind so many events, the fewest first."""
    target = target_for("openai-chat")
    engine = Engine(
        spec, target.model, format="openai-chat", window=128_000,
        reserved_output=0, artifacts=FileArtifacts(folder),
    )  # fmt: skip
    session = Session("work", events()[:size], state=WORD_STATE)
    engine.compile(session)
    counts: list[int] = []
    for at in range(size, size + TURN * TURNS, TURN):
        session.extend(events()[at : at + TURN])
        counts.append(function_calls(lambda: engine.compile(session), events=("call",)))
    return sorted(counts)


@pytest.mark.parametrize("word", few(sorted(ATOMS), 25))
def test_a_turn_is_no_more_work_in_a_long_session_unless_the_page_says_so(word, tmp_path):
    if word in declared():
        return  # it weighs all that there is
    expect_no_more(word_specs()[f"C.{word}"], tmp_path)


def expect_no_more(spec: Expr, folder: Path):
    short = calls_of_a_turn(spec, SHORT, folder / "short")
    assert calls_of_a_turn(spec, LONG, folder / "long") <= short * MORE


@pytest.mark.parametrize("spec", ELSEWHERE, ids=repr)
def test_nor_is_one_of_words_in_other_places(spec, tmp_path):
    expect_no_more(spec, tmp_path)


@pytest.mark.parametrize("spec", DEAREST, ids=repr)
def test_the_dearest_turn_is_no_more_work_in_a_long_session_either(spec, tmp_path):
    short = calls_of_turns(spec, SHORT, tmp_path / "short")[-1]
    assert calls_of_turns(spec, LONG, tmp_path / "long")[-1] <= short * MORE


def test_the_page_declares_words_and_few():
    assert declared() <= set(ATOMS)
    assert len(declared()) < len(ATOMS) / 3
