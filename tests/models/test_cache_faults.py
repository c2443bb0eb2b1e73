"""A cache that fails is a cache without answers: it never ends a turn."""

import sqlite3

import pytest

from contextwright import C, compile
from contextwright.errors import StoreError
from contextwright.models.answering import Models
from contextwright.models.scripted import ScriptedLLM
from contextwright.stores import SQLiteAnswers
from contextwright.testing import session_of

LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 20
TALK = f"u: go | a: first {LONG} | u: on | a: second {LONG} | u: end"


class Broken:
    """Fails in one of its methods, or in all."""

    def __init__(self, *fails):
        self.fails = fails

    def _or_fail(self, name, value):
        if name in self.fails:
            raise StoreError("the file is locked", where="answers.db", fix="wait")
        return value

    def get(self, key):
        return self._or_fail("get", None)

    def put(self, key, answer):
        self._or_fail("put", None)

    def latest(self, series):
        return self._or_fail("latest", None)


@pytest.mark.parametrize("fails", [("get",), ("put",), ("latest",), ("get", "put", "latest")])
@pytest.mark.parametrize("llm", [None, "scripted"])
def test_a_cache_that_fails_ends_no_turn(fails, llm):
    models = Models(ScriptedLLM("Both were said.") if llm else None, answers=Broken(*fails))
    spec = C.window(n=1) + C.summarize(scope="before_window")
    pack = compile(session_of(TALK), spec, model="gpt-5", models=models)
    assert any(block.source.startswith("summary:") for block in pack.manifest.kept)
    assert models.cache_faults and "the file is locked" in models.cache_faults[0]


def test_answers_that_can_not_be_stored_are_used_all_the_same(tmp_path):
    answers = SQLiteAnswers(tmp_path / "answers.db")
    models = Models(ScriptedLLM("A lone \ud800 surrogate."), answers=answers)
    spec = C.window(n=1) + C.summarize(scope="before_window")
    pack = compile(session_of(TALK), spec, model="gpt-5", models=models)
    assert pack.tokens
    answers.close()
    again = compile(session_of(TALK), spec, model="gpt-5", models=models)
    assert again.tokens


def _changed(sql):
    """Does something to the file behind the cache's back."""

    def do(path, answers):
        with sqlite3.connect(path) as connection:
            connection.execute(sql)

    return do


def _closed(path, answers):
    answers.close()


def _locked(path, answers):
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    answers.holder = holder


def _full(path, answers):
    answers._database._connection.execute("PRAGMA max_page_count = 1")


FAULTS = {
    "locked": _locked,
    "full": _full,
    "closed": _closed,
    "table gone": _changed("DROP TABLE answers"),
    "a number for a body": _changed("UPDATE answers SET body = 17"),
    "nothing for a body": _changed("UPDATE answers SET body = x''"),
    "another value": _changed(
        """UPDATE answers SET body = '{"fingerprint":"f","kind":"summary","model":"m","value":7}'"""
    ),
    "torn": _changed("UPDATE answers SET body = substr(body, 1, 20)"),
    "no file": lambda path, answers: path.unlink(),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_of_answers_that_fails_is_one_without_answers(fault, tmp_path, monkeypatch):
    monkeypatch.setattr("contextwright.stores.answers.BUSY_SECONDS", 0.05)
    path = tmp_path / "answers.db"
    answers = SQLiteAnswers(path)
    models = Models(ScriptedLLM("Both were said."), answers=answers)
    spec = C.window(n=1) + C.summarize(scope="before_window")
    compile(session_of(TALK), spec, model="gpt-5", models=models)
    FAULTS[fault](path, answers)
    for model in (models, Models(answers=answers)):
        pack = compile(session_of(TALK + " | a: yes | u: ok"), spec, model="gpt-5", models=model)
        assert any(block.source.startswith("summary:") for block in pack.manifest.kept)


def test_a_cache_that_fails_slowly_is_left_alone_for_a_while(make_task):
    now, used = [0.0], []

    class Slow(Broken):
        def get(self, key):
            used.append(key)
            now[0] += 30
            raise StoreError("the file is locked", where="answers.db", fix="wait")

    models = Models(ScriptedLLM("Short."), answers=Slow(), clock=lambda: now[0])
    for n in range(5):
        models.answer_now([make_task(prompt=str(n))])
    assert len(used) == 1
    now[0] += 20
    models.answer_now([make_task(prompt="later")])
    assert len(used) == 2


@pytest.mark.parametrize("kept", ["text", 7, {"value": 1}])
def test_what_is_no_answer_is_none(make_task, kept):
    class Odd(Broken):
        def get(self, key):
            return kept

        latest = get

    models = Models(ScriptedLLM("Short."), answers=Odd())
    assert models.answer_now([make_task()])[0].value == "Short."
    assert models.latest("s") is None
