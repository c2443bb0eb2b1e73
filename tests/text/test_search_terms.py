"""Runs of letters and digits, by one look-up of each sign where a text is ASCII."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.search_terms import WORD_RUN, runs_of


@given(st.text(alphabet=st.characters(max_codepoint=300)))
def test_runs_are_those_of_the_expression(text):
    assert runs_of(text) == WORD_RUN.findall(text)


@pytest.mark.parametrize("sign", map(chr, range(128)))
def test_each_sign_of_ascii_is_between_runs_or_in_one(sign):
    assert runs_of(f"a{sign}b") == WORD_RUN.findall(f"a{sign}b")
