"""What identifies in a text, found by one expression that passes over words of small letters."""

import re

from hypothesis import given
from hypothesis import strategies as st

from contextwright.compiler.steps.exchange_features import identifiers

SIGNS = st.sampled_from("abcEFG019_./@#- ,:\u00e9\u00c9\n")


@given(st.text(SIGNS, max_size=60))
def test_identifiers_are_words_with_a_mark_inside_or_in_capitals(text):
    stripped = (word.strip(".-/") for word in re.findall(r"[\w./@#-]{3,}", text))
    expected = dict.fromkeys(
        word for word in stripped if word.isupper() or re.search(r"[\d_/.A-Z-]", word[1:])
    )
    assert identifiers(text) == tuple(expected)
