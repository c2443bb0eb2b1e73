"""Relevance by a language model: all blocks are looked at, each once for a query."""

import json
import re

import pytest

from contextwright import C, Engine, Session
from contextwright.models import Limits, ModelFault, Models, ScriptedLLM
from contextwright.stores import SQLiteAnswers

ITEM = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def by_meaning(prompt):
    """Scores an item that speaks of a physician 90, others 1."""
    items = ITEM.findall(prompt.text)
    scores = [
        {"item": int(n), "score": 90 if "physician" in text else 1 + len(text) % 2}
        for n, text in items
    ]
    return json.dumps({"scores": scores})


def shown(models):
    return [text for prompt in models.llm.prompts for _, text in ITEM.findall(prompt.text)]


def texts(count, at, meant="the physician looked after a sick child"):
    return tuple(meant if n == at else f"parcel number {n} left" for n in range(count))


@pytest.mark.parametrize(("count", "at"), [(62, 0), (80, 10), (200, 3), (239, 120)])
def test_a_block_with_no_word_in_common_is_found_among_many(make_task, count, at):
    models = Models(ScriptedLLM(by_meaning))
    asking = make_task("relevance", texts(count, at), query="doctor treats ill kid")
    (answer,) = models.answer_now([asking])
    assert max(range(count), key=answer.value.__getitem__) == at
    assert len(models.llm.prompts) == -(-count // 60)
    assert (answer.fallback, answer.note) == ("", "")


def test_what_was_not_looked_at_is_told(make_task):
    models = Models(ScriptedLLM(by_meaning), limits=Limits(scored_blocks=60))
    (answer,) = models.answer_now([make_task("relevance", texts(100, 99), query="doctor")])
    assert answer.note.startswith("40 of 100 blocks were not looked at")
    session = Session()
    for n in range(100):
        session.user(f"parcel number {n} left")
        session.assistant(f"noted {n}")
    session.user("Which doctor?")
    spec = C.select(role="user") | C.relevant("__user_content__", top_k=3)
    pack = Engine(spec, "gpt-5", models=models).compile(session)
    assert any("blocks were not looked at" in note for note in pack.manifest.notes)


class Kin:
    """Puts doctors and physicians close together."""

    id = "kin"

    async def embed(self, texts):
        near = ("doctor", "physician")
        return [[1.0, 0.0] if any(w in t for w in near) else [0.0, 1.0] for t in texts]


def test_an_embedder_brings_candidates_that_words_do_not(make_task):
    limits = Limits(scored_blocks=60)
    models = Models(ScriptedLLM(by_meaning), Kin(), limits=limits)
    (answer,) = models.answer_now([make_task("relevance", texts(300, 5), query="doctor came")])
    assert max(range(300), key=answer.value.__getitem__) == 5
    assert len(models.llm.prompts) == 1


class Broken:
    """An embedder that fails."""

    id = "broken"

    async def embed(self, texts):
        raise KeyError("vectors")


def test_words_alone_choose_where_the_embedder_fails(make_task):
    models = Models(ScriptedLLM(by_meaning), Broken(), limits=Limits(scored_blocks=60))
    (answer,) = models.answer_now([make_task("relevance", texts(100, 99), query="physician")])
    assert (answer.value[99], answer.fallback) == (900_000, "")


def test_a_turn_scores_only_what_is_new(make_task):
    models = Models(ScriptedLLM(by_meaning))
    for count in (6, 9, 12, 15):
        models.answer_now([make_task("relevance", texts(count, 2), query="doctor")])
    assert len(shown(models)) == 15
    assert len(models.llm.prompts) == 4
    models.answer_now([make_task("relevance", texts(15, 2), query="another")])
    assert len(shown(models)) == 30


def test_scores_outlive_the_process(make_task, tmp_path):
    for count in (6, 9):
        models = Models(ScriptedLLM(by_meaning), answers=SQLiteAnswers(tmp_path / "answers.db"))
        models.answer_now([make_task("relevance", texts(count, 2), query="doctor")])
    assert len(shown(models)) == 3


def test_what_one_batch_scored_is_kept_where_another_failed(make_task, scripted):
    models = scripted(by_meaning, ModelFault("refused", "no"), by_meaning, limits=Limits(retries=0))
    asking = make_task("relevance", texts(100, 2), query="doctor")
    assert models.answer_now([asking])[0].model == "lexical"
    models.answer_now([asking])
    assert len(models.llm.prompts) == 2


def test_texts_that_are_the_same_are_scored_once(make_task):
    models = Models(ScriptedLLM(by_meaning))
    (answer,) = models.answer_now([make_task("relevance", ("a physician",) * 70, query="doctor")])
    assert len(shown(models)) == 1
    assert answer.value == [900_000] * 70
