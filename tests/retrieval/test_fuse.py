"""Two scorings as one, with numpy and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.fuse import by_rank, by_rank_arrays, fused, fused_arrays

scores = st.integers(-1_000_000, 1_000_000)
pairs = st.lists(st.tuples(st.integers(0, 1_000_000), scores), min_size=1, max_size=30)


@given(pairs, st.sampled_from([0.0, 0.4, 1.0]))
def test_arrays_give_the_same_scores(pairs, alpha):
    np = pytest.importorskip("numpy")
    one, other = [list(each) for each in zip(*pairs, strict=True)]
    arrays = np.array(one, dtype="int64"), np.array(other, dtype="int64")
    assert fused_arrays(*arrays, alpha).tolist() == fused(one, other, alpha)
    assert by_rank_arrays(*arrays).tolist() == by_rank(one, other)


def test_a_text_without_the_words_has_no_rank():
    assert by_rank([0, 0, 5], [9, 0, 1])[1] == 0
    assert by_rank([0, 0, 5], [9, 0, 1])[2] > by_rank([0, 0, 5], [9, 0, 1])[0]
    assert by_rank() == []
