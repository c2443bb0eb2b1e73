"""A field is filled where a typed rule has its evidence, and left empty where nobody said it."""

import pytest

from contextwright import C, Engine, Session
from contextwright.blocks.of_exchange import block_of
from contextwright.models import embedded
from contextwright.spec.schema import schema_text
from contextwright.spec.task import Task
from contextwright.tokens.counter import named_counter

count = named_counter("o200k_base").count


def filled(schema, *turns, calls=()):
    session = Session()
    for n, text in enumerate(turns):
        (session.user if n % 2 == 0 else session.assistant)(text)
    for n, (name, arguments) in enumerate(calls):
        session.call(name, arguments, id=f"c{n}")
        session.result(f"c{n}", "done")
    blocks = tuple(block_of(exchange) for exchange in session.snapshot().exchanges())
    task = Task(kind="record", schema=schema_text(schema), blocks=blocks, source="x")
    return embedded.answer(task, count=count)


@pytest.mark.parametrize(
    ("schema", "turns"),
    [
        (
            {"customer_name": "str"},
            ["Hi", "1. Number of passengers: Please provide the first name."],
        ),
        ({"customer_name": "str"}, ["I appreciate your help, but no."]),
        ({"reservation_id": "str"}, ["The reservation was made on 2024-05-05 for two."]),
        ({"reservation_id": "str"}, ["My reservation details are wrong."]),
        ({"user_id": "str"}, ["ok", "- **Reservation ID:** HATHAT"]),
        ({"user_id": "str"}, ["I need help with my user profile."]),
        ({"budget": "float"}, ["We will decide the budget later."]),
        ({"budget": "float"}, ["What is the budget? I heard 5 of us come."]),
        ({"budget": "float"}, ["The budget is not decided, meet on 12 May."]),
        ({"seats": "int"}, ["hello there"]),
        ({"city": "str"}, ["My city is not important."]),
        ({"gift_wrap": "bool"}, ["Do you offer gift wrap?"]),
        ({"gift_wrap": "bool"}, ["I will decide about gift wrap later."]),
        ({"gift_wrap": "bool"}, ["It is a gift."]),
        ({"plan": "str"}, ["ok", "Your plan is the gold one."]),
        ({"email": "str"}, ["Please send an email."]),
        ({"recommended_action": "str"}, ["Please go ahead and complete the booking."]),
        ({"steps_attempted": "list[str]"}, ["Could you please check for that option?"]),
    ],
)
def test_what_nobody_said_is_left_empty_and_named(schema, turns):
    found = filled(schema, *turns)
    assert not any(found.value.values())
    assert not {False, 0} & {value for value in found.value.values() if not isinstance(value, list)}
    (name,) = schema
    assert found.note == f"nothing said was found for {name}; a language model may"


@pytest.mark.parametrize(
    ("schema", "turns", "value"),
    [
        ({"user_id": "str"}, ["Sure, my user ID is mia_li_3668."], "mia_li_3668"),
        ({"user_id": "str"}, ["Hi", "Could you give me your user ID?", "It's mia_li_3668."], "mia_li_3668"),
        ({"reservation_id": "str"}, ["ok", "- **Reservation ID:** HATHAT"], "HATHAT"),
        ({"reservation_id": "str"}, ["Please cancel reservation H9ZU1C today."], "H9ZU1C"),
        ({"order_number": "str"}, ["It is about order #A17."], "A17"),
        ({"customer_name": "str"}, ["My customer name is Ann Miller and I wait."], "Ann Miller"),
        ({"email": "str"}, ["Write to ann@example.com, please."], "ann@example.com"),
        ({"budget": "float"}, ["We have about 12 people and a budget of $5,000."], 5000),
        ({"budget": "float"}, ["The budget is 0."], 0),
        ({"passengers": "int"}, ["We are 3 passengers."], 3),
        ({"gift_wrap": "bool"}, ["Please add gift wrap."], True),
        ({"cabin": {"enum": ["economy", "business"]}}, ["I take economy."], "economy"),
        ({"phone": "str"}, ["My phone is +49 30 1234567."], "+49 30 1234567"),
        ({"appointment_time": "str"}, ["Hi", "What appointment time suits you?", "At 6:30 pm."], "6:30 pm"),
        ({"city": "str"}, ["My city is Rome."], "Rome"),
    ],
)  # fmt: skip
def test_what_was_said_for_a_field_fills_it(schema, turns, value):
    if "enum" in str(schema):
        schema = {"type": "object", "properties": schema, "required": ["cabin"]}
    found = filled(schema, *turns)
    assert list(found.value.values()) == [value]
    assert found.note == ""


def test_what_a_call_was_made_with_fills_a_field():
    calls = [("find", {"user_id": "a_1", "n": 2}), ("book", {"userId": "b_2", "seats": 3})]
    assert filled({"user_id": "str", "seats": "int"}, "hi", calls=calls).value == {
        "user_id": "b_2",
        "seats": 3,
    }


def test_steps_are_what_was_called():
    schema = {"steps_attempted": "list[str]"}
    calls = [("restart", {"host": "db1"}), ("read_log", {})]
    found = filled(schema, "It is down. Could you check it?", calls=calls)
    assert found.value == {"steps_attempted": ["restart(host=db1)", "read_log()"]}


def test_a_turn_says_what_the_rules_did_not_find():
    session = Session()
    session.user("We will decide the budget later.")
    spec = C.default() + C.extract({"budget": "float"}, key="requirements")
    pack = Engine(spec, "gpt-5").compile(session)
    assert "record by rules: nothing said was found for budget; a language model may" in (
        pack.manifest.notes
    )
    assert session.state["requirements"] == {}


def test_a_summary_by_schema_says_that_a_model_is_needed():
    session = Session()
    for _ in range(4):
        session.user("Could you please check for that option? " * 12)
        session.assistant("One moment please. " * 12)
    session.user("and?")
    schema = {"recommended_action": "str", "steps_attempted": "list[str]"}
    spec = C.window(n=1) + C.summarize(scope="before_window", schema=schema)
    notes = Engine(spec, "gpt-5").compile(session).manifest.notes
    assert any(
        note.startswith("summary by rules: nothing said was found for recommended_action, steps")
        for note in notes
    )
