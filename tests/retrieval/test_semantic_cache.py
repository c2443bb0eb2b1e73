"""An answer comes back for the same question in other words, and for no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.semantic_cache import SemanticCache

ASKED = "What is the refund policy for order A17 placed in May?"


class Alike:
    """Finds all texts the same: only the guards are left."""

    def vectors(self, texts):
        return [[1.0, 0.0] for _ in texts]


def kept(cache=None, query=ASKED, **options):
    cache = SemanticCache() if cache is None else cache
    cache.put(query, "30 days", now_ms=1_000, **options)
    return cache


@pytest.mark.parametrize(
    "query",
    [
        ASKED,
        "Please tell me the refund policy for order A17 placed in May",
        "the refund policy for order A17 placed in May?",
    ],
)
def test_the_same_question_in_other_words_is_answered(query):
    found = kept().get(query, now_ms=1_500)
    assert found is not None
    assert (found.answer, found.query, found.age_ms) == ("30 days", ASKED, 500)


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        (ASKED, ASKED.replace("A17", "A18")),
        (ASKED, ASKED.replace("May", "June")),
        (ASKED, ASKED.replace("is the", "is not the")),
        ("how many users pay", "how many users don't pay"),
        ("flights below 300 euros", "flights above 300 euros"),
        ("flights below 300 euros", "flights below 400 euros"),
        ("two rooms for a night", "three rooms for a night"),
        ("trains from Paris to Rome", "trains from Rome to Paris"),
        ("the first invoice", "the last invoice"),
        ("open src/a.py", "open src/b.py"),
        ("where is the invoice", "when is the invoice"),
        ("my invoice", "her invoice"),
        ("enable logging", "disable logging"),
    ],
)
@pytest.mark.parametrize("embedder", [None, Alike()])
def test_a_guard_that_fails_gives_nothing(asked, query, embedder):
    cache = kept(SemanticCache(embedder, like=0.0), asked)
    assert cache.get(query, now_ms=2_000) is None
    assert cache.get(asked, now_ms=2_000) is not None


def test_by_words_their_order_counts():
    assert (
        kept(query="does the dog bite the man").get("does the man bite the dog", now_ms=1_000)
        is None
    )


def test_by_words_one_other_word_is_another_question():
    cache = kept(query="opening hours of the museum")
    assert cache.get("opening hours of the library", now_ms=1_000) is None


def test_another_scope_or_version_gets_nothing():
    cache = kept(scope="ann", version="7")
    assert cache.get(ASKED, now_ms=1_000, scope="ann", version="7")
    assert cache.get(ASKED, now_ms=1_000, scope="bob", version="7") is None
    assert cache.get(ASKED, now_ms=1_000, scope="ann", version="8") is None
    assert cache.get(ASKED, now_ms=1_000) is None


def test_an_old_answer_is_forgotten():
    cache = kept(SemanticCache(max_age_ms=100))
    assert cache.get(ASKED, now_ms=1_100)
    assert cache.get(ASKED, now_ms=1_101) is None
    assert len(cache) == 0


def test_an_answer_from_the_future_is_not_given():
    assert kept().get(ASKED, now_ms=999) is None


def test_the_one_used_longest_ago_goes():
    cache = SemanticCache(keep=2)
    for query in ("red paint", "blue paint", "green paint"):
        cache.put(query, query, now_ms=0)
        cache.get("red paint", now_ms=0)
    assert cache.get("red paint", now_ms=0)
    assert cache.get("blue paint", now_ms=0) is None


def test_forgetting_by_version():
    cache = kept(version="1")
    kept(cache, "red paint", version="2")
    assert cache.forget(version="1") == 1
    assert len(cache) == 1
    assert cache.forget() == 1


def test_a_broken_embedder_leaves_the_words_and_says_so(broken):
    cache = kept(SemanticCache(broken))
    assert cache.get(f"Please tell me: {ASKED}", now_ms=1_000)
    assert "no route to host" in cache.degraded
    assert SemanticCache().degraded == "no embedder: alike by words only"


def test_vectors_find_a_question_in_quite_other_words():
    cache = kept(SemanticCache(Alike()), "opening hours of the museum")
    found = cache.get("at which times is the museum accessible", now_ms=1_000)
    assert found is None, "another question word"
    assert cache.get("museum visiting times", now_ms=1_000)


@given(st.text(max_size=80), st.text(max_size=80))
def test_numbers_that_differ_are_never_alike(one, other):
    numbers = [[c for c in text if c in "0123456789"] for text in (one, other)]
    cache = SemanticCache(Alike())
    cache.put(one, "x", now_ms=0)
    if numbers[0] != numbers[1]:
        assert cache.get(other, now_ms=0) is None
    assert cache.get(one, now_ms=0)
