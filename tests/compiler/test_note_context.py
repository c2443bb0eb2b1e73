"""What a user said stands in a note with what it goes on from, and with what came of it next; rules
that have no room of their own have a part of that of remarks."""

import pytest
from tests.compiler.test_note_choices import read_files, sent

from contextwright import C, Engine, Session

SPECS = [C.compaction(6_000), C.default() | C.budget(6_000), C.default() | C.fit(6_000)]
TOLD = (
    # a correction with what it corrects
    (("u", "damage of the hornbeam sword is 25"), ("a", "25, ok."), ("u", "actually make it 40")),
    # what an agent bade a user go on with
    (("u", "About the cover of Ravenna."), ("a", "Yes?"), ("u", "I'm giving it to Imogen.")),
    # a choice of what a user asked themselves
    (
        ("u", "What's our rate for Mowbray?"),
        ("a", "12 or 12.5 percent, depending on how you count freight."),
        ("u", "with freight, so 12.5"),
    ),
)


def filled(spec, turns, later=()):
    engine, session = Engine(spec, "gpt-5"), Session("s")
    session.user("Work through the files.")
    session.assistant("OK.")
    for who, text in turns:
        session.user(text) if who == "u" else session.assistant(text)
    read_files(session, engine, 0, 20)
    for who, text in later:
        session.user(text) if who == "u" else session.assistant(text)
    read_files(session, engine, 20, 70)
    return sent(engine, session)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
@pytest.mark.parametrize("turns", TOLD, ids=lambda turns: turns[-1][1])
def test_what_goes_on_from_something_is_told_with_it(spec, turns):
    text = filled(spec, (*turns, ("a", "Fine.")))
    assert turns[0][1] in text
    assert turns[-1][1] in text


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_what_is_done_by_a_choice_stands_behind_it(spec):
    turns = (
        ("u", "a dunning letter to Yarmouth, friendly tone"),
        ("a", 'Here it is: "We may have lost sight of each other..." Shall it go out?'),
        ("u", "yes, perfect"),
        ("a", "Consider it sent."),
    )
    text = filled(spec, turns)
    assert "yes, perfect" not in text or "Consider it sent." in text


@pytest.mark.parametrize("spec", SPECS, ids=repr)
@pytest.mark.parametrize(
    ("turns", "later"),
    [
        (
            (("u", "stonechat autosave still missing btw"), ("a", "I'll get to it.")),
            (("u", "yo"), ("a", "stonechat autosaves every 5 minutes since May.")),
        ),
        (
            (("u", "the valerian table must stay frozen"), ("a", "Frozen.")),
            (("u", "unfreeze valerian"), ("a", "Understood.")),
        ),
    ],
)
def test_what_was_begun_or_laid_down_stands_with_what_names_it_last(spec, turns, later):
    text = filled(spec, turns, later)
    news = next(one for _, one in later if {"stonechat", "valerian"} & {*one.split()})
    assert turns[0][1] not in text or news in text


@pytest.mark.parametrize("spec", SPECS, ids=repr)
@pytest.mark.parametrize(
    "turns",
    [
        (("u", "You must change the price of teasel7x to 9."), ("a", "Changed: teasel7x is 9.")),
        (
            ("u", "Find the phone of teasel7x."),
            ("a", "The phone of teasel7x is 555 0199."),
            ("u", "Actually the scale stands in the yard."),
            ("a", "OK."),
        ),
    ],
    ids=lambda turns: turns[0][1],
)
def test_what_was_asked_for_in_front_of_what_holds_stands_with_its_answer(spec, turns):
    text = filled(spec, turns)
    assert turns[0][1] not in text or turns[1][1] in text


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_task_of_one_word_behind_a_question_stands_with_what_came_of_it(spec):
    turns = (
        ("a", "Shall I cancel the trip (weather, illness, or other reasons)?"),
        ("u", "Weigh teasel7x."),
        ("a", "teasel7x weighs 300 kilos."),
    )
    text = filled(spec, turns)
    assert "Weigh teasel7x." not in text or "teasel7x weighs 300 kilos." in text


def test_rules_without_room_have_a_part_of_that_of_remarks():
    turns = []
    for n in range(90):
        turns += [("u", f"Never touch the old boxes of unit{n}x without a word."), ("a", "OK.")]
    text = filled(C.compaction(8_000), turns)
    assert sum(f"unit{n}x" in text for n in range(90)) > 70
