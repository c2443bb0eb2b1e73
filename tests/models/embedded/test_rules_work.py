"""What the rules look at of many statements: they are asked of every sentence of a session."""

import re

from contextwright.models.embedded import field_rules, near_duplicates
from contextwright.models.embedded.near_duplicates import Distinct
from contextwright.models.embedded.statements import Statement

SCHEMA = '{"properties": {"intent": {"type": "string"}, "amounts": {"type": "number"}}}'


class CountedPattern:
    """A pattern that counts the texts that it was asked of."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.asked = pattern, 0

    def search(self, text: str) -> re.Match[str] | None:
        self.asked += 1
        return self.pattern.search(text)

    def sub(self, new: str, text: str) -> str:
        self.asked += 1
        return self.pattern.sub(new, text)


def test_a_field_asks_what_has_a_value_whether_it_is_one(monkeypatch):
    unsure, markup = CountedPattern(field_rules._UNSURE), CountedPattern(field_rules._MARKUP)
    monkeypatch.setattr(field_rules, "_UNSURE", unsure)
    monkeypatch.setattr(field_rules, "_MARKUP", markup)
    stated = [Statement("user", f"Order {n} came late.", n) for n in range(300)]
    stated.insert(7, Statement("user", "My intent is **a refund**.", 7))
    record = field_rules.record(SCHEMA, stated, {}, "")
    assert record["intent"] == "a refund"
    assert unsure.asked <= 2 and markup.asked == 1


def test_texts_are_compared_with_those_that_have_their_numbers(monkeypatch):
    compared: list[int] = []
    alike = near_duplicates.share_words
    monkeypatch.setattr(
        near_duplicates, "share_words", lambda one, other: compared.append(1) or alike(one, other)
    )
    texts = Distinct(f"The order {n} was sent to Ann today" for n in range(200))
    assert len(texts.texts) == 200 and not compared
    assert texts.add("The order 7 was sent to Ann today") == 7 and not compared
    assert texts.add("The order 7 was sent to Ann, today") == 7 and len(compared) == 1
