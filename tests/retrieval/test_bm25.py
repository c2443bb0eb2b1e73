"""The best of many rows are those that all rows together would give, at a fraction of the work."""

import random
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.work_counts import function_calls

from contextwright.retrieval import bm25, postings
from contextwright.retrieval.bm25 import BM25
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.postings import (
    LEVELS,
    Pool,
    Posting,
    code_of,
    mean_size,
    size_class,
)
from contextwright.retrieval.stems import Splitter, stems, stop_stems

MANY = 6_000


def texts(many, seed=1, words=400):
    dice = random.Random(seed)
    vocabulary = [f"word{n:03}x{'abc'[n % 3]}" for n in range(words)]
    zipf = [1 / (n + 4) for n in range(words)]
    return [" ".join(dice.choices(vocabulary, zipf, k=dice.randrange(4, 60))) for _ in range(many)]


@pytest.fixture(scope="module")
def many():
    """Rows, and their words."""
    rows = BM25()
    each = [text.split() for text in texts(MANY)]
    for row, terms in enumerate(each):
        rows.add(row, terms, len(terms))
    return rows, each


def queries(each, many=30, seed=2):
    dice = random.Random(seed)
    found = []
    while len(found) < many:
        row = dice.randrange(len(each))
        words = sorted(set(each[row]))
        if len(words) >= 6:
            found.append(dice.sample(words, 6))
    return found


def test_the_best_of_many_are_those_of_all(many, monkeypatch):
    rows, each = many
    shared = 0
    for words in queries(each):
        weights = dict.fromkeys(words, 1.0)
        roughly = rows.best(weights, 10)
        with monkeypatch.context() as patch:
            patch.setattr(bm25, "FEW", 10**9)
            exactly = rows.best(weights, 10)
        shared += sum(1 for found in list(roughly)[:10] if found in exactly)
        assert all(score == exactly[found] for found, score in roughly.items() if found in exactly)
    assert shared >= 0.97 * 300


def test_few_of_many_rows_are_scored(many, monkeypatch):
    rows, each = many
    scored = []
    codes_of = Posting.codes_of

    def counted(posting, pool):
        scored.append(len(pool.rows))
        return codes_of(posting, pool)

    monkeypatch.setattr(Posting, "codes_of", counted)
    for words in queries(each):
        rows.best(dict.fromkeys(words, 1.0), 10)
    assert sorted(scored)[len(scored) // 2] <= 2 * bm25.POOL
    assert max(scored) < MANY / 20


def test_a_row_put_in_is_found_at_once_and_only_its_bits_are_new(many, monkeypatch):
    rows, _ = many
    weights = {"word000xa": 1.0, "word001xb": 1.0, "word002xc": 1.0}
    rows.best(weights, 3)
    joined = []
    join = postings._join

    def counted(levels, new, codes):
        joined.append(len(new))
        join(levels, new, codes)

    monkeypatch.setattr(postings, "_join", counted)
    rows.add(MANY, [*weights, *weights, *weights], 9)
    try:
        assert MANY in rows.best(weights, 3)
        assert sum(joined) <= 3 + 1 + postings.PENDING
    finally:
        rows.remove(MANY, list(weights))
    assert MANY not in rows.best(weights, 3)


small = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=9), min_size=1, max_size=30)


@given(small, st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=5), st.integers(1, 8))
def test_the_best_are_the_best_of_all_scores(each, query, k):
    rows = BM25()
    for row, terms in enumerate(each):
        rows.add(row, terms, len(terms))
    weights = dict.fromkeys(query, 1.0)
    every = rows.scores(weights)
    best = rows.best(weights, k)
    assert best.items() <= every.items()
    least = sorted(every.values(), reverse=True)[:k]
    assert sorted(best.values(), reverse=True)[:k] == least


@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 9)), max_size=80), st.data())
def test_the_bits_of_a_posting_follow_its_rows(changes, data):
    posting, there = Posting(), {}
    for row, times in changes:
        if row in there:
            posting.remove(row)
            del there[row]
        elif times:
            posting.put(row, code_of(times, 5))
            there[row] = times
        if data.draw(st.booleans()):
            posting.levels(data.draw(st.sampled_from([0, 10**9])))
    expected = [sum(1 << row for row, times in there.items() if times >= least) for least in LEVELS]
    assert posting.levels(0) == expected
    assert posting.levels(10**9) == expected
    assert list(posting.rows) == sorted(there)
    codes = {row: code_of(times, 5) for row, times in there.items()}
    some = data.draw(st.lists(st.integers(0, 700), unique=True).map(sorted))
    once = [code_of(1, 5)] * len(some)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "FEW", data.draw(st.sampled_from([0, postings.FEW])))
        for is_rough in (False, True):
            expected = {place: codes[row] for place, row in enumerate(some) if row in codes}
            pool = Pool(some, once, is_rough=is_rough)
            assert dict(posting.codes_of(pool)) == expected


