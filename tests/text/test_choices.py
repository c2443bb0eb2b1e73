"""A short answer to what was asked is a choice, in whatever language, and is told with its question."""

import pytest

from contextwright.text.choices import GIST, is_choice, offers_several, question_gist

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
