"""An end is told by what it names, however much later it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import end_sentences
from contextwright.text.end_sentences import (
    begins_work,
    ends_something,
    is_asked_in,
    is_begun,
    is_news_of,
    label_of,
    names_in,
    proper_names,
    says_end,
)
from contextwright.text.wordings import Wordings

OVER = (
    ("Please migrate table item7x.", "item7x is finished."),
    ("Please migrate table item7x.", "Update: item7x done, all tests pass."),
    ("Refactor the login page.", "The login page is refactored."),
    ("Can you migrate the billing module to Postgres?", "I migrated the billing module to it."),
    ("Rotate the deploy keys.", "The deploy keys have been rotated."),
    ("TODO: rename the config loader.", "Renamed the config loader everywhere."),
    ("Prepare the slides for the board.", "Slides for the board: done."),
    ("Ticket 4711: the lamp flickers.", "4711 is closed, the lamp is fixed."),
    ("Task 4: send the summary.", "DONE: Task 4"),
    ("TODO #1: write tests for the gauge.", "TODO #1: done"),
    ("- [ ] Update the second page", "- [x] Update the second page"),
    ("Regenerate the lockfile of pnpm-heron.", "lockfile pnpm-heron \u2705"),
    ("Please change my address to 19 Alder Lane.", "All set! Your address is now 19 Alder Lane."),
    ("Translate the minutes of the Kirchberg meeting.", "The Kirchberg minutes are translated."),
    ("Make the flag --no-heron work again.", "--no-heron works again, it was the parser."),
    ("Move 250 to my sister Ottilie.", "The move of 250 to Ottilie is complete."),
)
OPEN = (
    ("Please migrate table item7x.", "item8x is finished."),
    ("Please migrate table item7x.", "item7x is not finished."),
    ("Please migrate table item7x.", "Once item7x is finished, I'll go on."),
    ("Please migrate table item7x.", "I'll have item7x done by noon."),
    ("Please migrate table item7x.", "Is item7x done?"),
    ("Please migrate table item7x.", "Added item7x to my list."),
    ("Please migrate table item7x.", "item7x is blocked."),
    ("Refactor the login page.", "The login page was mentioned."),
    ("Refactor the login page.", "All tests are done."),
    ("Book 2 seats for May.", "2 tests are done."),
    ("Task 4: send the summary.", "DONE: Task 41"),
    ("Please look at flights to Denver.", "Your hotel in Denver is booked."),
    ("Please call Anna on Monday.", "The roof is repaired on Monday."),
    ("Please migrate table item7x.", "item7x is to be finished."),
)


@pytest.mark.parametrize(("request_", "answer"), OVER)
def test_an_end_is_told_by_what_it_names_wherever_it_stands(request_, answer):
    assert says_end(request_, answer, "assistant")


@pytest.mark.parametrize(("request_", "answer"), OPEN)
def test_what_names_something_else_or_is_not_done_is_no_end(request_, answer):
    assert not says_end(request_, answer, "assistant")


@pytest.mark.parametrize(
    "words",
    [
        "Cancel item7x.",
        "item7x is off, forget it.",
        "No need for item7x.",
        "Take item7x off the list.",
        "Remove item7x from our backlog.",
        "item7x is on ice until autumn.",
        "item7x is moot.",
        "item7x isn't happening.",
    ],
)
def test_a_user_ends_it_by_calling_it_off_and_an_agent_does_not(words):
    request = "Please migrate table item7x."
    assert says_end(request, words, "user")
    assert not says_end(request, words, "assistant")


def test_who_calls_something_off_needs_but_its_name():
    request = "Could you find us a sitter through Kinderwood?"
    assert says_end(request, "Never mind about Kinderwood, grandma comes.", "user")
    assert not says_end(request, "Kinderwood is nice.", "user")


@pytest.mark.parametrize(
    ("statement", "news"),
    [
        ("No pushes to main before noon (freeze FZ-7).", "The freeze FZ-7 is over, push."),
        ("Payments to the Alder fund are prohibited.", "Payments to the Alder fund may go out."),
        ("Constraint 41: never use the old provider.", "Constraint 41 is lifted."),
        ("Rule #5 - only use the small tool.", "UPDATE to rule #5: any tool will do."),
        ("Keep the batch size at 512.", "The batch size is 2048 now."),
    ],
)
def test_news_of_what_holds_are_told_by_what_they_name(statement, news):
    assert is_news_of(statement, news)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("Never touch app.cfg.", "Is app.cfg there?"),
        ("Never touch app.cfg.", "Add a line to the docs of app.cfg."),
        ("Use the card on file for payment.", "I use the card on file for the payment."),
        ("Constraint 41: never use the old provider.", "Constraint 4 is lifted."),
    ],
)
def test_questions_tasks_and_what_is_said_again_are_no_news(statement, words):
    assert not is_news_of(statement, words)


def test_what_a_sentence_ends_was_asked_for_by_a_task():
    end = "The audit of branch Alderley has been called off."
    assert is_asked_in(end, "Schedule an audit of branch Alderley.")
    assert not is_asked_in(end, "Branch Alderley has an audit every year.")
    assert not is_asked_in(end, "Schedule a visit.")


def test_statements_are_called_by_their_first_words():
    assert label_of("ACTION ITEM 14: call the supplier") == "action item 14"
    assert label_of("- [ ] Task 7 - pack") == "task 7"
    assert label_of("Constraint (18): use the north node") == "constraint (18"
    assert not label_of("Keep 18 rows: no more.") and not label_of("The task: pack 7 boxes")


def test_what_has_a_capital_within_a_sentence_or_two_words_names_something():
    text = "Please tell Ms. Achterhof on Monday that node-heron of Graz runs."
    assert proper_names(text) == {"achterhof", "node-heron", "graz"}


def test_an_agent_begins_something():
    assert is_begun("Added item7x to my list.") and is_begun("Started on item7x.")
    assert is_begun("I'll look into it.")
    assert not is_begun("item7x is finished.") and not is_begun("It has 300 rows.")


def test_names_are_what_nothing_else_is_called():
    text = "Clean src/ui/Gauge.tsx, usr_tbl and PO-66120 for Luigi's on 2 May, please."
    assert names_in(text) == {"src/ui/gauge.tsx", "gauge.tsx", "usr_tbl", "po-66120"}


PIECES = (
    "The login page ", "is now in place", "is set up", "are back", "went through", "works again",
    "I found it", "no longer", "refactored", "done", "cancel", "never mind", "No need ", "no tests",
    " needed, please", "forget about it", "let's not", "doesn't need", "don’t bother", "i’ll see",
    "let me", "in my queue", "to the list", "started", "looking into", "not", "once", "still",
    ". ", ", ", "? ", "\n", " and ", "Good morning", "SET UP", "Is In",
)  # fmt: skip


def every_pattern(wordings, small):
    return tuple(("", number) for number in range(len(wordings._patterns)))


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.booleans())
def test_a_text_is_looked_at_wherever_it_may_end_something(text, user):
    role = "user" if user else "assistant"
    ends, begins = ends_something(text, role), is_begun(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Wordings, "near", every_pattern)
        assert (ends_something(text, role), is_begun(text)) == (ends, begins)


def test_a_message_without_the_words_of_ends_is_not_read_by_sentences(monkeypatch):
    looked_at = []
    monkeypatch.setattr(end_sentences, "_is_end", lambda text, near: looked_at.append(text))
    for role in ("user", "assistant"):
        ends_something("The login page was mentioned. It is a page of the office.", role)
    assert not looked_at
    ends_something("The login page was mentioned. It is in place.", "user")
    assert len(looked_at) == 2


@pytest.mark.parametrize(
    ("answer", "begins"),
    [
        ("On it.", True),
        ("I'll collect the prices.", True),
        ("Setting up the tool.", True),
        ("Sure, drafting it.", True),
        ("Will do.", True),
        ("Everything is ready.", False),
        ("Nothing is left.", False),
        ("Understood.", False),
        ("", False),
    ],
)
def test_an_answer_says_that_an_agent_goes_to_work(answer, begins):
    assert begins_work(answer) is begins


@pytest.mark.parametrize(
    "words",
    [
        "everything under src/gorse gets reviewed by Ilka",
        "He hates being phoned.",
        "the knapweed level is mine",
    ],
)
def test_what_is_done_each_time_is_not_over_nor_is_what_only_ends_so(words):
    assert not ends_something(words, "user")


def test_who_did_it_is_not_what_it_was_done_to():
    assert not says_end("Ask Ilka about src/gorse.", "redpoll got merged by Ilka", "user")


@pytest.mark.parametrize("answer", ["I'm gathering the figures.", "I can do that on Wednesday."])
def test_an_agent_may_say_so_of_itself(answer):
    assert begins_work(answer)