def test_times_and_lengths_are_held_up_to_a_limit():
    assert code_of(3, 40) == 3 << postings.TIMES | 40
    assert code_of(10**6, 10**6) == postings.MOST << postings.TIMES | postings.MOST
    assert [size_class(size) for size in range(9)] == list(range(9))
    for size in (9, 15, 16, 100, 1_000, 30_000):
        assert abs(mean_size(size_class(size)) / size - 1) < 0.15


@given(st.lists(st.text(max_size=60), max_size=4))
def test_an_index_splits_texts_as_queries_are_split(texts_of_index):
    splitter = Splitter()
    for text in [*texts_of_index, *map(str.swapcase, texts_of_index), "to be", "getUserName it's"]:
        telling, stops = splitter.split(text)
        assert tuple(telling) == stems(text)
        assert list(stops) == stop_stems(text)


PHRASES = {
    "this": "I was at home with my sister",
    "that": "Who has been at home to help you?",
    "help": "help at home",
    "none": "before I was there with you, Ann",
}


def index_of(items, **options):
    index = Index(**options)
    index.add([Item(id, text) for id, text in items.items()])
    return index


def ids(hits):
    return [hit.item.id for hit in hits]


def test_stop_words_tell_texts_apart_that_have_all_other_words():
    index = index_of(PHRASES)
    assert ids(index.search("Who you help been to home"))[0] == "that"
    assert ids(index.search("home my with I"))[0] == "this"


def test_stop_words_find_nothing_and_count_for_nothing_in_scores():
    index = index_of(PHRASES)
    assert "none" not in ids(index.search("Who was with you at home?"))
    assert index.search("with you") == []
    assert index.scores("Who you help been to home") == index.scores("help home")


def test_stop_words_count_by_what_else_a_text_has():
    index = index_of({"a": "the refund was paid", "b": "it was in my house", "c": "a house"})
    assert ids(index.search("house, it was in my")) == ["b", "c"]
    # neither has both words: the one with more of the stop words gains next to nothing
    assert ids(index.search("refund, or the house: it was in my")) == ids(
        index.search("refund house")
    )


def test_six_words_of_a_text_find_it_among_many():
    dice = random.Random(4)
    common = [
        "i",
        "you",
        "we",
        "my",
        "the",
        "a",
        "to",
        "it",
        "is",
        "was",
        "at",
        "in",
        "of",
        "and",
        "for",
        "with",
        "have",
        "been",
        "that",
        "this",
    ]
    lines = [
        " ".join(dice.sample(common, 9) + text.split()[:4]) for text in texts(3_000, words=900)
    ]
    index = index_of({str(n): line for n, line in enumerate(lines)})
    found = 0
    for n in range(0, 3_000, 30):
        query = " ".join(dice.sample(lines[n].split(), 6))
        found += str(n) in ids(index.search(query))
    assert found >= 90


def test_a_file_of_before_the_stop_words_gets_them(tmp_path):
    path = tmp_path / "items.db"
    index_of(PHRASES, path=path).close()
    with sqlite3.connect(path) as file:
        file.execute("DELETE FROM said")
        file.execute("INSERT INTO said(rowid, words) SELECT row, 'home' FROM item")
        file.execute("PRAGMA user_version = 0")
    file.close()
    again = Index(path=path)
    assert again.search("Who you help been to home") == index_of(PHRASES).search(
        "Who you help been to home"
    )
    again.close()


def test_rows_that_come_together_are_found_as_those_that_come_one_by_one():
    """And a word is put in once for all of them."""
    each = [(row, text.split()) for row, text in enumerate(texts(1_500, words=90))]
    alone, together = BM25(), BM25()
    for row, terms in each:
        alone.add(row, terms, len(terms))
    calls = function_calls(lambda: together.extend(each), ("call",))
    assert calls < 20 * len(each)  # not one for each word of each
    more = [(2_000, ["word001xb", "new", "new"]), (1_700, ["word001xb"])]
    for row, terms in more:
        alone.add(row, terms, len(terms))
        together.extend([(row, terms)])
    assert alone.sizes == together.sizes
    for word in ("word001xb", "word030xa", "new"):
        one, other = alone._postings[word], together._postings[word]
        assert (one.rows, one.codes) == (other.rows, other.codes)
    weights = {"word001xb": 1.0, "word010xb": 0.5}
    assert alone.scores(weights) == together.scores(weights)
    assert alone.best(weights, 9) == together.best(weights, 9)


def test_the_telling_words_are_those_of_a_split():
    splitter = Splitter()
    for text in (
        "",
        "where is getUserName, HTTPServer2?",
        "the of and",
        "École, 東京タワー",
        *texts(40),
    ):
        assert list(splitter.telling(text)) == list(splitter.split(text)[0])
