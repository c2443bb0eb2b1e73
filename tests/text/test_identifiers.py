"""Identifiers are those of all expressions, though only those are looked for that may stand."""

import re

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import identifiers
from contextwright.text.identifiers import entities

PIECES = st.sampled_from(
    [
        "https://a.de/x?y=1", "a@b.co", "src/main.py", "C:\\dir\\f", "./run", "2026-01-02T10:00",
        "123e4567-e89b-12d3-a456-426614174000", "$ 12.50", "€9", "file.json", "A-17", "snake_case",
        "CamelCase", "ABC", '"in quotes"', "word", " ", "\n", "/", "@", ".", "-", "_", "é", ":",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=9).map("".join))
def test_what_may_not_stand_in_a_text_is_not_in_it(text: str) -> None:
    every = re.compile("|".join(one for _, one in identifiers._ENTITIES))
    found = [match[0].strip('"').rstrip(".,;:") for match in every.finditer(text)]
    assert entities(text) == tuple(dict.fromkeys(filter(None, found)))


def test_of_words_and_numbers_no_path_and_no_address_is_tried(monkeypatch) -> None:
    tried = []
    known = identifiers._entity
    monkeypatch.setattr(identifiers, "_entity", lambda *may: tried.append(may[1:]) or known(*may))
    assert entities("order 17 of SHOP") == ("17", "SHOP")
    signs = [signs for signs, _ in identifiers._ENTITIES]
    assert tried == [tuple(not one for one in signs)]
