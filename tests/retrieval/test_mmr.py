"""The same selection as the textbook's, faster."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.mmr import by_likeness, by_vectors, by_words


def textbook(scores, like, k, trust):
    chosen = []
    while len(chosen) < min(k, len(scores)):
        best, most = None, None
        for place in range(len(scores)):
            if place in chosen:
                continue
            nearest = max([like(place, other) for other in chosen], default=0.0)
            worth = trust * scores[place] - (1 - trust) * max(nearest, 0.0)
            if most is None or worth > most:
                best, most = place, worth
        chosen.append(best)
    return chosen


def jaccard(one, other):
    return len(one & other) / len(one | other) if one & other else 0.0


texts = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=5), max_size=14)
trusts = st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0])


@given(texts, st.integers(0, 16), trusts, st.randoms())
def test_by_words_it_is_the_textbooks_selection(sets, k, trust, dice):
    scores = [dice.choice([0.1, 0.25, 0.5, 1.0]) for _ in sets]
    expected = textbook(scores, lambda a, b: jaccard(sets[a], sets[b]), k, trust)
    assert by_words(scores, sets, k, trust) == expected


@given(st.integers(0, 25), st.integers(0, 30), trusts, st.integers(0, 1_000))
def test_by_vectors_it_is_the_textbooks_selection(n, k, trust, seed):
    np = pytest.importorskip("numpy")
    dice = np.random.default_rng(seed)
    # small whole numbers, so that no rounding decides
    vectors = dice.integers(-2, 3, size=(n, 4)).astype("float32")
    scores = dice.integers(0, 9, size=n).astype("float64").tolist()
    expected = textbook(scores, lambda a, b: float(vectors[a] @ vectors[b]), k, trust)
    assert by_vectors(scores, vectors, k, trust) == expected


def test_all_trust_is_the_order_of_the_scores():
    assert by_words([0.2, 0.9, 0.5], [{"a"}, {"a"}, {"a"}], 3, 1.0) == [1, 2, 0]


def test_of_equals_the_earlier():
    assert by_likeness([1.0, 1.0, 1.0], lambda place: [0.0] * 3, 2, 0.5) == [0, 1]


def test_fifty_of_a_thousand_take_milliseconds():
    np = pytest.importorskip("numpy")
    vectors = np.random.default_rng(1).normal(size=(1_000, 256)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert len(by_vectors([0.5] * 1_000, vectors, 50)) == 50
        took.append(time.perf_counter() - start)
    assert min(took) < 0.005
