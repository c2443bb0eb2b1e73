"""Answers to tasks: one that was made for another series is of the task's own, and replays so."""

from msgspec.structs import replace

from contextwright.spec.task import Answers, Task, answer_to

SUMMARY = Task(kind="summary", source="the same words", series="decay", covers=3, whole="all of it")


def test_an_answer_to_the_same_words_is_of_the_series_that_asks():
    """A word's next request, and a replay, look for it there."""
    fit = replace(SUMMARY, series="fit")
    answers = Answers((answer_to(SUMMARY, "Parts were found.", "extractive"),))
    own = answers.get(fit)
    assert own == answer_to(fit, "Parts were found.", "extractive")
    assert answers.gives(own)
    assert [*Answers((own,)).newest("fit")] == [own]


def test_two_words_that_read_the_same_have_an_answer_each():
    """One did not stand in the other's place in a manifest."""
    both = [answer_to(replace(SUMMARY, series=one), "Parts.", "extractive") for one in "ab"]
    assert [*Answers(both)] == both
