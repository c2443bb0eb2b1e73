"""Runs of letters and digits, by one look-up of each sign where a text is ASCII."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.search_terms import WORD_RUN, runs_of, without_signs


@given(st.text(alphabet=st.characters(max_codepoint=300)))
def test_runs_are_those_of_the_expression(text):
    assert runs_of(text) == WORD_RUN.findall(text)


@pytest.mark.parametrize("sign", map(chr, range(128)))
def test_each_sign_of_ascii_is_between_runs_or_in_one(sign):
    assert runs_of(f"a{sign}b") == WORD_RUN.findall(f"a{sign}b")


@given(
    st.text(st.sampled_from("ab\u00e9 .-\u2013\u2018\u2019\u201c\u2026\u2192\u2193\uff21\u0301"))
)
def test_signs_that_are_no_part_of_a_word_are_in_no_run(text):
    assert WORD_RUN.findall(without_signs(text)) == WORD_RUN.findall(text)
    whole = normalize("NFKC", text)
    assert WORD_RUN.findall(normalize("NFKC", without_signs(text))) == WORD_RUN.findall(whole)


def test_a_line_of_a_call_is_told_as_one_in_ascii():
    assert without_signs("get(A-1) \u2192 open \u2026").isascii()
