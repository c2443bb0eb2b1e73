"""A compile under `C.compaction` looks no further back than its fold, and nobody can tell."""

import random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.compiler.test_fold import begun, work  # noqa: F401
from tests.parameters import few
from tests.work_counts import exchanges_read

from contextwright import C
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps import stepped as steps
from contextwright.errors import ContextwrightError
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for
from contextwright.testing.session_strategies import sessions

TERMS = (
    C.default(), C.default() + C.from_state("intent"), C.window(n=1) | C.priority(1) + C.default(),
    C.default() + C.relevant(top_k=2), C.relevant(top_k=2) + C.default(),
    C.failures(1) + C.default(), C.from_compaction().or_else(C.default()),
    (C.window(1) | C.layer("memory")) + C.default(),
)  # fmt: skip
MAPPED = (
    C.default() | C.redact(["email", r"\d\d"]), C.compact(min_tokens=25, max_tokens=40), C.truncate(20),
    C.compact("stale", stale_after=2, min_tokens=25) | C.redact(["part"]), C.compress_results(min_tokens=25, max_tokens=50),
    C.default() + C.from_state("intent") | C.project(exclude=["what"]) | C.clock_last(), C.minify(),
    C.fresh(4, stale_action="compact") | C.expand() | C.priority(3), C.default() | C.vary() | C.truncate(40, strategy="head"),
    (C.default() | C.compact()) + C.relevant(top_k=2), C.failures(1) + (C.default() | C.redact(["a"])),
)  # fmt: skip
"""Words that look at one exchange alone, in front of the limit."""
FORMATS = st.sampled_from(("openai-chat", "anthropic", "gemini", "openai-responses"))


def outcome(spec, session: Session, target, memo: Memo | None = None):
    try:
        pack = SpecCompiler(spec, memo=memo or Memo()).compile(session.snapshot(), target)
    except ContextwrightError as error:
        return str(error)
    return pack.body, pack.manifest.to_json()


@pytest.fixture
def known(monkeypatch):
    """Exchanges that compiles did not look at."""
    seen: list[int] = []
    stepped = steps.stepped

    def noting(blocks, stage, space, limit, inputs, **options):
        made = stepped(blocks, stage, space, limit, inputs, **options)
        if inputs.folded:
            seen.append(max(0, inputs.start - inputs.snapshot.preamble))
        return made

    monkeypatch.setattr(steps, "stepped", noting)
    return seen


def same_as_everything(spec, events, target, every=1) -> None:
    """Request and receipt as the session grows under one memo, and from nothing."""
    session, memo = Session("grown"), Memo()
    for place, event in enumerate(events):
        session.append(event)
        if place % every == 0 or place == len(events) - 1:
            assert outcome(spec, session, target, memo) == outcome(spec, session, target)


@settings(
    suppress_health_check=list(HealthCheck), max_examples=12, deadline=None, phases=[Phase.generate]
)
@given(
    session=sessions(max_turns=14), term=st.sampled_from(TERMS + MAPPED), tokens=st.integers(150, 500),
    format=FORMATS, every=st.integers(1, 9), eager=st.booleans(),
)  # fmt: skip
def test_sessions_of_every_shape_give_what_looking_at_everything_gives(
    session, term, tokens, format, every, eager
):
    spec = term | C.compaction(tokens, eager=eager)
    same_as_everything(spec, list(session.log), target_for(format), every)


@pytest.mark.parametrize("term", few((*TERMS[:4], *MAPPED), 3), ids=repr)
def test_an_agent_s_work_gives_what_looking_at_everything_gives(term, known):
    session = work(70, 5)
    same_as_everything(term | C.compaction(1200), list(session.log), target_for("openai-chat"), 6)
    assert max(known) > 20


@pytest.mark.slow
def test_steps_that_begin_anew_give_what_looking_at_everything_gives(begun, known):  # noqa: F811
    session = work(60, 5)
    same_as_everything(C.compaction(900), list(session.log), target_for("openai-chat"), 6)
    assert begun and max(known) > 20


def test_a_late_result_below_a_note_is_told(known):
    session, memo, target = work(60, 1), Memo(), target_for("openai-chat")
    session = Session("late", list(session.log)[:-1])
    session.user("Find it.")
    session.call("find", {"what": "late"}, id="late")
    spec, dice = C.compaction(900), random.Random(4)
    for n in range(40):
        session.user(f"Meanwhile, {n}? " + "really " * dice.randint(1, 30))
        session.assistant("Yes. " * 20)
        outcome(spec, session, target, memo)
    before = known[-1]
    assert before > 40
    session.result("late", "it is here " * 50)
    session.user("Thanks. And?")
    assert outcome(spec, session, target, memo) == outcome(spec, session, target)
    assert before > 40 and len(session.log.late_joins()) > 0
    past = session.snapshot_at(len(session) - 2, 0)
    packs = [SpecCompiler(spec, memo=one).compile(past, target) for one in (memo, Memo())]
    assert packs[0] == packs[1]


@pytest.mark.parametrize("term", (C.default(), *MAPPED[:-2]), ids=repr)
def test_a_turn_reads_as_many_exchanges_in_a_long_session_as_in_a_short_one(term):
    def read(exchanges: int) -> int:
        session, memo, target = work(exchanges, 2), Memo(), target_for("openai-chat")
        spec = term | C.compaction(1500)
        outcome(spec, session, target, memo)
        counts: list[int] = []
        for n in range(2):
            session.assistant("Still looking.")
            session.user(f"And now, {n}?")
            counts.append(exchanges_read(lambda: outcome(spec, session, target, memo)))
        return counts[-1]

    assert read(600) <= read(150) * 1.5


@pytest.mark.parametrize(
    ("spec", "view"),
    [
        (C.compaction(900), "fold"),
        (C.default() + C.from_state("intent") | C.compaction(900), "fold"),
        (C.compact() | C.compaction(900), "fold"),
        (C.default() | C.redact(["email"]) | C.compaction(900), "fold"),
        (C.compact(min_gain=9) | C.compaction(900), "all"),
        (C.default() | C.priority(4) | C.compaction(900), "all"),
        ((C.default() | C.compact()) + C.default() | C.compaction(900), "all"),
        (C.isolate() + C.window(2) | C.compaction(900), "all"),
    ],
    ids=repr,
)
def test_only_what_brings_the_log_as_it_is_is_not_looked_at_again(spec, view):
    assert plan(spec).view == view
