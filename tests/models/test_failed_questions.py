"""A question that fails is not asked again and again, and not for ever left alone."""

import pytest

from contextwright import C, Engine, Session
from contextwright.models import Limits, ModelFault, Models
from contextwright.models.failed_questions import FailedQuestions

WORDS = "The refund of order A17 was approved on May 3 by Ann. " * 12


class BadRequest(Exception):
    """As an SDK raises it."""

    status_code = 400


def grown(session, n):
    session.user(f"question {n}: {WORDS}")
    session.assistant(f"answer {n}: {WORDS}")
    return session


def asked(models):
    return len(models.llm.prompts)


@pytest.mark.parametrize(
    "line",
    [
        WORDS * 200,
        ModelFault("rejected", "400 bad request"),
        BadRequest("400"),
        ModelFault("refused", "no"),
        "I'm sorry, but I can't help with that.",
    ],
)
def test_a_session_that_grows_asks_three_times_at_most(scripted, line):
    models = scripted(line)
    engine, session = Engine(C.rolling(n=1, max_tokens=60), "gpt-5", models=models), Session()
    for n in range(40):
        pack = engine.compile(grown(session, n))
    assert asked(models) <= 3
    assert any("not asked again, it failed before" in note for note in pack.manifest.notes)


@pytest.mark.parametrize("line", [BadRequest("400"), "", '{"torn'])
def test_the_same_question_is_asked_once(make_task, scripted, line):
    models = scripted(line)
    for _ in range(20):
        (answer,) = models.answer_now([make_task("record", schema='{"type":"object"}')])
    assert asked(models) <= 2
    assert answer.model == "rules"
    assert "not asked again" in answer.fallback


def test_after_a_while_it_is_asked_again(make_task, scripted):
    now = [0.0]
    models = scripted(BadRequest("400"), "Approved.", clock=lambda: now[0])
    assert models.answer_now([make_task()])[0].fallback
    now[0] = Limits().give_up_s - 1
    assert models.answer_now([make_task()])[0].fallback
    now[0] = Limits().give_up_s
    assert models.answer_now([make_task()])[0].value == "Approved."


def test_another_question_is_asked_all_the_same(make_task, scripted):
    models = scripted(BadRequest("400"), "Approved.")
    models.answer_now([make_task()])
    assert models.answer_now([make_task(prompt="another")])[0].value == "Approved."


def test_a_model_that_never_answers_a_kind_is_left_alone(make_task, scripted):
    models = scripted("{")
    for n in range(50):
        models.answer_now([make_task("facts", prompt=str(n))])
    assert asked(models) <= 6


def test_what_our_own_limits_refuse_is_no_failure(make_task):
    failed = FailedQuestions(60, lambda: 0.0)
    task = make_task()
    assert not failed.why_not(task, "m")
    models = Models(limits=Limits())
    assert models.answer_now([task])[0].fallback == ""


def test_it_remembers_so_many(make_task):
    failed = FailedQuestions(60, lambda: 0.0, most=10)
    tasks = [make_task(prompt=str(n)) for n in range(40)]
    for task in tasks:
        failed.add(task, "m", "bad")
    assert failed.why_not(tasks[-1], "m")
    assert not FailedQuestions(60, lambda: 0.0).why_not(tasks[0], "m")
    assert len(failed._failures) == 10
