"""A cache that fails is a cache without answers: it never ends a turn."""

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
