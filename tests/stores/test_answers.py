"""Answers in a file."""

import pytest

from contextwright import C, Engine, Session
from contextwright.errors import StoreError
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.task import Answer
from contextwright.stores import SQLiteAnswers

LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 8


def answer(n, series="", value="x"):
    return Answer(
        fingerprint=f"f{n}", kind="summary", value=value, model="m", series=series, covers=n
    )


def test_answers_outlive_the_process(tmp_path):
    kept = SQLiteAnswers(tmp_path / "a.db")
    kept.put("k1", answer(1, "s"))
    kept.put("k2", answer(2, "s", {"a": [1]}))
    kept.close()
    again = SQLiteAnswers(tmp_path / "a.db")
    assert again.get("k1") == answer(1, "s")
    assert again.latest("s") == answer(2, "s", {"a": [1]})
    assert again.get("k3") is again.latest("t") is None


def test_the_oldest_go_first(tmp_path):
    kept = SQLiteAnswers(tmp_path / "a.db", most=2)
    for n in range(4):
        kept.put(f"k{n}", answer(n))
    assert [kept.get(f"k{n}") is not None for n in range(4)] == [False, False, True, True]
    kept.put("k2", answer(9))
    assert kept.get("k2") == answer(9)


def test_what_is_no_database_is_named(tmp_path):
    path = tmp_path / "a.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError) as caught:
        SQLiteAnswers(path)
    assert str(path) in caught.value.where


def session_of_turns(turns):
    session = Session("s")
    for n in range(turns):
        session.user(f"question {n}: {LONG}")
        session.assistant(f"answer {n}: {LONG}")
    session.user("and?")
    return session


def test_another_process_brings_a_summary_up_to_date(tmp_path):
    def engine(line):
        llm = ScriptedLLM(line)
        return llm, Engine(
            C.rolling(n=1), "gpt-5", models=Models(llm, answers=SQLiteAnswers(tmp_path / "a.db"))
        )

    _, first = engine("First summary.")
    first.compile(session_of_turns(4))
    llm, second = engine("Second summary.")
    pack = second.compile(session_of_turns(4))
    assert llm.prompts == []
    assert "First summary." in pack.body.decode()
    llm, third = engine("Third summary.")
    pack = third.compile(session_of_turns(6))
    assert "First summary." in llm.prompts[0].text
    assert "question 0" not in llm.prompts[0].text
    assert "Third summary." in pack.body.decode()
