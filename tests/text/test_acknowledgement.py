"""An answer that only says that something was heard says that it was no task."""

import pytest

from contextwright.text import acknowledgement
from contextwright.text.acknowledgement import MAX_ANSWER, acknowledges, is_passed_over, may_hold

STATEMENT = (
    "We are on the staging database, amounts in euros, no deploys on Fridays, item7x goes last."
)


@pytest.mark.parametrize(
    "answer",
    [
        "Understood.",
        "OK.",
        "Okay noted",
        "Got it, thanks.",
        "Sure thing!",
        "Noted — I'll keep that in mind.",
        "Understood, I won't touch it.",
        "Will do.",
        "I will take that into account.",
        "Thanks for letting me know, I'll remember it.",
        "Okay, I have noted that.",
        "Acknowledged: item7x.",
        "Got it: no deploys on Fridays.",
        "OK, using the staging database.",
        "Great, thanks for clarifying.",
        "Verstanden.",
        "D\u2019accord.",
        "了解しました。",
    ],
)
def test_what_only_says_that_it_was_heard(answer):
    assert acknowledges(answer, STATEMENT)


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Unser Werk in Graz schließt um fünf.", "Alles klar, das merke ich mir."),
        ("app.cfg bleibt tabu.", "Verstanden, ich fasse die Datei nicht an."),
        ("Notre usine ferme à cinq heures.", "C'est noté, je le garde en tête."),
        ("Nuestra planta cierra a las cinco.", "Entendido, lo tendré en cuenta."),
        ("Nossa fábrica fecha às cinco.", "Anotado, vou levar isso em conta."),
        ("Нашу линию закрывают в пять.", "Понял, учту."),
        ("我们的工厂五点关门。", "好的，我记住了。"),
        ("工場は五時に閉まります。", "承知しました。覚えておきます。"),
        ("공장은 다섯 시에 닫습니다.", "알겠습니다. 기억하겠습니다."),
    ],
)
def test_in_other_languages_too(statement, answer):
    assert acknowledges(answer, statement)


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Lösch bitte die alten Dateien.", "Alles klar, die Dateien sind gelöscht."),
        ("Supprime les vieux fichiers.", "D'accord, les fichiers sont supprimés."),
        ("把旧文件删掉。", "好的，已经删除了。"),
        ("古いファイルを消してください。", "了解しました。削除しました。"),
        ("Unser Werk in Graz schließt um fünf.", "Verstanden. Welches Werk?"),
        ("我们的工厂五点关门。", "好的，哪个工厂？"),
    ],
)
def test_there_what_tells_of_work_or_asks_is_none(statement, answer):
    assert not acknowledges(answer, statement)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Done.",
        "item7x is done.",
        "Started with item7x.",
        "Sure, running them now.",
        "Okay, let me check.",
        "OK, the tests pass.",
        "OK, I've pushed the deploys.",
        "Sure! How can I help?",
        "I'll remember that, but which database?",
        "Certainly, I'll book that flight.",
        "Understood. I have cancelled your reservation.",
        "Of course! Could you share the id?",
        "I see the problem: the index is off by one.",
        "Great, the report is ready.",
        "Okay. Please confirm.",
        "Great! The staging database and the amounts…",
        "Understood. " + "The staging database has amounts in euros. " * 5,
    ],
)
def test_what_says_more(answer):
    assert not acknowledges(answer, STATEMENT)


def test_an_answer_of_some_length_says_more():
    assert not acknowledges("Understood, " + "very " * MAX_ANSWER, STATEMENT)


@pytest.mark.parametrize(
    ("statement", "is_worth_it"),
    [
        ("The second draft was better, keep that one.", True),
        ("Terraform wins over Pulumi.", True),
        ("I use a screen reader.", True),
        ("Thanks a lot for your help!", False),
        ("Great, thank you so much", False),
        ("Is the second draft better?", False),
        ("ok", False),
        ("A page of a manual. " * 20, False),
    ],
)
def test_what_may_hold(statement, is_worth_it):
    assert may_hold(statement) is is_worth_it


WORK = ("Let me read the next file.", '{"path": "dir/f7.py"}', "It holds the parser.")


@pytest.mark.parametrize(
    "statement",
    [
        "Line length is 96 in gauge.c",
        "exit codes: E9xxx for disks, E9044 = short write",
        "ADR-12: adopt the event bus heron-4",
        "Right: only the night shift has keys to hall 4, remember.",
    ],
)
def test_nothing_comes_of_what_no_word_is_taken_up_of(statement):
    assert is_passed_over(statement, WORK)
    assert is_passed_over(statement, ())
    assert not is_passed_over(statement, (*WORK, statement))
    assert not is_passed_over(statement, WORK, (statement,))


@pytest.mark.parametrize(
    "statement",
    [
        "Add retries to the loader of hall 4.",
        "What is the line length in gauge.c?",
        "Yes, that sounds good to me.",
        "Thank you so much for your help, that's all for today.",
        "OK thanks.",
    ],
)
def test_what_asks_thanks_or_agrees_is_not_passed_over(statement):
    assert not is_passed_over(statement, WORK)


def test_the_words_of_a_task_are_looked_at_once(monkeypatch):
    looked_at, words_of = list[str](), acknowledgement._telling_words
    monkeypatch.setattr(
        acknowledgement, "_telling_words", lambda one: looked_at.append(one) or words_of(one)
    )
    assert not is_passed_over("Tell me what the parser of hall 4 holds.", WORK)
    assert len(looked_at) == 1


def test_only_the_beginning_says_that_something_was_heard():
    statement = "Line length is 96 in gauge.c"
    assert not acknowledges("It is 96. Understood.", statement)
    assert not acknowledges("All of it, and I'll remember that.", statement)


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("frostboss gets 3 phases. final answer", "3 phases."),
        ("Anything above 40 euros goes through Ines first.", "To Ines first, yes."),
        ("damage of the lance is 25", "25, ok."),
        ("Dr. Amsel hates being phoned before nine.", "Good to know."),
    ],
)
def test_a_part_of_it_said_again_says_that_it_was_heard(statement, answer):
    assert acknowledges(answer, statement)


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Print the list for ward 7.", "The list for ward 7."),
        ("damage of the lance is 25", "25?"),
        ("damage of the lance is 25", "I changed the lance."),
        ("Weigh crate 11.", "It is 11."),
    ],
)
def test_of_a_task_or_with_more_it_does_not(statement, answer):
    assert not acknowledges(answer, statement)
