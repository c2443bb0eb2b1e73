"""A short answer to what was asked is a choice, in whatever language, and is told with its question."""

import pytest

from contextwright.text.choices import (
    GIST,
    agrees,
    answered_gist,
    is_choice,
    offers_several,
    only_hears,
    question_gist,
    reported_gist,
)

LIST = "Two ways:\n1. a queue\n2. a cron job\nWhich one?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which ORM: Drizzle or Prisma?", "So Drizzle."),
        ("A) redis, B) in-process. Preference?", "B then."),
        (LIST, "Go with the second one"),
        ("Daily or weekly?", "ok, weekly"),
        ("Should I split it in two?", "yep"),
        ("Would the 4th or the 11th suit you?", "The 11th please"),
        ("Soll es Postgres oder SQLite sein?", "Dann Postgres."),
        ("¿Lo dejo hasta el verano o lo quito ya?", "hasta el verano"),
        ("日別と週別のどちらにしますか？", "週別"),
        ("Drizzle or Prisma? Both work here. Tell me soon.", "prisma"),
    ],
)
def test_few_words_behind_a_question_choose(question, answer):
    assert question_gist(question)
    assert is_choice(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is your user id?", "mia_li_3668"),
        ("Who should own it?", "It is Ana Lopez."),
        ("Which date?", "2024-05-03"),
        ("Could you give me your reservation ID?", "I don't remember the reservation ID, sorry."),
        ("Daily or weekly?", "What would you do?"),
        ("Daily or weekly?", "Before that, please look at the logs of last night, they are odd."),
    ],
)
def test_what_tells_or_asks_something_new_does_not(question, answer):
    assert not is_choice(answer, question)


@pytest.mark.parametrize("text", ["Done.", "Is it? No. It works. I ran it. All is well.", ""])
def test_what_asks_nothing_at_its_end_has_no_gist(text):
    assert question_gist(text) == ""


def test_yes_is_a_task_where_the_agent_goes_to_work_then():
    assert not is_choice("yes", "Shall I restart it?", acts=True)
    assert is_choice("the first", LIST, acts=True)
    assert is_choice("drizzle", "Drizzle, or Prisma?", acts=True)


def test_the_gist_of_a_long_question_has_what_there_is_to_choose_from():
    rows = [f"{n}. {name} {'with many words ' * 12}" for n, name in ((1, "Kestrel"), (2, "Osprey"))]
    gist = question_gist("\n".join(("I looked at it.", *rows, "Which one shall I take?")))
    assert "Kestrel" in gist and "Osprey" in gist
    assert gist.endswith("Which one shall I take?")
    assert question_gist(gist)


def test_the_gist_of_a_long_message_is_its_end():
    gist = question_gist(f"{'A long story. ' * 40}Kestrel is ready. Shall I use it?")
    assert gist.endswith("Kestrel is ready. Shall I use it?")
    assert len(gist) <= GIST


@pytest.mark.parametrize(
    "text", [LIST, "Tea or coffee?", "Tee oder Kaffee?", "1. tea 2. milk: which?"]
)
def test_a_question_may_name_what_to_choose_from(text):
    assert offers_several(text)


def test_most_name_nothing():
    assert not offers_several("Shall I restart it?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should I run it at night?", "yes, but only on weekdays, nobody is around to help else"),
        ("Shall I open one merge request?", "god no. 400 lines is what a reader can stomach"),
        ("How much may I offer?", "ten percent, fifteen if they insist, that is the end of it"),
        ("The 7th or the 14th?", "the 14th, Jonas is at a wedding on the 7th"),
        ("gRPC or plain HTTP between them?", "HTTP with JSON. Boring wins"),
        ("Soll ich es nachts laufen lassen?", "ja, aber nur werktags, sonst ist keiner da"),
    ],
)
def test_an_answer_may_begin_with_a_choice_and_say_more(question, answer):
    assert is_choice(answer, question)
    assert not is_choice(answer, question, acts=True) or offers_several(question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should I run it?", "yes, and fix the documentation as well, the last part is wrong"),
        ("What is your id?", "Sure, it is the one that I gave you, mia_li_3668"),
        ("May I have your reservation id?", "I'm sorry, but I don't have my reservation id here"),
        ("Should I run it?", "Never at night, that wakes all of them"),  # its wording tells it
    ],
)
def test_but_none_that_asks_for_something_or_tells_what_was_asked(question, answer):
    assert not is_choice(answer, question)


SPLIT = (
    "I tried both ways to lock it, one gave twice as many jobs. So the worker skips locked rows."
)


