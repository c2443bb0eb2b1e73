"""What was asked for is over where an answer says so, and what holds on is not."""

import pytest

from contextwright.text.request_ends import (
    ends_in,
    is_begun,
    is_called_off,
    is_done,
    is_end_of,
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


OVER = (
    ("Please migrate table item7x.", "item7x is finished."),
    ("Please migrate table item7x.", "Update: item7x done, all tests pass."),
    ("Refactor the login page.", "The login page is refactored."),
    ("Can you migrate the billing module to Postgres?", "I migrated the billing module to it."),
    ("Rotate the deploy keys.", "The deploy keys have been rotated."),
    ("TODO: rename the config loader.", "Renamed the config loader everywhere."),
    ("Prepare the slides for the board.", "Slides for the board: done."),
    ("Ticket 4711: the lamp flickers.", "4711 is closed, the lamp is fixed."),
)
OPEN = (
    ("Please migrate table item7x.", "item8x is finished."),
    ("Please migrate table item7x.", "item7x is not finished."),
    ("Please migrate table item7x.", "Once item7x is finished, I'll go on."),
    ("Please migrate table item7x.", "I'll have item7x done by noon."),
    ("Please migrate table item7x.", "Is item7x done?"),
    ("Please migrate table item7x.", "item7x is blocked."),
    ("Refactor the login page.", "The login page is cached."),
    ("Refactor the login page.", "All tests are done."),
    ("Book 2 seats for May.", "2 tests are done."),
)


@pytest.mark.parametrize(("request_", "answer"), OVER)
def test_an_end_is_told_by_what_it_names_wherever_it_stands(request_, answer):
    assert any(is_end_of(request_, one) for one in ends_in(answer, "assistant"))


@pytest.mark.parametrize(("request_", "answer"), OPEN)
def test_what_names_something_else_or_is_not_done_is_no_end(request_, answer):
    assert not any(is_end_of(request_, one) for one in ends_in(answer, "assistant"))


@pytest.mark.parametrize(
    "words", ["Cancel item7x.", "item7x is off, forget it.", "No need for item7x."]
)
def test_a_user_ends_it_by_calling_it_off_and_an_agent_does_not(words):
    request = "Please migrate table item7x."
    assert any(is_end_of(request, one) for one in ends_in(words, "user"))
    assert not ends_in(words, "assistant")


def test_an_agent_begins_something():
    assert is_begun("Started on item7x.") and is_begun("I'll look into it.")
    assert not is_begun("item7x is finished.") and not is_begun("It has 300 rows.")
