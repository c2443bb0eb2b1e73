"""LongMemEval's scores, on a sample made by hand in its format."""

import pytest
from benchmarks.longmemeval import instances, recalled, tables


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


def test_tokens_stand_beside_each_score():
    lines = list(tables(list(instances([ROW], "turn"))))
    assert "| BM25 | 1 | 1.000 | 1.000 | 1.000 |" in lines[3]
    assert lines[-1].startswith("| 8,000 | 1.000 | 1.000 |")