@pytest.mark.parametrize(
    "answer", ["impressive", "makes sense", "fine by me", "soll mir recht sein"]
)
def test_who_only_agrees_is_told_with_what_they_agree_to(answer):
    assert answered_gist(SPLIT, answer) == SPLIT
    assert answered_gist(SPLIT, answer, acts=True) == SPLIT


@pytest.mark.parametrize(
    "answer",
    ["thank you", "Make it three.", "Never skip rows.", "and the queue?", "it is order X-19"],
)
def test_who_thanks_asks_or_lays_something_down_does_not(answer):
    assert not agrees(answer, SPLIT)


def test_what_has_words_of_a_report_is_a_task_where_the_agent_goes_to_work_then():
    assert agrees("a bit slower, that worker", SPLIT)
    assert not agrees("a bit slower, that worker", SPLIT, acts=True)


def test_a_report_or_what_says_that_something_was_heard_is_nothing_to_agree_to():
    assert reported_gist("Understood.") == reported_gist(f"{SPLIT} " * 5) == ""


def test_few_words_may_offer_several_things():
    assert answered_gist("I can order from Rossi or from Bianchi.", "from the second one")
    assert not answered_gist("It is a taste of Sonoma.", "sounds great")


def test_a_number_chooses_of_rows_also_where_nobody_asks():
    rows = "We could 1) keep it in the old store or 2) move it to a column. I'd lean to 2."
    assert answered_gist(rows, "2, and drop the index")
    assert not answered_gist(rows, "2, and drop the index", acts=True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Shall I set up the connector?", "Hm, no. Let's load the files by hand until June."),
        ("Would the other agency suit you?", "I'd rather not, use the consulate directly."),
        ("May I drop the old view and point them to the new one?", "ok but wait till Friday"),
        ("Shall I measure it after three days?", "only if it stays under 80, otherwise after two"),
        ("The shop has deep plates in stock, or flat ones in May.", "go with the ones in stock"),
    ],
)
def test_what_was_only_heard_may_say_anything_of_what_was_asked(question, answer):
    assert answered_gist(question, answer, is_heard=True) == question
    assert not answered_gist(question, answer)
    assert not answered_gist(question, answer, acts=True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Anything else?", "No flights before eight, I have children."),
        ("Anything else?", "Don't use the pool for it, others need that."),
        ("Anything else?", "From now on never touch the file app.cfg."),
        ("Anything else?", "Our plant in Graz closes at five."),
        ("Which reservation would you like to change?", "Start the study of prices"),
        ("Shall I run it?", "no, what does it do?"),
        ("I split the table in two, one for each year.", "Never skip rows."),
    ],
)
def test_what_says_nothing_of_it_stands_by_itself(question, answer):
    assert not answered_gist(question, answer, is_heard=True)


@pytest.mark.parametrize(
    "answer", ["Ok.", "By hand then.", "I'll wait.", "Fine, I won't.", "Right.", "Verstanden."]
)
def test_few_words_may_say_that_something_was_heard(answer):
    assert only_hears(answer)


@pytest.mark.parametrize(
    "answer",
    ["On it.", "Done.", "Will do.", "Which one?", "I'll book it.", "Sent it to all of them.", ""],
)
def test_what_begins_or_ends_work_says_more(answer):
    assert not only_hears(answer)


@pytest.mark.parametrize("answer", ["take it", "do that", "Book it then", "I like the former"])
def test_what_asks_for_nothing_but_what_was_told_agrees(answer):
    told = "Closest is the inn at the bridge, ten minutes on foot, 189 a night."
    assert answered_gist(told, answer) == told
    assert not answered_gist(told, answer, acts=True)


@pytest.mark.parametrize("answer", ["book a table for nine", "take the tram home"])
def test_what_names_what_it_asks_for_does_not(answer):
    assert not agrees(answer, "Closest is the inn at the bridge, ten minutes on foot, 189 a night.")


@pytest.mark.parametrize(
    "answer",
    [
        "Start the elasticity study 'Perla'",
        "order limousines for Friday",
        "find a cheap hotel there",
    ],
)
def test_a_task_of_other_words_answers_no_question(answer):
    assert not is_choice(answer, "Could you tell me which reservation you mean?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Should the beds be covered by two people or three?",
            "Three, with one senior. Actually make it two, we won't get the third.",
        ),
        (
            "It costs 1,900 a month more.",
            "Mm. That's more than I thought, but fine, we'll have it.",
        ),
    ],
)
def test_an_answer_may_take_itself_back_or_agree_at_its_end(question, answer):
    assert answered_gist(question, answer, is_heard=True)


def test_a_task_of_other_words_chooses_of_nothing_that_is_offered():
    question = "Would you like a window seat or an aisle seat?"
    assert not answered_gist(question, "Get the Norwood posters printed.", is_heard=True)
