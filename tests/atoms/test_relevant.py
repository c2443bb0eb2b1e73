"""`C.relevant`: which blocks are its best, and that finding them asks only once of each."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.atoms.select.relevant import best_places

SCORES = st.lists(st.integers(0, 5) | st.integers(), max_size=60)


@given(SCORES, st.integers(1, 70))
def test_the_best_places_are_those_of_a_whole_sort(scores, count):
    whole = sorted(range(len(scores)), key=lambda place: (scores[place], place), reverse=True)
    assert best_places(scores, count) == whole[:count]


class Score(int):
    """A score that counts how often it is compared."""

    compared = 0

    def __gt__(self, other):
        Score.compared += 1
        return int(self) > int(other)

    def __lt__(self, other):
        Score.compared += 1
        return int(self) < int(other)


def test_many_equal_scores_are_compared_once_or_twice_each():
    Score.compared = 0
    assert best_places([Score(0) for _ in range(10_000)], 5) == [9_999, 9_998, 9_997, 9_996, 9_995]
    assert Score.compared < 3 * 10_000
