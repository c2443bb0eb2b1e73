"""Vectors are weighed in behind what a line is worth by its words in its context."""

import pytest

from contextwright.retrieval.blended import blended
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.token_budget import within

TALK = [Item(str(n), f"Ann: line {n}", "turn", "Ann", "t") for n in range(4)]


def test_words_and_vectors_are_stretched_and_weighed():
    found = blended(TALK, [4.0, 2.0, 0.0, 0.0], {"0": 0, "1": 100, "2": 50}, "")
    assert found == pytest.approx([0.6, 0.7, 0.2, 0.0])


def test_without_vectors_worths_stay_and_without_words_vectors_decide():
    assert blended(TALK, [4.0, 2.0, 0.0, 0.0], {}, "") == [4.0, 2.0, 0.0, 0.0]
    assert blended(TALK, [0.0] * 4, {"0": 5, "1": 10, "2": 5, "3": 5}, "") == [0, 1, 0, 0]


def chat(*texts):
    return [Item(str(n), text, "turn", ROLES[n]) for n, text in enumerate(texts)]


def test_in_a_chat_a_message_is_worth_more_as_it_is_near_and_no_less_for_being_far():
    items = chat(*["as long as that"] * 4)
    near = {"0": 10, "1": 90, "2": 50, "3": 10}
    assert blended(items, [4.0, 2.0, 4.0, 0.0], near, "") == pytest.approx([1, 1, 1 + 1 / 9, 0])
    items.append(Item("note", "which shares no word", "note"))
    assert blended(items, [4.0, 2.0, 4.0, 0.0, 0.0], near | {"note": 90}, "")[-1] == 0.25


def test_in_a_chat_without_a_word_of_the_question_meaning_stands_in_its_context():
    items = chat(*["as long as that"] * 4)
    near = {"0": 90, "1": 10, "2": 10, "3": 90}
    mine, _, _, yours = blended(items, [0.0] * 4, near, "what is my budget?")
    assert mine == 2 * yours
    mine, _, _, yours = blended(items, [0.0] * 4, near, "what did you say of it?")
    assert mine == yours


ROLES = ("user", "assistant", "user", "assistant")


def test_an_index_with_an_embedder_finds_what_shares_no_word(letters):
    pytest.importorskip("numpy")
    index = Index(letters)
    index.add(TALK + [Item("x", "Ben: herons everywhere", "turn", "Ben", "t")])
    assert "x" not in index.scores("heronry"), "words alone"
    assert max(index.likeness("heronry"), key=index.likeness("heronry").__getitem__) == "x"
    assert [item.id for item in within(index, "heronry", 3, lambda text: len(text.split()))] == [
        "x"
    ]
    assert Index(letters).likeness("heronry") == {}


def test_an_embedder_that_fails_leaves_the_words(letters, broken):
    pytest.importorskip("numpy")
    index = Index(letters)
    index.add(TALK)
    index._embedder = broken
    assert index.likeness("line 1") == {}
    assert within(index, "line 1", 3, lambda text: len(text.split()))
    assert "lexical only" in index.degraded
