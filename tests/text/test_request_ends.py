"""What was asked for is over where an answer says so, and what holds on is not."""

import pytest

from contextwright.text.request_ends import (
    calls_off,
    is_called_off,
    is_done,
    may_end,
)


@pytest.mark.parametrize(
    "request_",
    [
        "Remember to run the tests.",
        "Don't forget the notes.",
        "Go ahead with the change.",
        "Use tabs.",
    ],
)
def test_a_task_may_end(request_):
    assert may_end(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "Never touch app.cfg.",
        "Do not push.",
        "Don't use tabs.",
        "Every report must have a title.",
        "Budget: 400 euros.",
        "We decided to use PostgreSQL.",
        "Let's stick with PostgreSQL.",
    ],
)
def test_a_rule_or_a_decision_holds_on(request_):
    assert not may_end(request_)


@pytest.mark.parametrize(
    ("answer", "is_next", "over"),
    [
        ("The tests pass now.", False, True),
        ("Done.", True, True),
        ("Done.", False, False),
        ("I have fixed the door.", True, False),
        ("I will run the tests.", True, False),
    ],
)
def test_an_answer_says_that_it_is_done(answer, is_next, over):
    assert is_done("Remember to run the tests.", answer, is_next=is_next) == over


@pytest.mark.parametrize(
    "rule", ["Use tabs.", "Make sure that it is valid YAML.", "Answer in German."]
)
def test_what_holds_on_when_it_was_done_is_no_task(rule):
    assert not is_done(rule, f"Done: {rule}", is_next=True)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Never mind the tests.", True),
        ("The tests are no longer needed.", True),
        ("Never mind.", False),
        ("How are the tests?", False),
        ("Forget about the spa near the tests, we won't have time.", False),
    ],
)
def test_a_user_calls_it_off(said, over):
    assert is_called_off("Make sure that the tests pass.", said) == over


@pytest.mark.parametrize(
    ("statement", "answer", "over"),
    [
        ("Please go over item7x this week.", "item7x is done.", True),
        ("Please go over item7x this week.", "The week's work is done.", False),
        ("Prepare the quarterly deck by Friday.", "The quarterly deck is ready.", True),
        ("Everything about the plant goes to Lena.", "Everything is ready.", False),
        ("Green for item7x, red is for alarms.", "Done! It uses green.", False),
    ],
)
def test_what_was_only_heard_is_over_where_an_answer_surely_speaks_of_it(statement, answer, over):
    assert is_done(statement, answer, is_next=False, is_worded=False) is over


@pytest.mark.parametrize(
    ("sentence", "off"),
    [
        ("Cancel the weekly report.", True),
        ("No need for the load test.", True),
        ("Decided: drop the old cache.", False),
        ("Leave the flag alone.", False),
    ],
)
def test_what_takes_a_task_back_and_chooses_nothing(sentence, off):
    assert calls_off(sentence) is off


def test_a_bare_number_names_nothing_that_may_be_done():
    statement = "Heavy reads go to replica 3 here, anything else makes the phone ring."
    assert not is_done(statement, "Done. It has 3 parts.", is_next=False, is_worded=False)
    assert is_done("Order 4471 first.", "Done, 4471 is out.", is_next=False, is_worded=False)
