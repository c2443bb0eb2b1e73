"""What an index finds, and that nothing but its items decides it."""

import sqlite3
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright.errors import StoreError
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.retriever import Retriever, StaticRetriever
from contextwright.stores import SQLiteMemory

TEXTS = {
    "a": "the refund of order A17 is late",
    "b": "an order of green tea",
    "c": "adopting a puppy from the shelter",
    "d": "getUserName() fails in src/app/main.py",
    "e": "le café de l'école est fermé",
    "f": "東京の天気は晴れ",
}


def index_of(texts, **options):
    index = Index(**options)
    index.add([Item(id, text) for id, text in texts.items()])
    return index


def ids(hits):
    return [hit.item.id for hit in hits]


words = st.lists(
    st.sampled_from(
        ["order", "refund", "tea", "puppy", "late", "green", "user", "name", "shelter", "main"]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)
collections = st.dictionaries(st.sampled_from("abcdefghijkl"), words, min_size=1, max_size=12)


def test_an_index_is_a_retriever_and_a_shelf():
    assert isinstance(Index(), Retriever)
    assert isinstance(Index(), StaticRetriever)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("refund for A17", "a"),
        ("adopting puppies", "c"),
        ("user name", "d"),
        ("src/app/main.py", "d"),
        ("ecole", "e"),
        ("ÉCOLE", "e"),
        ("東京の天気", "f"),
        ("buy tea", "b"),
    ],
)
def test_the_best_is_found(query, best):
    hits = index_of(TEXTS).search(query)
    assert ids(hits)[0] == best
    assert hits[0].score == 1_000_000


def test_a_synonym_finds_what_the_word_would_less_well():
    index = index_of({"a": "open the folder", "b": "open the directory", "c": "nothing at all"})
    hits = index.search("directory")
    assert ids(hits) == ["b", "a"]
    assert hits[1].score < hits[0].score / 2


def test_nothing_is_found_where_no_word_is_shared():
    assert index_of(TEXTS).search("xylophone") == []
    assert index_of(TEXTS).search("") == []
    assert Index().search("anything") == []
    assert index_of(TEXTS).search("order", 0) == []


def test_a_query_of_the_searchs_own_syntax_is_only_words():
    assert ids(index_of(TEXTS).search('refund" OR "tea NEAR(*) AND -x'))


def test_equals_go_by_id():
    index = index_of(dict.fromkeys("dbac", "the same words"))
    assert ids(index.search("same words")) == ["a", "b", "c", "d"]


def test_adding_an_id_again_replaces_it_where_it_stood():
    index = index_of(TEXTS)
    index.add([Item("a", "a parcel of books")])
    assert len(index) == len(TEXTS)
    assert ids(index.search("refund")) == []
    assert ids(index.search("parcel")) == ["a"]
    assert [item.id for item in index.items()] == list(TEXTS)


def test_only_the_kinds_asked_for():
    index = Index()
    index.add([Item("1", "green tea", "note"), Item("2", "green tea", "fact")])
    assert ids(index.search("tea", kinds=["fact"])) == ["2"]


@given(collections, words, st.randoms())
def test_the_order_of_adding_does_not_show(texts, query, dice):
    shuffled = list(texts.items())
    dice.shuffle(shuffled)
    one, other = index_of(texts), Index()
    for id, text in shuffled:
        other.add([Item(id, text)])
    for options in ({}, {"k": 3}):
        assert one.search(query, **options) == other.search(query, **options)
    assert one.scores(query, feedback=True) == other.scores(query, feedback=True)


@given(collections, collections, words)
def test_removing_undoes_adding(texts, others, query):
    index = index_of(texts)
    before = index.search(query, 20), index.scores(query, feedback=True)
    new = {f"new {id}": text for id, text in others.items()}
    index.add([Item(id, text) for id, text in new.items()])
    index.search(query)
    index.remove([*new, "never there"])
    assert (index.search(query, 20), index.scores(query, feedback=True)) == before


@settings(max_examples=25)
@given(collections, words, st.randoms())
def test_with_vectors_the_order_of_adding_does_not_show(texts, query, dice):
    from tests.retrieval.conftest import Letters

    pytest.importorskip("numpy")
    shuffled = list(texts.items())
    dice.shuffle(shuffled)
    for options in ({}, {"fusion": "rrf"}, {"mmr": 0.5}, {"expand": True}):
        one = index_of(texts, embedder=Letters(), **options)
        other = index_of(dict(shuffled), embedder=Letters(), **options)
        assert one.search(query) == other.search(query)


def test_vectors_find_what_shares_no_word(letters):
    pytest.importorskip("numpy")
    index = index_of(TEXTS, embedder=letters)
    assert ids(index.search("shelters puppies"))[0] == "c"
    assert ids(index.search("refnd ordr"))[0] in {"a", "b"}
    assert index.degraded == ""


def test_vectors_follow_what_is_added_and_removed(letters):
    pytest.importorskip("numpy")
    index = index_of({str(n): f"text number {n}" for n in range(600)}, embedder=letters)
    index.remove(str(n) for n in range(0, 600, 2))
    index.add([Item("1", "quite another")])
    fresh = {str(n): f"text number {n}" for n in range(1, 600, 2)} | {"1": "quite another"}
    assert index.search("another text", 400) == index_of(fresh, embedder=letters).search(
        "another text", 400
    )


def test_it_says_why_it_is_degraded(broken, letters):
    pytest.importorskip("numpy")
    assert Index().degraded == "no embedder: lexical only"
    assert Index(letters).degraded == ""
    index = index_of(TEXTS, embedder=broken)
    assert "no route to host" in index.degraded
    assert "lexical only" in index.degraded
    assert ids(index.search("refund")) == ["a"]


