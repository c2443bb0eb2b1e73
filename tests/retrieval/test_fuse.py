"""Two scorings as one, with numpy and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.fuse import RANK, by_rank, fused, fused_arrays

scores = st.integers(-1_000_000, 1_000_000)
pairs = st.lists(st.tuples(st.integers(0, 1_000_000), scores), min_size=1, max_size=30)


@given(pairs, st.sampled_from([0.0, 0.4, 1.0]))
def test_arrays_give_the_same_scores(pairs, alpha):
    np = pytest.importorskip("numpy")
    one, other = [list(each) for each in zip(*pairs, strict=True)]
    arrays = np.array(one, dtype="int64"), np.array(other, dtype="int64")
    assert fused_arrays(*arrays, alpha).tolist() == fused(one, other, alpha)
    assert by_rank(*arrays).tolist() == ranked(one, other)


def ranked(*scorings):
    """Reciprocal rank fusion as the textbook writes it."""
    totals = [0.0] * len(scorings[0])
    for scores in scorings:
        places = {score: n for n, score in enumerate(sorted({*scores}, reverse=True), 1)}
        for place, score in enumerate(scores):
            if score > 0:
                totals[place] += 1 / (RANK + places[score])
    return [round(score / (len(scorings) / (RANK + 1)) * 1_000_000) for score in totals]


def test_a_text_without_the_words_has_no_rank():
    np = pytest.importorskip("numpy")
    both = by_rank(np.array([0, 0, 5]), np.array([9, 0, 1])).tolist()
    assert both[1] == 0
    assert both[2] > both[0]
