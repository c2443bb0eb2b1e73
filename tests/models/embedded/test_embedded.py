"""The models that need no network: what they find, and that they always answer."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contextwright.blocks.block import Block
from contextwright.blocks.of_exchange import block_of
from contextwright.models import embedded
from contextwright.models.embedded import embedded_answers
from contextwright.session.event import ToolCall
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


def test_a_code_block_in_a_summary_keeps_its_lines_and_its_fences():
    code = "```python\ntotal = price * 3\nprint(total)\n```"
    found = answer("summary", blocks_of(f"We decided to compute it.\n\n{code}"), max_tokens=200)
    assert code in found.value
    long = "```\n" + "another line of code\n" * 50 + "```"
    found = answer("summary", blocks_of(f"We decided to compute it.\n\n{long}"), max_tokens=200)
    assert found.value.count("```") == 2
    assert found.value.count("another line of code\n") > 5


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
            {"name": "", "tags": []},
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


def test_a_line_of_a_program_is_no_fact():
    session = Session()
    session.user("Which version is it?")
    session.assistant(ToolCall(id="c1", name="grep", arguments="{}"))
    session.result("c1", '196: const logo = bold("pi") + ` v${version}`;\nThe version is 2.1.')
    blocks = tuple(block_of(exchange) for exchange in session.snapshot().exchanges())
    assert answer("facts", blocks).value == ["tool: The version is 2.1."]


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
        (("My deadline is March 15.", "My deadline is April 2."), [(0, 1)]),
        (("The meeting is on Tuesday.", "The meeting is on Wednesday."), [(0, 1)]),
        (("The meeting is on Tuesday.", "The meeting is on Tuesday."), []),
        (("The rent is 500 euros a month.", "The rent is 700 euros."), [(0, 1)]),
    ],
)
def test_plain_contradictions_are_found_and_others_left(texts, pairs):
    found = answer("contradictions", blocks_of(*texts)).value
    assert [(pair["first"], pair["second"]) for pair in found] == pairs


VERDICTS = {"valid", "unknown", "invalid"}
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


@given(
    sessions(),
    st.sampled_from(
        [
            "summary",
            "relevance",
            "duplicates",
            "record",
            "facts",
            "merge",
            "contradictions",
            "premises",
        ]
    ),
    st.text(max_size=40)
    | st.sampled_from(["Why did the server crash?", "[1]", '[{"premise": 1}]']),
)
def test_every_task_is_answered_in_its_documented_shape(session, kind, text):
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
        wrong = problems(value, json.loads(SCHEMA))
        assert all(problem.endswith(" is missing") for problem in wrong)
    elif kind == "facts":
        assert all(isinstance(fact, str) for fact in value)
    elif kind == "premises":
        assert all(row["premise"] and row["verdict"] in VERDICTS for row in value)
        assert all(place in places for row in value for place in row["evidence"])
    else:
        assert all(
            pair["first"] in places and pair["second"] in places and pair["what"] for pair in value
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My flight is cancelled.", "My flight is not cancelled."),
        ("Ann paid Bob.", "Bob paid Ann."),
        ("That works for me.", "That works for me?"),
        (
            "Refund the order A17 to the card of our customer in Lyon, and send a letter.",
            "Refund the order B17 to the card of our customer in Lyon, and send a letter.",
        ),
    ],
)
def test_almost_the_same_words_may_say_another_thing(one, other):
    assert answer("duplicates", blocks_of(one, other)).value == []


@pytest.mark.parametrize(
    ("schema", "turns", "wanted"),
    [
        (
            {"email": "str"},
            ["My email is ann.miller@example.com, thanks"],
            "ann.miller@example.com",
        ),
        ({"email": "str"}, ["Write to ann@example.com. I wait."], "ann@example.com"),
        ({"price": "str"}, ["price: 49.50"], "49.50"),
        ({"url": "str"}, ["The url is https://x.example.com/a?b=1"], "https://x.example.com/a?b=1"),
        ({"order_total": "float"}, ["For 2 items the total is 30"], 30),
        ({"name": "str"}, ["My name is Ann Miller and I live in Lyon"], "Ann Miller"),
        ({"city": "str"}, ["My city is Rome", "ok", "My city is which?"], "Rome"),
    ],
)
def test_a_field_has_its_whole_value_and_no_more(schema, turns, wanted):
    (value,) = answer("record", said(*turns), schema=schema_text(schema)).value.values()
    assert value == wanted


NODE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
    "required": ["city"],
}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"city": {"type": ["string", "null"]}}},
        {
            "type": "object",
            "properties": {"city": {"anyOf": [{"type": "null"}, {"type": "string"}]}},
        },
        {**NODE, "$defs": {"Node": NODE}},
        {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
    ],
)
def test_what_may_be_null_or_contains_itself_is_filled(schema):
    found = answer("record", said("My city is Rome."), schema=schema_text(schema)).value
    assert found["city"] == "Rome"
    assert problems(found, schema) == []


def test_what_was_known_and_can_not_be_read_is_nothing():
    deep = "[" * 5_000
    assert answer("facts", said("My city is Rome."), previous=deep).value != []
    found = answer("record", said("hi"), schema=schema_text({"a": "int"}), previous=deep)
    assert found.value == {}


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (("budget is $5000", "budget is $7000"), 1),
        (("The budget is $5000.", "Actually the budget is $7,000."), 1),
        (("The price is 5000.", "The price is 5,000."), 0),
        (("The budget is 5k.", "The budget is $5000."), 0),
        (("There are 5 of them.", "There are 7 of them."), 0),
        (("Flight A:\n- Price: $104", "Flight B:\n- Price: $121"), 0),
    ],
)
def test_amounts_are_compared_by_their_size_and_list_items_not_at_all(texts, found):
    assert len(answer("contradictions", blocks_of(*texts)).value) == found


@given(st.lists(st.text("ab1 .\n", max_size=40), min_size=1, max_size=6))
@example(["Hello there friend of mine"])
def test_a_summary_is_never_longer_than_its_source(turns):
    blocks = said(*turns)
    assert len(answer("summary", blocks).value) <= sum(len(block.plain_text) for block in blocks)


def test_of_a_sentence_that_does_not_fit_the_beginning_is_kept():
    found = answer("summary", blocks_of("The order A17 " + "was delayed " * 100), max_tokens=20)
    assert found.value.startswith("The order A17")
    assert count(found.value) <= 20


@pytest.mark.parametrize("kind", list(embedded_answers._MAKERS))
def test_a_rule_that_fails_says_nothing_and_why(kind, monkeypatch):
    def broken(task, count):
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(embedded_answers._MAKERS, kind, broken)
    found = answer(kind, blocks_of("a", "b"), previous='["known"]')
    assert found.model == "none"
    assert found.fallback == "the embedded model failed: ZeroDivisionError: oh"


def test_a_task_with_half_a_character_has_a_fingerprint():
    one, other = (Task(kind="summary", query=text) for text in ("\ud83d", "\ud83e"))
    assert one.fingerprint != other.fingerprint
