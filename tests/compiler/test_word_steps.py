"""A word with a limit decides at a step, and what it decided stays until the next one; the steps
follow from the log alone (ADR 59)."""

import pytest
from hypothesis import given, settings
from tests.compiler.test_fold import calls_of
from tests.compiler.test_limit_steps import ACTS, grow

from contextwright import C, Session, compile, replay
from contextwright.compiler import trace, word_steps
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.spec.memo import Memo
from contextwright.testing import target_for

LIMIT = 1_500
HELD = (
    C.cool(LIMIT), C.default() | C.cap(LIMIT), C.compress_results(budget=LIMIT, min_tokens=60),
    C.budget(LIMIT, overflow="truncate_least_salient"), C.fit(LIMIT, strategy="salience"),
)  # fmt: skip
"""Specs under which a request moves nothing but at a step."""


def words_at_steps(monkeypatch):
    """The places of the steps that words went by."""
    places, step_of = [], word_steps.step_of

    def watched(*args):
        standing = step_of(*args)
        places.append(standing[0].place if standing else None)
        return standing

    monkeypatch.setattr(word_steps, "step_of", watched)
    return places


@pytest.mark.parametrize("spec", HELD, ids=repr)
@settings(max_examples=2, deadline=None)
@given(acts=ACTS)
def test_requests_move_at_few_steps(spec, acts):
    target = target_for("openai-chat", 100_000)
    before, moved, count = [], 0, 0
    for session in grow(acts):
        messages = compile(session, spec, target=target).request["messages"]
        moved += messages[: len(before)] != before
        before, count = messages, count + 1
    assert moved <= count / 3


@pytest.mark.parametrize(
    "spec",
    [
        C.cool(LIMIT), C.default() | C.cap(LIMIT),
        C.relevant(max_tokens=LIMIT, scorer="salience"),
        C.compress_results(budget=LIMIT, min_tokens=60),
    ],
    ids=repr,
)  # fmt: skip
@settings(max_examples=2, deadline=None)
@given(acts=ACTS)
def test_between_two_steps_every_byte_stays(spec, acts):
    target = target_for("openai-chat", 100_000)
    with pytest.MonkeyPatch.context() as patched:
        places, before, step = words_at_steps(patched), [], None
        for session in grow(acts):
            places.clear()
            messages = compile(session, spec, target=target).request["messages"]
            place = places[-1] if places else None
            assert messages[: len(before)] == before or place != step
            before, step = messages, place


FRESH = (*HELD, C.compact() | C.cool(LIMIT), C.relevant(max_tokens=LIMIT, scorer="salience"))


@pytest.mark.parametrize("spec", FRESH, ids=repr)
@settings(max_examples=2, deadline=None)
@given(acts=ACTS)
def test_a_fresh_copy_of_the_log_gives_the_same_bytes(spec, acts):
    target, memo = target_for("openai-chat", 100_000), Memo()
    for n, session in enumerate(grow(acts)):
        pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        if n % 9 == 0:
            fresh = Session(session.id, list(session.log), tools=session.tools)
            assert compile(fresh, spec, target=target).body == pack.body
            assert replay(pack.manifest, fresh).body == pack.body


@settings(max_examples=2, deadline=None)
@given(acts=ACTS)
def test_a_threshold_is_held_where_what_may_be_cooled_is_enough(acts):
    target = target_for("openai-chat", 100_000)
    for session in grow(acts):
        tokens = compile(session, C.cool(LIMIT), target=target).tokens
        least = compile(session, C.cool(1, steps=False), target=target).tokens
        assert tokens <= max(LIMIT, least + LIMIT * 2 // 3) + 60  # instruction and tools beside it


def test_a_question_is_answered_with_what_it_needs_of_old():
    """Also where no step of the limit is due: what is relevant is relevant to what is asked."""
    spec, session = C.relevant(max_tokens=LIMIT, scorer="lexical"), Session("s")
    for n in range(60):
        session.user(f"What of part {n}?")
        session.assistant(f"Part {n} is code{n}, " + "and so on " * 30)
    for n in (3, 11):
        session.user(f"Which is code{n}?")
        sent = str(compile(session, spec, target=target_for("openai-chat", 100_000)).request)
        assert f"Part {n} is code{n}," in sent
        session.assistant(f"It was code{n}.")


def test_without_steps_a_word_decides_at_every_request(monkeypatch):
    places = words_at_steps(monkeypatch)
    session = Session("s")
    for n in range(60):
        session.user(f"And {n}? " + "really " * 20)
        session.assistant(f"It is {n}. " * 40)
    compile(session, C.cool(LIMIT, steps=False), target=target_for("openai-chat", 100_000))
    assert not places


def test_a_step_of_a_word_is_decided_once(monkeypatch):
    memo, session, made = Memo(), Session("s"), []
    left = calls_of(monkeypatch, trace, "applied")
    decided = calls_of(monkeypatch, type(C.cool(LIMIT)), "_cooled")
    for n in range(120):
        session.user(f"And {n}? " + "really " * 20)
        session.assistant(f"It is {n}. " * 40)
        decided.clear()
        target = target_for("openai-chat", 100_000)
        SpecCompiler(C.cool(LIMIT), memo=memo).compile(session.snapshot(), target)
        made.append(len(decided))
    assert left and max(made) < 6
