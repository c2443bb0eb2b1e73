"""Pages of a text: exact slices that fit, and together all of it."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.line_matches import (
    LineRange,
    line_count,
    lines_in,
    matching_lines,
    read_range,
)
from contextwright.text.text_pages import pages_of
from contextwright.tokens.counter import counter_for

COUNT = counter_for("gpt-5").count
TEXTS = st.text(alphabet='ab \n\n0é漢🙂{":,', max_size=600)


@given(TEXTS, st.integers(8, 60))
def test_pages_are_all_of_a_text_and_each_fits(text, tokens):
    pages = pages_of(text, tokens, COUNT)
    slices = [pages.page(number) for number in range(1, len(pages) + 1)]
    assert "".join(slices) == text
    assert all(COUNT(one) <= tokens for one in slices)
    assert all(one for one in slices[1:])


def test_pages_end_at_lines_where_lines_fit():
    text = "\n".join(f"line {n} of many" for n in range(200))
    pages = pages_of(text, 50, COUNT)
    assert all(pages.page(n).endswith("\n") for n in range(1, len(pages)))


def test_a_line_that_is_longer_than_a_page_goes_on_in_the_next():
    pages = pages_of("x1 " * 400, 30, COUNT)
    assert len(pages) > 10


def test_ranges_are_read_as_people_write_them():
    assert read_range("10-40", 100) == LineRange(10, 40)
    assert read_range(" 10 .. 400 ", 100) == LineRange(10, 100)
    assert read_range("90-", 100) == LineRange(90, 100)
    assert read_range("7", 100) == LineRange(7, 7)
    assert read_range("0-3", 100) == LineRange(1, 3)
    for wrong in ("", "a-b", "101", "40-10", "-", "1-2-3"):
        assert read_range(wrong, 100) is None


@given(st.lists(st.text(alphabet="ab ", max_size=5), min_size=1, max_size=30), st.data())
def test_lines_are_the_lines_as_they_stand(lines, data):
    text = "\n".join(lines)
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    assert line_count(text) == len(lines)
    assert lines_in(text, LineRange(first, last)) == "\n".join(lines[first - 1 : last])


def find_b(line):
    return ((at, at + 1) for at, char in enumerate(line) if char == "b")


def test_matches_come_with_their_numbers_and_long_lines_with_what_is_around():
    text = "a\nb one\n" + "a" * 1000 + "b" + "a" * 1000 + "\nc"
    shown, matched = matching_lines(text, find_b, LineRange(1, 4))
    first, second = shown.split("\n")
    assert (first, matched) == ("2: b one", 2)
    assert second.startswith("3, character 880: …a") and second.endswith("a…")
    assert len(second) < 450


def test_matches_side_by_side_are_shown_once():
    shown, matched = matching_lines("b" * 600, find_b, LineRange(1, 1))
    passages = [line.partition(": ")[2].strip("…") for line in shown.split("\n")]
    assert "".join(passages) == "b" * 600
    assert matched == 1
