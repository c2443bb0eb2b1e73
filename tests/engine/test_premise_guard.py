"""Premises checked by themselves, and before a turn."""

import asyncio
import json
import types
from pathlib import Path

import pytest

from contextwright import Session
from contextwright.engine.premise_guard import (
    acheck_premise,
    apremise_guard,
    check_premise,
    premise_guard,
)
from contextwright.errors import ContextwrightError, PremiseError, SessionError
from contextwright.models import Models, ScriptedLLM
from contextwright.premises.findings import PremiseResult
from contextwright.retrieval.item import Item
from contextwright.testing import session_of

CRASH = "Why did the server crash?"
DENIED = ["The server did not crash."]


def test_the_documents_two_questions():
    """ "server crashed" is verified; without anything that says so, Atlantis is void."""
    assert check_premise(CRASH, ["The server crashed at 3 am."]).valid
    result = check_premise("What is the capital of Atlantis?", ["Atlantis is a fictional island."])
    assert not result.valid
    assert result.invalid_premise == "Atlantis exists"
    assert result.suggestion.startswith("Please verify the premise of your question.")


def test_facts_are_texts_or_items():
    assert check_premise(CRASH, DENIED).evidence == ("fact:0",)
    item = Item("note-7", "The server did not crash.", "note")
    assert check_premise(CRASH, [item]).evidence == ("note-7",)
    lines = [Item("a", "I ran a race.", "turn", "Ann"), Item("b", "I read a book.", "turn", "Bob")]
    assert check_premise("When did Ann run a race?", lines).valid
    result = check_premise("When did Bob run a race?", lines)
    assert (result.verdict, result.evidence) == ("unknown", ("a",))


def test_a_session_counts_with_its_notes():
    session = session_of("u: The server did not crash. | a: ok")
    assert check_premise(CRASH, session).evidence == ("event://e0",)
    session = Session(state={"_notes_ops": ["The server did not crash."]})
    session.user("hello")
    result = check_premise(CRASH, session.snapshot())
    assert result.evidence == ("state://_notes_ops",)


def test_a_question_does_not_prove_itself():
    session = Session("friends")
    session.user("I ran a race.", author="Ann")
    session.user("I like tea.", author="Bob")
    session.user("When did Bob run a race?", author="Ann")
    assert check_premise("When did Bob run a race?", session).verdict == "unknown"
    session.assistant("Let me see.")
    assert check_premise("When did Bob run a race?", session).verdict == "unknown"
    session.user("And now?", author="Ann")
    assert check_premise("When did Bob run a race?", session).verdict != "valid"


@pytest.mark.parametrize("known", ["a text", 3, None])
def test_what_is_neither_a_session_nor_facts_is_refused(known):
    with pytest.raises(SessionError) as caught:
        check_premise(CRASH, known)
    assert caught.value.fix


def test_a_model_judges_where_one_is_given():
    reply = (
        '{"premises": [{"premise": "The server crashed.", "verdict": "invalid", '
        '"reason": "it was stopped", "evidence": [0]}]}'
    )
    models = Models(ScriptedLLM(reply))
    result = check_premise(CRASH, ["The server was stopped by Ann."], models=models)
    assert (result.verdict, result.reason) == ("invalid", "it was stopped")
    assert result.evidence == ("fact:0",)
    assert "Ann" in result.suggestion


def test_a_model_reads_what_the_patterns_can_not():
    row = {"premise": "Der Server fiel aus.", "verdict": "invalid", "reason": "er lief"}
    llm = ScriptedLLM(json.dumps({"premises": [{**row, "evidence": [0]}]}))
    asked, known = "Warum ist der Server ausgefallen?", ["Der Server lief immer."]
    assert check_premise(asked, known).valid
    result = check_premise(asked, known, models=Models(llm))
    assert (result.verdict, result.evidence) == ("invalid", ("fact:0",))
    assert check_premise("Der Server lief.", known, models=Models(llm)).valid
    assert len(llm.prompts) == 1
    assert check_premise(asked, known, models=Models(ScriptedLLM("no json"))).valid


def accept(asked):
    assert asked[1] == ["accuracy", "honesty"]
    return "accept"


def reject(asked):
    return types.SimpleNamespace(verdict="reject")


def conflict(asked):
    assert asked[0] == "the server did crash"
    return types.SimpleNamespace(explanation="it was never started")


def no_conflict(asked):
    return None


