"""What is the same in two sequences: pairs that do not cross, as many as can be told."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.formats.sequence_match import matches

SEQUENCES = st.lists(st.sampled_from("aabcdefgh"), max_size=14)


@given(SEQUENCES, SEQUENCES)
def test_pairs_are_equal_and_do_not_cross(one, other):
    pairs = matches(one, other)
    assert all(one[left] == other[right] for left, right in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in zip(pairs, pairs[1:], strict=False))


@given(SEQUENCES)
def test_a_sequence_is_all_of_itself(one):
    assert matches(one, one) == [(n, n) for n in range(len(one))]


@given(SEQUENCES, SEQUENCES, SEQUENCES)
def test_what_was_put_in_between_is_told(front, middle, back):
    """Items of their own that come up in the middle cost nothing of what stands around them."""
    own = [f"new {item}" for item in middle]
    pairs = matches(front + back, front + own + back)
    assert [left for left, _ in pairs] == list(range(len(front + back)))


def test_which_of_two_equal_items_is_missing_is_told_by_its_neighbours():
    assert matches(["ok", "a", "ok", "b"], ["a", "ok", "b"]) == [(1, 0), (2, 1), (3, 2)]


def test_what_repeats_without_end_is_not_weighed():
    pairs = matches(["x", *["ok"] * 3000, "y"], ["z", *["ok"] * 3001, "y"])
    assert pairs == [(3001, 3002)]
