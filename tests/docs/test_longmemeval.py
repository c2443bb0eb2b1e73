"""LongMemEval's scores, on a sample made by hand in its format."""

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.longmemeval import instances, recalled, tables

ROOT = Path(__file__).parents[2]
SAMPLE = "tests/data/longmemeval.json"
"""Six questions, as a published file has them: one about what never was, one that only an
assistant's turn answers."""


def turn(role, content, **rest):
    return {"role": role, "content": content, **rest}


ROW = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "What is the name of my parrot?",
    "question_date": "2023/05/30 (Tue) 23:40",
    "answer": "Kiwi",
    "haystack_session_ids": ["s1", "answer_2"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
    "haystack_sessions": [
        [turn("user", "Which wood burns longest in a stove?"), turn("assistant", "Oak.")],
        [
            turn("user", "How long do birds live?"),
            turn("assistant", "It depends. A parrot lives long."),
            turn("user", "My parrot has the name Kiwi and is four.", has_answer=True),
        ],
    ],
    "answer_session_ids": ["answer_2"],
}
ABSENT = {**ROW, "question_id": "q2_abs"}


@pytest.mark.parametrize(
    ("level", "ids", "gold"),
    [
        ("turn", ["s1_1", "answer_2_1", "answer_2_3"], {"answer_2_3"}),
        ("session", ["s1", "answer_2"], {"answer_2"}),
    ],
)
def test_what_the_user_said_is_searched_and_what_never_was_is_not_asked(level, ids, gold):
    (one,) = instances([ROW, ABSENT], level)
    assert [item.id for item in one.items] == ids
    assert one.gold == gold


def test_scores_are_longmemevals():
    (one,) = instances([ROW], "turn")
    first, second, third = one.items
    assert recalled([third], one.gold)[:3] == (1, 1, 1)
    assert recalled([first, third], one.gold)[:3] == (
        1,
        1,
        1,
    )  # its second place counts as the first
    assert recalled([first, second], one.gold)[:3] == (0, 0, 0)
    both = frozenset({"answer_2_1", "answer_2_3"})
    some = recalled([first, second], both)
    assert (some.any, some.all, some.ndcg) == (1, 0, 0.5)
    assert some.tokens > 10


def test_what_was_not_found_does_not_make_an_early_place_better():
    (one,) = instances([ROW], "turn")
    both = frozenset({"answer_2_1", "answer_2_3"})
    assert recalled([one.items[1]], both, 10).ndcg == 0.5  # two of ten could have been there
    assert recalled([one.items[1]], both, 1).ndcg == 1


def test_the_page_shows_what_a_file_in_its_format_comes_to():
    command = [sys.executable, "-m", "benchmarks.longmemeval", SAMPLE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith("4 questions\n")
    assert done.stdout in (ROOT / "docs/how-to/evaluate.md").read_text()


def test_tokens_stand_beside_each_score():
    lines = list(tables(list(instances([ROW], "turn"))))
    assert "| BM25 | 1 | 1.000 | 1.000 | 1.000 |" in lines[3]
    assert lines[-1].startswith("| 8,000 | 1.000 | 1.000 |")
