"""Long texts in parts of whole lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.line_parts import line_parts


def words(text):
    return len(text.split())


def parts_of(text, starts):
    lines = text.split("\n")
    bounds = pairwise([*starts, len(lines) + 1])
    return ["\n".join(lines[first - 1 : stop - 1]) for first, stop in bounds]


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=120),
    st.integers(10, 60),
)
def test_parts_are_all_of_it_and_none_is_larger_than_asked_for(sizes, most):
    text = "\n".join("a " * size for size in sizes)
    starts = line_parts(text, most, words, 200)
    parts = parts_of(text, starts)
    if starts:
        assert "\n".join(parts) == text
        assert max(map(words, parts)) <= most


def test_parts_are_of_about_one_size():
    text = "\n".join(f"row {n} of it" for n in range(100))
    starts = line_parts(text, 150, words, 8)
    assert [words(part) for part in parts_of(text, starts)] == [136, 132, 132]


def test_what_is_more_than_can_be_named_is_in_the_last_part():
    text = "\n".join(f"row {n} of it" for n in range(100))
    starts = line_parts(text, 20, words, 3)
    first, second, rest = parts_of(text, starts)
    assert words(first) <= 20 and words(second) <= 20 and words(rest) > 300


@pytest.mark.parametrize("text", ["a " * 500, "x\n" + "a " * 500 + "\ny"])
def test_a_line_that_is_longer_than_a_part_has_none(text):
    assert line_parts(text, 50, words, 8) == ()