def test_without_numpy_it_is_lexical_and_says_so(letters, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    index = index_of(TEXTS, embedder=letters, mmr=0.5)
    assert index.degraded == "numpy is not installed: lexical only"
    assert ids(index.search("refund")) == ["a"]
    assert letters.asked == 0


def test_who_searches_by_words_needs_no_numpy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    index = index_of(TEXTS)
    assert ids(index.search("refund")) == ["a"]
    index.remove(["a"])
    memory = SQLiteMemory(tmp_path / "memory.db")
    memory.write("Likes tea", scope="u")
    assert len(memory.search("tea", scope="u")) == 1
    memory.erase_records(lambda one: one.scope == "u")
    assert memory.listed() == []


def test_a_reranker_has_the_last_word():
    index = index_of(TEXTS, rerank=lambda query, texts: [-len(text) for text in texts])
    assert ids(index.search("order")) == ["b", "a"]


def test_a_reranker_that_fails_is_left_out_and_named():
    def broken(query, texts):
        raise RuntimeError("out of memory")

    index = index_of(TEXTS, rerank=broken)
    assert ids(index.search("order")) == ids(index_of(TEXTS).search("order"))
    assert "out of memory" in index.degraded
    short = index_of(TEXTS, rerank=lambda query, texts: [])
    assert ids(short.search("order")) == ids(index_of(TEXTS).search("order"))
    assert "0 scores" in short.degraded


def test_diversity_takes_something_new_before_the_same_again():
    texts = {f"same {n}": "order of green tea for the office" for n in range(5)}
    texts["other"] = "the tea order was cancelled by finance after a long debate"
    plain = ids(index_of(texts).search("order tea", 2))
    diverse = ids(index_of(texts, mmr=0.5).search("order tea", 2))
    assert plain == ["same 0", "same 1"]
    assert diverse == ["same 0", "other"]


def test_expansion_by_the_user_is_searched_too():
    index = index_of(TEXTS, expand=lambda query: ["a puppy from the shelter"])
    assert ids(index.search("dog tea")) == ["b", "c"]


def test_an_expansion_that_fails_leaves_the_query_and_says_so():
    def broken(query):
        raise RuntimeError("no model")

    index = index_of(TEXTS, expand=broken)
    assert ids(index.search("tea")) == ["b"]
    assert "no model" in index.degraded


def test_items_that_got_no_vector_are_named(letters, broken):
    pytest.importorskip("numpy")
    works = letters.vectors
    index = index_of({"a": "green tea"}, embedder=letters)
    letters.vectors = broken.vectors
    index.add([Item("b", "black tea")])
    letters.vectors = works
    assert ids(index.search("tea")) != []
    assert index.degraded == "1 items have no vector: they are found by their words only"
    index.add([Item("b", "black tea")])
    assert index.degraded == ""


def test_earlier_questions_lend_their_words_with_less_weight():
    index = index_of({"a": "the price of tea", "b": "the price of coffee", "c": "on coffee"})
    assert "c" not in index.scores("what price?")
    found = index.scores("what price?", earlier=["tell me about coffee"])
    assert found["b"] > found["a"] > found["c"] > 0


def test_a_file_keeps_items_and_vectors(tmp_path, letters):
    pytest.importorskip("numpy")
    path = tmp_path / "index.db"
    first = index_of(TEXTS, embedder=letters, path=path)
    first.remove(["b"])
    expected = {query: first.search(query) for query in ("order refund", "école", "東京の天気")}
    first.close()
    asked = letters.asked
    second = Index(letters, path=path)
    assert letters.asked == asked, "vectors are read, not made again"
    assert {query: second.search(query) for query in expected} == expected
    second.add([Item("a", "a parcel")])
    second.remove(["c"])
    assert ids(Index(path=path).search("parcel refund puppy")) == ["a"]
    second.close()


@settings(max_examples=25)
@given(collections, words)
def test_a_file_opened_again_scores_as_before(tmp_path_factory, texts, query):
    path = tmp_path_factory.mktemp("index") / "index.db"
    first = index_of(texts, path=path)
    second = Index(path=path)
    assert second.search(query) == first.search(query)
    more = [Item("z", query), Item(next(iter(texts)), "late tea")]
    first.close()
    second.add(more)
    memory = index_of(texts)
    memory.add(more)
    assert second.search("late " + query) == memory.search("late " + query)
    second.close()


def test_a_file_that_is_no_index_is_refused(tmp_path):
    path = tmp_path / "index.db"
    path.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreError) as error:
        Index(path=path)
    assert str(path) in (error.value.where or "")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE item (name TEXT)")
    with pytest.raises(StoreError):
        Index(path=tmp_path / "other.db")


def test_threads_may_share_it():
    index = Index()
    failures = []

    def work(name):
        try:
            for n in range(50):
                index.add([Item(f"{name} {n}", f"order {n} of {name}")])
                index.search(f"order {n}")
                if n % 2:
                    index.remove([f"{name} {n}"])
        except (RuntimeError, KeyError, ValueError, sqlite3.Error) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(index) == 6 * 25
    assert len(index.search("order", 500)) == 150


def test_ten_thousand_items_are_searched_in_milliseconds():
    index = index_of({str(n): f"item {n} of lot {n % 97} in hall {n % 31}" for n in range(10_000)})
    took = []
    for n in range(20):
        start = time.perf_counter()
        index.add([Item(f"new {n}", f"item {n} of lot {n} brand new")])
        assert index.search(f"lot {n} new", 10)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.005


def test_one_id_alone_is_removed():
    index = index_of(TEXTS)
    index.remove("a")
    assert "a" not in {item.id for item in index.items()} and len(index) == len(TEXTS) - 1
