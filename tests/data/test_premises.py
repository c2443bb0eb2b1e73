"""Premise checks on real conversations: a little under what was measured. Rules were made with
these files in sight: this guards against a step back, it is no independent test."""

import pytest
from benchmarks.premises import Judged, flagged, invalid, locomo, ordinary, scores

pytestmark = pytest.mark.slow  # all of LoCoMo's questions


@pytest.fixture(scope="module")
def judgements(read_rows) -> list[Judged]:
    return locomo(read_rows("locomo"))


def test_questions_about_the_other_speaker_are_found(judgements):
    """Flag everything: precision .24. Measured: .75 of .62."""
    for half in (0, 1):
        found = scores([one for one in judgements if one.place % 2 == half], flagged)
        assert found.precision > 0.7
        assert found.recall > 0.55


def test_a_question_that_has_an_answer_is_seldom_called_wrong(judgements):
    """`invalid` takes a contradiction: measured 0 of 762."""
    judged = [one for one in judgements if not one.wrong]
    assert sum(map(invalid, judged)) < 0.005 * len(judged)
    assert sum(map(flagged, judged)) < 0.1 * len(judged)


def test_what_users_say_to_agents_is_hardly_ever_called_wrong(data_dir, monkeypatch):
    monkeypatch.setattr("benchmarks.premises.DATA", data_dir)
    for name in ("tau_bench_airline", "tooltalk"):
        _, _, asked, premises, _, _, wrong, _ = ordinary(name).split("|")
        assert int(asked) > int(premises)
        assert int(wrong) <= 1
