"""Words that choose among everything by what the log tells leave what a look at all would."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.compiler.test_word_of_log import TURNS, chat, requests
from tests.work_counts import exchanges_read

from contextwright import C, Engine
from contextwright.atoms.select.recent import Recent
from contextwright.atoms.select.select import Select
from contextwright.atoms.select.window import Window
from contextwright.compiler.manifest import manifest_from_json
from contextwright.testing.session_strategies import sessions

WORDS = (
    C.recent(1),
    C.recent(decay="linear", window=2),
    C.recent(2, min_score=0),
    C.select(role="user"),
    C.select(type="tool_result"),
    C.select(role="user", position="first"),
    C.select(role="assistant", type="tool_call", position="last"),
    C.select(role="assistant", not_authors=("critic",)),
    C.window(2),
    C.window(2, stride=3),
    C.window(steps=4),
    C.window(3, steps=5, stride=2),
)
LIMITS = (
    lambda spec: spec | C.budget(400),
    lambda spec: spec | C.budget(2_000),
    lambda spec: spec | C.truncate(30) | C.budget(500, overflow="summarize"),
    lambda spec: spec | C.fit(500),
    lambda spec: spec | C.compaction(900),
    lambda spec: C.window(1) + spec | C.budget(1_000),
)
REDACTING = (
    lambda spec: spec | C.redact(["email", "phone"]) | C.budget(2_000),
    lambda spec: spec | C.redact("pii", operator="mask") | C.truncate(30) | C.fit(500),
    lambda spec: C.window(1) + spec | C.redact("pii", fields=["price"]) | C.budget(1_000),
)


RUNS = settings(
    suppress_health_check=list(HealthCheck), max_examples=12, deadline=None, phases=[Phase.generate]
)
GROWN = {
    "session": sessions(max_turns=10),
    "every": st.integers(1, 5),
    "format": st.sampled_from(("openai-chat", "anthropic", "gemini")),
}
"""What grows, how many events come between two requests, and whose these are."""


@RUNS
@given(word=st.sampled_from(WORDS), limit=st.sampled_from(LIMITS), **GROWN)
def test_sessions_of_every_shape_give_what_a_look_at_all_gives(session, word, limit, every, format):
    spec, events = limit(C.default() | word), list(session.log)
    by_log = requests(spec, events, format, every)
    with pytest.MonkeyPatch.context() as patch:
        look_at_all(patch)
        assert requests(spec, events, format, every) == by_log


@RUNS
@given(word=st.sampled_from(WORDS), limit=st.sampled_from(REDACTING), **GROWN)
def test_what_is_not_chosen_need_not_be_redacted(session, word, limit, every, format):
    spec, events = limit(C.default() | word), list(session.log)
    by_log = sent(requests(spec, events, format, every))
    with pytest.MonkeyPatch.context() as patch:
        look_at_all(patch)
        assert sent(requests(spec, events, format, every)) == by_log


WINDOWED = (
    C.select(role="user") | C.window(2),
    C.select(type="tool_result") | C.window(steps=3),
    C.select(role="assistant") | C.window(2, steps=4) | C.redact(["email"]),
    C.from_agents_windowed(user=C.last(1), assistant=C.window(steps=2)),
    C.select(not_authors=("critic",)) | C.window(2),
    C.select(role="user") | C.window(2, stride=3),
)


@RUNS
@given(
    spec=st.sampled_from(WINDOWED),
    limit=st.sampled_from((C.budget(400), C.budget(2_000), C.fit(500), C.compaction(900))),
    **GROWN,
)
def test_a_window_of_what_is_selected_looks_for_the_newest(session, spec, every, limit, format):
    events = list(session.log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("contextwright.atoms.select.select.PAGE", 2)
        newest = sent(requests(spec | limit, events, format, every))
        patch.setattr(Select, "bring_newest", lambda self, window, inputs: None)
        assert sent(requests(spec | limit, events, format, every)) == newest


def look_at_all(patch: pytest.MonkeyPatch) -> None:
    for kind in (Recent, Select, Window):
        patch.setattr(kind, "chosen", lambda self, inputs, source: None)


def sent(made: list[object]) -> list[object]:
    """Requests, and what their receipts say of what is in them."""
    return [
        one if isinstance(one, str) else (one[0], manifest_from_json(one[1]).kept) for one in made
    ]


def test_what_matters_behind_everything_is_what_matters():
    session = chat(TURNS)
    session.user("Where was parcel 17?")
    alone, behind = (
        Engine(spec | C.budget(2_000), "gpt-5").compile(session)
        for spec in (C.relevant(top_k=4), C.default() | C.relevant(top_k=4))
    )
    assert behind.body == alone.body
    scores = [[one.score for one in pack.manifest.kept] for pack in (alone, behind)]
    assert scores[0] == scores[1] and max(scores[0]) > 0
    assert behind.manifest.answers == alone.manifest.answers


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.relevant(top_k=4),
        C.default() | C.recent(2),
        C.default() | C.select(role="user", position="last"),
        C.default() | C.window(4),
        C.from_agents_windowed(user=C.last(3), assistant=C.window(steps=3)),
    ],
    ids=repr,
)
def test_a_turn_reads_no_more_of_a_long_session(spec):
    read: list[int] = []
    for turns in (TURNS, 4 * TURNS):
        session, engine = chat(turns), Engine(spec | C.budget(2_000), "gpt-5")
        engine.compile(session)
        session.user("And parcel 5?")
        read.append(exchanges_read(lambda: engine.compile(session)))  # noqa: B023
    assert read[1] <= read[0] * 1.2