@pytest.mark.parametrize(
    ("judge", "contradict", "verdict"),
    [
        (reject, conflict, "invalid"),
        (accept, conflict, "valid"),
        (reject, no_conflict, "valid"),
        (accept, no_conflict, "valid"),
        (None, conflict, "invalid"),
        (reject, None, "invalid"),
        (accept, None, "valid"),
    ],
)
def test_a_conflict_is_fatal_where_the_judge_rejects(judge, contradict, verdict):
    """The document's logic."""

    def later(function):
        async def called(asked):
            return function(asked)

        return called if function else None

    found = check_premise(CRASH, judge=judge, contradict=contradict)
    awaited = acheck_premise(CRASH, judge=later(judge), contradict=later(contradict))
    assert asyncio.run(awaited) == found
    assert found.verdict == verdict
    if verdict == "invalid":
        assert found.invalid_premise == "the server did crash"
        assert found.suggestion == "Please verify the premise of your question."
        if contradict:
            assert found.reason == "it was never started"


def test_contradict_sees_the_facts_and_the_rules_come_after_it():
    seen = []
    result = check_premise(CRASH, DENIED, contradict=lambda asked: seen.append(asked))
    assert seen == [("the server did crash", ["The server did not crash."])]
    assert result.verdict == "invalid"


def test_the_documents_agents_are_asked_by_invoke():
    class Contradict:
        async def invoke(self, asked):
            return types.SimpleNamespace(explanation=f"no: {asked[0]}")

    class Judge:
        async def invoke(self, asked):
            assert asked[1] == ["accuracy", "honesty"]
            return types.SimpleNamespace(verdict="reject")

    asking = acheck_premise(CRASH, judge=Judge(), contradict=Contradict())
    found = asyncio.run(asking)
    assert (found.valid, found.reason) == (False, "no: the server did crash")


def test_a_result_is_made_as_the_document_writes_it():
    assert PremiseResult(valid=True) == PremiseResult()
    void = PremiseResult(valid=False, invalid_premise="x", reason="y", suggestion="z")
    assert void == PremiseResult(False, "x", "y", "z") and void.verdict == "invalid"
    assert not PremiseResult(verdict="unknown").valid


@pytest.mark.parametrize(
    "call",
    [
        lambda: check_premise(CRASH, judge=5),
        lambda: check_premise(CRASH, DENIED, models="openai:gpt-5-mini"),
        lambda: premise_guard(session_of("u: hi"), on_invalid="rise"),
        lambda: premise_guard([{"role": "nobody", "content": "hi"}]),
    ],
)
def test_mistakes_are_named(call):
    with pytest.raises(ContextwrightError) as caught:
        call()
    assert caught.value.where and caught.value.fix


def test_an_async_judge_needs_the_async_function():
    async def judge(asked):
        return "reject"

    with pytest.raises(SessionError) as caught:
        check_premise(CRASH, DENIED, judge=judge)
    assert "acheck_premise" in caught.value.fix


def test_a_guard_returns_or_raises():
    session = session_of("u: The server did not crash. | a: ok | u: Why did the server crash?")
    result = premise_guard(session)
    assert result.verdict == "invalid"
    assert asyncio.run(apremise_guard(session)) == result
    with pytest.raises(PremiseError) as caught:
        premise_guard(session, on_invalid="raise")
    error = caught.value
    assert "the server did crash" in error.what
    assert error.where == "event://e0"
    assert "The server did not crash" in error.fix
    with pytest.raises(PremiseError):
        asyncio.run(apremise_guard(session.snapshot(), on_invalid="raise"))


@pytest.mark.parametrize("last", ["Why did the moon vanish?", "hello"])
def test_a_guard_lets_the_unknown_pass(last):
    session = session_of(f"u: The server did not crash. | a: ok | u: {last}")
    assert premise_guard(session, on_invalid="raise").verdict in {"unknown", "valid"}


def test_a_guard_needs_a_question():
    with pytest.raises(SessionError):
        premise_guard(Session("empty"))


def test_a_guard_looks_at_what_was_before_the_question():
    session = session_of("u: Why did the server crash? | a: The server did not crash.")
    assert premise_guard(session).verdict == "unknown"


def test_the_python_of_the_how_to_runs():
    page = Path(__file__).parents[2] / "docs" / "how-to" / "premises.md"
    names = {}
    for block in page.read_text(encoding="utf-8").split("```python\n")[1:]:
        exec(block.partition("```")[0], names)
    shown = names["shown"]["text"]
    assert shown in page.read_text(encoding="utf-8").replace("\n    ", "\n")


def test_what_is_no_fact_is_named():
    with pytest.raises(SessionError) as caught:
        check_premise("Why did it fail?", [5])
    assert caught.value.where == "known[0]"
