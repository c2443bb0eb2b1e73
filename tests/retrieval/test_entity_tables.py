"""What is spoken of, and what was settled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.entity_tables import decisions, entities, tables
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item

SAID = [
    Item(
        "1", "We decided to use PostgreSQL for order A17. Then Alice fixed src/app/main.py.", "turn"
    ),
    Item("2", "So Alice asked what it costs: $1,200 for A17, `parse_order` included.", "turn"),
    Item("3", "It was $1,200. See src/app/main.py and parse_order.", "turn", "Bob", "", 5),
    Item("4", "Let's go with Redis.", "turn", "Bob", "", 7),
]


def test_what_recurs_is_in_the_table_with_its_sources():
    found = {row.name: row for row in entities(SAID)}
    assert found["A17"].sort == "identifier"
    assert found["A17"].sources == ("1", "2")
    assert found["$1,200"].sort == "amount"
    assert found["src/app/main.py"].sort == "path"
    assert found["parse_order"].sources == ("2", "3")
    assert found["Alice"].sort == "name"
    assert "PostgreSQL" not in found, "said once"


def test_a_word_that_only_starts_sentences_is_no_name():
    said = [Item(str(n), "Great work. Right away. Well done.") for n in range(3)]
    assert entities(said) == []
    said = [Item(str(n), "I met Right there, right now, right on.") for n in range(3)]
    assert entities(said) == []


def test_code_has_no_names():
    assert entities([Item("1", "```python\nfrom Flask import Flask, Flask\n```")]) == []


@pytest.mark.parametrize(
    "text",
    [
        "We decided to ship on Friday.",
        "They have agreed that the budget is 5,000.",
        "Let's go with Redis.",
        "The team chose the blue one.",
        "I've decided on server-side rendering.",
        "Decision: keep the old logo.",
        "It was agreed to meet again.",
    ],
)
def test_what_settles_something_is_a_decision(text):
    assert [row.text for row in decisions([Item("1", text)])] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Have we decided to ship?",
        "We haven't decided yet.",
        "We have not agreed on a price.",
        "I wonder if we decided well, should we decide again.",
        "The weather is fine.",
    ],
)
def test_what_is_open_is_none(text):
    assert decisions([Item("1", text)]) == []


def test_the_tables_are_items_that_say_where_they_are_from():
    index = Index()
    index.add(tables(SAID))
    best = index.search("who decided on Redis")[0].item
    assert (best.id, best.kind, best.time_ms) == ("decision:4:1", "decision", 7)
    assert best.text == "Decided (Bob, 4): Let's go with Redis."
    found = index.search("A17", kinds=["entity"])[0].item
    assert found.id == "entity:a17"
    assert "in 1, 2" in found.text


@given(st.lists(st.sampled_from([item.text for item in SAID]), max_size=8))
def test_the_same_texts_give_the_same_tables(texts):
    items = [Item(str(n), text) for n, text in enumerate(texts)]
    assert tables(items) == tables(items)
    ids = [item.id for item in tables(items)]
    assert len(ids) == len(set(ids))


@given(st.text(max_size=300))
def test_no_text_is_too_odd(text):
    tables([Item("1", text), Item("2", text)])
