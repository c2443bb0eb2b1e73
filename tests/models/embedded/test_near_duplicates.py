"""Texts that say the same are found with few comparisons."""

from tests.work_counts import function_calls

from contextwright.memo.ownership import remembering
from contextwright.models.embedded import near_duplicates
from contextwright.models.embedded.near_duplicates import Distinct
from contextwright.spec.memo import Memo
from contextwright.text.search_terms import every_stem, stem, words


def test_texts_whose_numbers_differ_are_not_compared(monkeypatch):
    compared, alike = [], near_duplicates.alike
    monkeypatch.setattr(near_duplicates, "alike", lambda a, b: compared.append(1) or alike(a, b))
    booked = [f"Ann: the flight HAT{n} to Boston is booked for two people." for n in range(60)]
    distinct = Distinct([*booked, booked[7] + " ", "Ann: the flight to Boston is booked."])
    assert len(distinct.texts) == 61
    assert len(compared) == 1  # with the one that has the same number


def test_the_first_that_says_the_same_is_the_last_that_is_compared(monkeypatch):
    compared, alike = [], near_duplicates.alike
    monkeypatch.setattr(near_duplicates, "alike", lambda a, b: compared.append(1) or alike(a, b))
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
