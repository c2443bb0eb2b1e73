"""The engine for large corpora is a retriever like any other."""

import sys

import pytest
from tests.retrieval.test_index import TEXTS, ids

from contextwright.errors import MissingExtra, SpecError, StoreError
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.retriever import Retriever
from contextwright.retrieval.tantivy_index import TantivyIndex
from contextwright.retrieval.token_budget import within

QUERIES = ("refund for A17", "adopting puppies", "user name", "ÉCOLE", "東京の天気", "buy tea")


@pytest.fixture
def index():
    pytest.importorskip("tantivy")
    index = TantivyIndex()
    index.add([Item(id, text, "note" if id < "c" else "fact") for id, text in TEXTS.items()])
    return index


def test_it_is_a_retriever_that_finds_what_an_index_finds(index):
    assert isinstance(index, Retriever)
    assert len(index) == len(TEXTS)
    other = Index()
    other.add([Item(id, text) for id, text in TEXTS.items()])
    for query in QUERIES:
        assert ids(index.search(query))[0] == ids(other.search(query))[0]
        assert index.search(query)[0].score == 1_000_000


def test_items_come_whole_and_only_of_the_kinds_asked_for(index):
    assert index.search("tea")[0].item == Item("b", TEXTS["b"], "note")
    assert index.search("tea", kinds=["fact"]) == []
    assert ids(index.search("puppy", kinds=["fact", "tool"])) == ["c"]


def test_an_id_put_in_again_replaces_its_item_and_what_is_removed_is_gone(index):
    index.add([Item("a", "a parcel")])
    assert ids(index.search("refund")) == []
    assert ids(index.search("parcel")) == ["a"]
    index.remove(["a", "never there"])
    assert ids(index.search("parcel")) == []
    assert len(index) == len(TEXTS) - 1
    index.remove("b")
    assert len(index) == len(TEXTS) - 2


def test_a_kind_alone_is_a_kind_and_what_is_no_item_is_named(index):
    assert ids(index.search("tea", kinds="note")) == ["b"]
    for mistake in (lambda: index.add(["tea"]), lambda: index.remove(5), lambda: index.search(5)):
        with pytest.raises(SpecError):
            mistake()


def test_nothing_is_found_where_no_word_but_stop_words_is_shared(index):
    assert index.search("the xylophone is in my house") == []
    assert index.search("") == []
    assert index.search("refund", 0) == []
    assert ids(index.search('refund" OR "tea NEAR(*) AND -x'))


def test_the_best_within_a_budget_come_from_it(index):
    found = within(index, "which tea order?", 5, lambda text: len(text.split()))
    assert [item.id for item in found] == ["b"]


def test_a_folder_keeps_items(tmp_path):
    pytest.importorskip("tantivy")
    first = TantivyIndex(tmp_path / "corpus")
    first.add([Item("a", "green tea")])
    with pytest.raises(StoreError):
        TantivyIndex(tmp_path / "corpus")
    del first
    assert ids(TantivyIndex(tmp_path / "corpus").search("tea")) == ["a"]


def test_without_tantivy_the_error_is_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtra) as error:
        TantivyIndex()
    assert "pip install 'contextwright[corpus]'" in str(error.value)
