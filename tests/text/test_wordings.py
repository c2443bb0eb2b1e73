"""What sentences are held against: a text in small letters, and its words."""

import re

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.wordings import small_text


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_words_are_the_runs_of_small_letters(text):
    small = small_text(text)
    assert small.words == set(re.findall("[a-z]+", small.text))
    assert small.text == text.casefold().replace("\u2019", "'")


def test_an_apostrophe_parts_words():
    small = small_text("Don\u2019t use: C3PO, ok?")
    assert small.text == "don't use: c3po, ok?"
    assert small.words == {"don", "t", "use", "c", "po", "ok"}
