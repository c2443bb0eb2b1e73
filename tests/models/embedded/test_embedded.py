"""The models that need no network: what they find, and that they always answer."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright.blocks.block import Block
from contextwright.models import embedded
from contextwright.session.session import Session
from contextwright.spec.schema import problems, schema_text
from contextwright.spec.task import Task
from contextwright.testing import sessions
from contextwright.tokens.counter import named_counter

count = named_counter("o200k_base").count


def blocks_of(*texts):
    return tuple(Block(id=f"b{n}", source="t", text=text) for n, text in enumerate(texts))


def said(*turns):
    session = Session()
    for n, text in enumerate(turns):
        (session.user if n % 2 == 0 else session.assistant)(text)
    from contextwright.blocks.of_exchange import block_of

    return tuple(block_of(exchange) for exchange in session.snapshot().exchanges())


def answer(kind, blocks, **fields):
    return embedded.answer(Task(kind=kind, blocks=blocks, source="x", **fields), count=count)


FILLER = "Let me have a look at that for you, one moment please. "


def test_a_summary_keeps_what_says_most_within_its_room():
    blocks = said(
        "My order A17 arrived broken, I want a refund of 49 euros.",
        FILLER * 3,
        "Any news? " + FILLER,
        "I decided to refund 49 euros for order A17, because the parcel was damaged.",
    )
    found = answer("summary", blocks, max_tokens=60)
    assert found.model == "extractive"
    assert count(found.value) <= 60
    assert "A17" in found.value
    assert "49" in found.value


def test_a_query_draws_a_summary_to_it():
    texts = [
        f"Topic {n} is about {word} and nothing else at all."
        for n, word in enumerate(["tea", "wine", "beer", "milk", "juice"])
    ]
    found = answer("summary", blocks_of(*texts), max_tokens=18, query="milk")
    assert "milk" in found.value


def test_fifty_updates_do_not_lose_the_first_facts():
    first = "The customer Ann Miller has the order number A17-3321 and decided on a refund."
    summary = answer("summary", blocks_of(first), max_tokens=120).value
    for n in range(50):
        new = blocks_of(f"Then message {n} said something about step {n}.", FILLER)
        summary = answer("summary", new, max_tokens=120, previous=summary).value
    assert "A17-3321" in summary
    assert count(summary) <= 120


def test_a_record_summary_fills_its_fields():
    schema = schema_text(
        {
            "issue_description": "str",
            "steps_attempted": "list[str]",
            "customer_sentiment": "str",
            "recommended_action": "str?",
        }
    )
    blocks = said(
        "The app crashes when I open settings. This is really frustrating!",
        "I tried a restart and checked the logs.",
        "Still broken.",
        "I recommend a new build.",
    )
    found = answer("summary", blocks, schema=schema)
    assert found.model == "rules"
    assert found.value["issue_description"].startswith("The app crashes")
    assert found.value["customer_sentiment"] == "negative"
    assert found.value["steps_attempted"] == ["I tried a restart and checked the logs."]
    assert "recommend" in found.value["recommended_action"]


@pytest.mark.parametrize(
    ("schema", "turns", "wanted"),
    [
        ({"budget": "float"}, ["My budget is $5,000."], {"budget": 5000}),
        ({"budget": "float"}, ["budget: 5k", "ok", "No, the budget is 7k"], {"budget": 7000}),
        ({"order_number": "str"}, ["My order number is A17."], {"order_number": "A17"}),
        (
            {"timeline": "str"},
            ["We need it by March 15, at the latest."],
            {"timeline": "by March 15"},
        ),
        (
            {"constraints": "list[str]"},
            ["It must run offline. Thanks."],
            {"constraints": ["It must run offline."]},
        ),
        ({"gift_wrap": "bool"}, ["No gift wrap please"], {"gift_wrap": False}),
        ({"gift_wrap": "bool"}, ["Please add gift wrap"], {"gift_wrap": True}),
        ({"seats": "int?"}, ["hello there"], {}),
        (
            {"name": "str", "seats": "int", "tags": "list[str]"},
            ["hi"],
            {"name": "", "seats": 0, "tags": []},
        ),
    ],
)
def test_a_record_is_filled_from_what_was_said_and_left_empty_where_nothing_was(
    schema, turns, wanted
):
    found = answer("record", said(*turns), schema=schema_text(schema))
    got = {**found.value}
    if got.get("name"):
        got["name"] = ""
    assert got == wanted
    assert found.model == "rules"


def test_a_record_keeps_what_was_known():
    schema = schema_text({"budget": "float", "order": "str"})
    found = answer(
        "record", said("thanks"), schema=schema, previous='{"budget": 5000.0, "order": "A17"}'
    )
    assert found.value == {"budget": 5000.0, "order": "A17"}


def test_facts_are_what_can_be_used_later():
    blocks = said(
        "Hello! My budget is $5000. How are you?",
        "I refunded order A17.",
        "I prefer vendor A over vendor B.",
    )
    found = answer("facts", blocks, previous='["Known."]')
    assert found.value == [
        "Known.",
        "The user: My budget is $5000.",
        "assistant: I refunded order A17.",
        "The user: I prefer vendor A over vendor B.",
    ]
    again = answer("facts", blocks, previous=json.dumps(found.value))
    assert again.value == found.value


def test_near_duplicates_agree_in_their_numbers():
    texts = (
        "The price of the red chair is 49 euros.",
        "Something else entirely about lamps.",
        "The price of the red chair is 49 euros!",
        "The price of the red chair is 59 euros.",
    )
    assert answer("duplicates", blocks_of(*texts)).value == [[0, 2]]


def test_merged_notes_say_nothing_twice_in_the_newer_words():
    found = answer(
        "merge",
        blocks_of("Ann paid 49 Euros. She is happy."),
        previous="- Ann paid 49 euros\n- call Bob",
    )
    assert found.value == "- Ann paid 49 Euros.\n- call Bob\n- She is happy."


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        (("The budget is $5000.", "The budget is $7000."), [(0, 1)]),
        (("My flight is cancelled.", "ok", "My flight is not cancelled."), [(0, 2)]),
        (("The budget is $5000.", "The budget is $5000."), []),
        (("The budget is $5000.", "The deadline is May 7."), []),
        (("The weather is nice today.", "The weather is cold."), []),
        (("Is the budget 5000?", "The budget is 7000."), []),
        (("status: on", "status: off"), [(0, 1)]),
    ],
)
def test_plain_contradictions_are_found_and_others_left(texts, pairs):
    found = answer("contradictions", blocks_of(*texts)).value
    assert [(pair["first"], pair["second"]) for pair in found] == pairs


SCHEMA = schema_text(
    {
        "a": "str",
        "b": "list[str]",
        "c": "float",
        "d": "bool",
        "e": {"f": "int", "g": "list[int]?"},
        "h": "dict[str, int]?",
    }
)


@settings(max_examples=60, deadline=None)
@given(
    sessions(),
    st.sampled_from(
        ["summary", "relevance", "duplicates", "record", "facts", "merge", "contradictions"]
    ),
    st.text(max_size=40),
)
def test_every_task_is_answered_in_its_documented_shape(session, kind, text):
    from contextwright.blocks.of_exchange import block_of

    blocks = tuple(block_of(exchange) for exchange in session.snapshot().exchanges())
    schema = SCHEMA if kind == "record" else ""
    task = Task(
        kind=kind,
        blocks=blocks,
        source="x",
        query=text,
        prompt=text,
        previous=text,
        schema=schema,
        max_tokens=30,
    )
    value = embedded.answer(task, count=count).value
    assert embedded.answer(task, count=count).value == value
    json.dumps(value)
    places = range(len(blocks))
    if kind in {"summary", "merge"}:
        assert isinstance(value, str)
        assert kind == "merge" or count(value) <= 31
    elif kind == "relevance":
        assert len(value) == len(blocks)
        assert all(0 <= score <= 1_000_000 for score in value)
    elif kind == "duplicates":
        assert all(one < other and one in places and other in places for one, other in value)
    elif kind == "record":
        assert problems(value, json.loads(SCHEMA)) == []
    elif kind == "facts":
        assert all(isinstance(fact, str) for fact in value)
    else:
        assert all(
            pair["first"] in places and pair["second"] in places and pair["what"] for pair in value
        )
