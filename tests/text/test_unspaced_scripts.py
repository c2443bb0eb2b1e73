"""Where no blanks stand between words, an id is told from the signs beside it."""

import pytest

from contextwright.compiler.steps.exchange_features import identifiers, ids_in
from contextwright.retrieval.features import names_in
from contextwright.text import end_sentences
from contextwright.text.identifiers import entities
from contextwright.text.unspaced_scripts import has_unspaced
from contextwright.traces.later_values import argument_terms, shows

GLUED = (
    "订单W-1234已发货",
    "注文W-1234は発送済みです",
    "주문 W-1234는 발송되었습니다",
    "คำสั่งซื้อW-1234จัดส่งแล้ว",
)


@pytest.mark.parametrize("text", GLUED)
def test_an_id_stands_by_itself(text):
    assert has_unspaced(text)
    assert identifiers(text) == ("W-1234",)
    assert "W-1234" in entities(text)
    assert "w-1234" in names_in(text)
    assert end_sentences.names_in(text) == {"w-1234"}


@pytest.mark.parametrize("text", GLUED)
def test_a_value_is_in_sight_beside_such_signs(text):
    assert shows(text, "W-1234")
    assert not shows(text, "W-123")


def test_words_of_an_argument_are_told_apart():
    assert argument_terms('{"query": "查询 订单W-1234的状态"}') == ("W-1234",)
    assert ids_in('["订单W-1234"]') == ("订单W-1234",)


def test_letters_with_marks_of_other_scripts_stay_in_a_word():
    assert not has_unspaced("größe_2")
    assert identifiers("die größe_2 hier") == ("größe_2",)
