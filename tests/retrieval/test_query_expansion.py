"""Other ways to ask, without a model."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.query_expansion import MOST, names, variants


def test_the_names_of_a_question():
    query = "Why did Caroline change src/app/main.py and `parse_order` for order A17 in New York?"
    assert names(query) == ["Caroline", "src/app/main.py", "parse_order", "A17", "New York"]


def test_a_question_of_two_parts_is_asked_in_parts():
    found = variants("Which hotel did Maria book, and what did the flight to Lisbon cost?")
    assert "hotel maria book" in found
    assert "flight lisbon cost" in found


def test_a_question_that_is_all_content_has_no_other():
    assert variants("refund") == []
    assert variants("") == []


@given(st.text(max_size=200))
def test_variants_are_few_different_and_none_is_the_question(query):
    found = variants(query)
    assert len(found) == len(set(found)) <= MOST
    assert query not in found
    assert all(text.strip() for text in found)
    assert variants(query) == found
