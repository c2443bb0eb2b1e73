"""What a user says beside a request is told from it by what it is not: no question, no task, no
news, no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import remarks as module
from contextwright.text.remarks import MAX_MESSAGE, MAX_REMARK, MOST, asks, is_remark, remarks


@pytest.mark.parametrize(
    ("message", "remark"),
    [
        ("Set up the build. Our runners are ARM only.", "Our runners are ARM only."),
        ("Plot churn by month. The printer here is black and white.", "The printer here is black"),
        ("Suggest a title for my talk. Puns make me cringe.", "Puns make me cringe."),
        ("What's a decent laptop? She's on Linux for good.", "She's on Linux for good."),
        ("hey rewrite the intro. also our ceo loathes exclamation marks", "our ceo loathes"),
        ("Add retries to the uploader; five attempts is the house rule.", "five attempts is"),
        ("Could you book the table? Six of us, one eats no pork.", "Six of us, one eats no pork."),
        ("Fix the login \u2014 the staging box has no IPv6.", "the staging box has no IPv6."),
        ("- Draft the mail\n- the client is called Brandt with dt", "the client is called Brandt"),
        ("We bill by the minute on that box.", "We bill by the minute on that box."),
        ("Fix the job. Its rows in src/db/rows.py are append-only.", "append-only"),
        ("Rename it. `put` belongs to the public surface of ours.", "`put` belongs to the public"),
        ("Type the rest. getRate() reads from the old replica by design.", "the old replica"),
        ("Book it. Fares above $300 come out of another purse.", "come out of another purse"),
        ("Check the box. Restarts fall between 02:00 and 04:00 here.", "between 02:00 and 04:00"),
        ("Draft the mail. FYI the vendor of the scale is bankrupt.", "the vendor of the scale is"),
        ("Plan the menu. The oven downstairs is broken since May.", "is broken since May."),
        ("Plan the menu. That oven has been broken for years.", "broken for years."),
        ("plan the route. the drummer snores lol", "the drummer snores lol"),
    ],
)
def test_what_is_said_beside_a_request_is_a_remark(message, remark):
    assert any(remark in one for one in remarks(message))


@pytest.mark.parametrize(
    "message",
    [
        "Please set up the build for the new service.",
        "Can you check why the disk of the server is full",
        "Rename the function to the name of the file.",
        "ok, now run the tests of the parser",
        "OPS-17: migrate the mailbox of the team",
        "While you're at it, remove the old flag from the config",
        "Next up: investigate the leak of the worker",
        "Backport the patch of the parser to the old branch",
        "'/var/folders/49/some/Screenshot of the day.png'",
        "const rows = readRows(the, old, file)",
        "I need you to write the summary of the talk.",
        "What does the second flag of the command do?",
        "which of the two is the better one",
        "The third test fails again.",
        "I'm getting no mail of the shop since May.",
        "FYI: please set up the build of the parser",
        "I've attached the file with the figures.",
        "I'm trying to log in to the site.",
        "That's perfect, thanks for the help!",
        "Traceback (most recent call last): the end",
        "TypeError: 'NoneType' object is not iterable",
        '"name": "the_tool_of_the_day",',
        "(Open file: /the/path/of/it.py)",
        "Bitte benenne die Datei um. Unser Server ist alt.",
        "",
    ],
)
def test_tasks_questions_news_and_programs_are_none(message):
    assert remarks(message) == ()


def test_what_answers_a_question_is_none_but_beside_a_request():
    question = "Which of the cars would you like?"
    assert remarks("The small one for the three of us.", question) == ()
    assert remarks("The small one for the three of us.", "The cars are there.")
    beside = "The small one for the three of us. Can you send me the bill?"
    assert remarks(beside, question) == ("The small one for the three of us.",)


def test_there_are_few_and_they_are_short():
    assert len(remarks(" ".join(f"The rack {n} has the blue door." for n in range(20)))) == MOST
    assert remarks("The rack has the blue door. " * (MAX_MESSAGE // 20)) == ()
    assert remarks("The rack " + "of the hall " * (MAX_REMARK // 10)) == ()


def test_a_sentence_by_itself_is_one_in_an_english_text():
    assert is_remark("Metric units.") and not is_remark("Convert units.")


SIGNS = st.sampled_from([*'ab \n3:=<>{}()[]|`$/\\"@#+.,\u2192', "ValueError", "Error"])


@given(st.lists(SIGNS, max_size=9).map("".join))
def test_a_program_is_told_wherever_one_of_its_signs_stands(part):
    is_code = module._CODE_LINE.match(part) is not None or module._CODE.search(part) is not None
    assert module._is_code(part) == is_code


@pytest.mark.parametrize(
    "message",
    ["Pay the invoices of Ulm.", "File the return for May.", "Furnish a room on floor two."],
)
def test_a_plain_verb_with_an_article_behind_it_asks_for_something(message):
    assert asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "Half the team has children.",
        "Friday the office is closed.",
        "Keep the lid on.",
        "Finished the draft.",
        "What I like is a short list.",
        "When I say the girls I mean the ward's team.",
    ],
)
def test_what_begins_otherwise_says_something(message):
    assert not asks(message)


def test_what_begins_with_a_verb_of_a_question_asks_whatever_stands_behind():
    assert asks("is the build green")
