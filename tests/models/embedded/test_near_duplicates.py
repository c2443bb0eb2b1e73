"""Texts that say the same are found with few comparisons."""

from hypothesis import given
from hypothesis import strategies as st
from tests.work_counts import function_calls

from contextwright.memo.ownership import remembering
from contextwright.models.embedded import near_duplicates
from contextwright.models.embedded.near_duplicates import Distinct
from contextwright.spec.memo import Memo
from contextwright.text.search_terms import every_stem, stem, words


def test_texts_whose_numbers_differ_are_not_compared(monkeypatch):
    compared, alike = [], near_duplicates.share_words
    monkeypatch.setattr(
        near_duplicates, "share_words", lambda a, b: compared.append(1) or alike(a, b)
    )
    booked = [f"Ann: the flight HAT{n} to Boston is booked for two people." for n in range(60)]
    distinct = Distinct([*booked, booked[7] + " ", "Ann: the flight to Boston is booked."])
    assert len(distinct.texts) == 61
    assert len(compared) == 1  # with the one that has the same number


def test_the_first_that_says_the_same_is_the_last_that_is_compared(monkeypatch):
    compared, alike = [], near_duplicates.share_words
    monkeypatch.setattr(
        near_duplicates, "share_words", lambda a, b: compared.append(1) or alike(a, b)
    )
    paid = ["The refund was paid to Ann on the card.", "To Ann the card was paid on the refund."]
    distinct = Distinct(paid)
    compared.clear()
    assert distinct.add(paid[0] + " ") == 0
    assert len(compared) == 1


def test_the_stems_of_known_words_are_looked_up_at_once():
    text = "The refunds of getUserName were booked twice, in boxes and cities."
    assert every_stem(text) == {stem(word) for word in words(text)}
    with remembering(Memo()):
        every_stem(text)
        assert function_calls(lambda: every_stem(text * 40), ("call",)) <= 4


def test_a_text_that_comes_again_is_kept_once_however_many_share_its_words():
    said = [f"the refund of the order {letter} was paid" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert Distinct([*said, *said]).texts == Distinct(said).texts


@given(st.integers(0, 400))
def test_sizes_are_told_apart_as_the_share_of_words_tells_them(words):
    least, most = near_duplicates._sizes_alike(words)
    for other in range(500):
        may_be = min(words, other) >= near_duplicates.ALIKE * max(words, other)
        assert may_be == (least <= other <= most)
