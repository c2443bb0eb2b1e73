"""What the words of a question weigh."""

import pytest

from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.query_weights import ASKING, EARLIER, question_weights

ITEMS = [
    Item("0", "A summary of all conversations, in order: a list of several things."),
    Item("1", "Robert read the draft."),
    Item("2", "Nothing at all."),
]


def best(query, earlier=()):
    index = Index()
    index.add(ITEMS)
    scores = index.scores(query, earlier=earlier)
    return max(scores, key=scores.__getitem__) if scores else ""


def test_words_that_one_asks_with_count_less_than_what_one_asks_about():
    weights = question_weights("Can you give me a summary of what I discussed with Robert?")
    assert weights == {"give": ASKING, "summar": ASKING, "discus": ASKING, "robert": 1.0}
    assert best("Give me a summary of all conversations with Robert, in order") == "1"


@pytest.mark.parametrize("question", ["a summary of the conversations", "list them in order"])
def test_a_question_of_such_words_alone_is_about_them(question):
    assert set(question_weights(question).values()) == {1.0}
    assert best(question) == "0"


def test_earlier_questions_are_weighed_alike():
    weights = question_weights("And then?", ["zero", "Tell me of Ann", "one", "two"])
    assert weights["ann"] == EARLIER
    assert weights["tell"] == EARLIER * ASKING
    assert "zero" not in weights
    assert best("And who read it?", ["a summary", "What did Robert read?"]) == "1"


def test_who_searches_for_words_finds_those_words():
    index = Index()
    index.add(ITEMS)
    assert index.search("summary Robert list order")[0].item.id == "0"
