"""What is worth keeping, factor by factor (cooling-and-forgetting.md#salience)."""

import copy
import pickle
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parameters import few

from contextwright.errors import SpecError
from contextwright.retrieval.entity_tables import SORTS
from contextwright.retrieval.features import features, names_in
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.salience import WEIGHTS, SalienceScorer, entity_value, shares

texts = st.one_of(
    st.text(max_size=200),
    st.sampled_from(("# Plan", "---", "", "you asked for it", "see src/a/b.py", "```py\nx\n```")),
)


def values(scorer, text, **given):
    return {factor.name: factor.value for factor in scorer.explain(text, **given).factors}


def test_the_weights_are_the_documents():
    assert SalienceScorer().weights == {
        "recency": 0.3,
        "entity": 0.3,
        "user_reference": 0.2,
        "structural": 0.2,
    }
    assert SalienceScorer().known_entities == set()


@pytest.mark.parametrize(
    ("text", "structural"),
    [
        ("# Heading", 1.0),
        ("#Heading", 1.0),
        ("```python\nx = 1\n```", 1.0),
        ("Decision: we ship on Friday", 1.0),
        ("as said\n## Later", 0.6),
        ("", 0.0),
        ("---", 0.0),
        ("***", 0.0),
        ("plain words", 0.3),
    ],
)
def test_structure(text, structural):
    assert values(SalienceScorer(), text)["structural"] == structural


@pytest.mark.parametrize(
    ("text", "user"),
    [
        ("as you asked", 1.0),
        ("your order", 1.0),
        ("Human: hello", 1.0),
        ("user: hello", 1.0),
        ("the yourself-type of thing", 0.0),  # not within a word
        ("superuser: root", 0.0),
        ("plain words", 0.0),
    ],
)
def test_references_to_the_user(text, user):
    assert values(SalienceScorer(), text)["user_reference"] == user


def test_what_the_user_says_and_asks_counts():
    scorer = SalienceScorer()
    assert values(scorer, "plain words", role="user")["user_reference"] == 1.0
    scorer.ask("Where is the parcel from Lisbon?")
    assert values(scorer, "A parcel left Lisbon.")["user_reference"] == 1.0
    assert values(scorer, "A parcel left Rome.")["user_reference"] == 0.5


def test_one_known_name_is_one_and_not_its_letters():
    assert SalienceScorer(known_entities="ACME").known_entities == {"ACME"}


def test_known_names_count_as_whole_words():
    scorer = SalienceScorer()
    before = scorer.score("the art of the start at ACME")
    scorer.register_entity("acme")
    scorer.register_entity("art")
    assert scorer.score("the art of the start at ACME") == pytest.approx(before + 0.3)
    assert values(scorer, "the start")["entity"] == 0.0
    scorer.register_entity("")
    scorer.register_entity("--")
    assert values(scorer, "the start --")["entity"] == 0.0


def test_names_put_into_the_set_itself_count_too():
    scorer = SalienceScorer(known_entities={"Foo"})
    before = scorer.score("ACME")
    scorer.known_entities.add("ACME")
    assert scorer.score("ACME") > before
    scorer.known_entities.discard("ACME")
    assert scorer.score("ACME") == before


@pytest.mark.parametrize(
    "name", ["src/billing/refunds.py", "INV-0042", "max_retries", "48213", "a@example.com"]
)
def test_what_recurs_counts_by_itself(name):
    scorer = SalienceScorer()
    scorer.observe(f"look at {name} first")
    assert values(scorer, f"again {name}")["entity"] == 0.0
    scorer.observe(f"then {name} again")
    found = scorer.explain(f"again {name}")
    assert {factor.name: factor.value for factor in found.factors}["entity"] == 0.5
    assert name.casefold() in str(found)


def test_nothing_is_detected_where_that_is_off():
    scorer = SalienceScorer(detect=False)
    for _ in range(3):
        scorer.observe("INV-0042")
    assert values(scorer, "INV-0042")["entity"] == 0.0


def test_an_explanation_adds_up():
    scorer = SalienceScorer(known_entities=["Lisbon"])
    found = scorer.explain("# your trip to Lisbon", recency=0.25)
    assert found.score == pytest.approx(sum(f.weight * f.value for f in found.factors))
    assert "entity 0.30 x 1.00 (names Lisbon)" in str(found)


@pytest.mark.parametrize("weights", [{}, {"age": 1}, {"recency": -1, "entity": 2}, {"entity": 0}])
def test_weights_that_mean_nothing_are_refused(weights):
    with pytest.raises(SpecError, match="weights"):
        SalienceScorer(weights)


weights = st.dictionaries(st.sampled_from(list(WEIGHTS)), st.floats(0, 100), min_size=1).filter(
    lambda given: sum(given.values()) > 0
)


@given(weights, texts, st.floats(-1, 2), st.sampled_from(("", "user", "assistant")))
def test_a_score_is_between_zero_and_one(given_weights, text, recency, role):
    scorer = SalienceScorer(given_weights, ["plan"])
    scorer.observe(text)
    scorer.ask(text)
    assert 0 <= scorer.score(text, recency=recency, role=role) <= 1


@given(texts, st.floats(0, 1), st.floats(0, 1))
def test_newer_is_never_less_salient(text, one, other):
    scorer = SalienceScorer()
    low, high = sorted((one, other))
    assert scorer.score(text, recency=low) <= scorer.score(text, recency=high)


@given(texts, st.text(string.ascii_letters, min_size=3, max_size=9))
def test_a_known_name_never_makes_less_salient(text, name):
    scorer = SalienceScorer()
    before = scorer.score(f"{text} {name}")
    scorer.register_entity(name)
    assert scorer.score(f"{text} {name}") >= before


@given(texts)
def test_the_users_words_are_never_less_salient(text):
    scorer = SalienceScorer()
    assert scorer.score(text, role="user") >= scorer.score(text)


@given(texts)
def test_structure_never_makes_less_salient(text):
    scorer = SalienceScorer(detect=False)
    bare = scorer.score("plain " + text)
    assert scorer.score("# plain " + text) >= bare - 1e-9


def test_more_recurring_things_are_worth_more_and_never_one():
    found = [entity_value(count, known=False) for count in range(9)]
    assert found == sorted(found)
    assert found[0] == 0 and found[-1] < entity_value(0, known=True) == 1


@given(weights)
def test_shares_add_up_to_one(given_weights):
    assert sum(shares(given_weights).values()) == pytest.approx(1)


def test_features_of_a_long_text_are_those_of_its_beginning():
    assert features("x " * 4_000 + "INV-0042").entities == frozenset()


def test_an_index_reranks_by_salience():
    scorer = SalienceScorer(known_entities=["INV-0042"])
    index = Index(rerank=scorer.rerank)
    index.add([Item("a", "the refund was paid"), Item("b", "the refund of INV-0042 was paid")])
    assert [hit.item.id for hit in index.search("refund paid")] == ["b", "a"]


HOSTILE = ["\n", "a.", "a.b", "1.", "1.1", "1,", "1-", "-", "a-", "A-1", "www.", "a+", "a@", "/-"]


@pytest.mark.parametrize("seed", few(HOSTILE, 4))
def test_no_repeated_characters_make_a_text_slow(seed):
    # each of the eight hundred took a second where a pattern began anew at every character
    scorer = SalienceScorer()
    for n in range(800 // len(HOSTILE)):
        assert 0 <= scorer.score(f"{seed * 8_000}{n}"[n:]) <= 1


def test_what_is_long_is_still_found():
    found = features("ask jane.van-doe@mail.example.org for src/a-b/c.py in 1,200.50 km")
    assert {"jane.van-doe@mail.example.org", "src/a-b/c.py", "1,200.50 km"} <= (found.entities)


def test_names_are_those_among_the_features():
    text = (
        "ask jane@example.org for `the plan` of src/a.py, user_id and 1,200 km by Anna Bell " * 90
    )
    assert names_in(text) == features(text).entities
    assert features(text).words == {
        "plan", "ask", "jane", "exampl", "org", "src", "py", "user", "id", "1", "200", "km", "anna",
        "bell",
    }  # fmt: skip


PLAIN = {
    "amount": r"[$\u20ac\u00a3\u00a5]\s?\d[\d.,]*\d?[kKmM]?\b|(?<!\d[.,])\b\d[\d.,]*\s?(?:%|kB\b|km\b|USD\b)",
    "identifier": r"`([^`\n]{2,60})`"
    r"|\b(?:[A-Za-z]\w*_\w+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z]+-?\d[\w-]*"
    r"|\w+(?:\.\w+){0,8}\.(?:py|js|ts|md|json|ya?ml|toml|sql|html|css|go|rs)|v?\d+\.\d+\.\d+)\b",
}
"""Sorts of names as they would be written if every character were tried for all it could begin."""
PIECES = [
    "a",
    "B",
    "_",
    "-",
    ".",
    "1",
    "23",
    "v",
    "py",
    "`",
    " ",
    "$",
    "kB",
    "%",
    "\u00e9",
    "Ab",
    "km",
    ",",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(list(PLAIN)))
def test_sorts_of_names_are_found_as_they_would_be_at_every_character(text, sort):
    quick = dict(SORTS)[sort]
    found = [match.span() for match in re.finditer(PLAIN[sort], text)]
    assert [match.span() for match in quick.finditer(text)] == found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("\u4e0a\u6d77", "\u5ba2\u6237\u6765\u81ea\u4e0a\u6d77\u5e02"),
        ("ACME", "\u5ba2\u6237ACME\u6765\u81ea\u4e0a\u6d77"),
        ("\u6771\u4eac", "\u4ed6\u306f\u6771\u4eac\u306b\u4f4f\u3093\u3067\u3044\u308b"),
        ("\u30c8\u30e8\u30bf", "\u65b0\u3057\u3044\u30c8\u30e8\u30bf\u306e\u8eca"),
        ("\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e", "\u0e1c\u0e21\u0e2d\u0e22\u0e39\u0e48\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e\u0e21\u0e32\u0e19\u0e32\u0e19"),
        ("\uc11c\uc6b8", "\uc11c\uc6b8\uc5d0\uc11c \uc654\ub2e4"),
        ("invoice", "All invoices are late."),
        ("invoices", "The invoice is late."),
        ("company", "Two companies asked."),
        ("box", "The boxes came."),
        ("Globex Order", "globex orders are open"),
        ("ACME", "Two ACMEs exist."),
        ("order 12", "It is order 12."),
    ],
)  # fmt: skip
def test_a_registered_name_is_found_in_every_script_and_number(name, text):
    assert SalienceScorer(known_entities={name}).score(text) > SalienceScorer().score(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("port", "The report came."),
        ("AS", "He asked a guest."),
        ("order 12", "It is order 123."),
        ("invoice", "He invoiced it."),
        ("class", "The clas is full."),
        ("\u5317\u4eac", "\u5ba2\u6237\u6765\u81ea\u4e0a\u6d77\u5e02"),
    ],
)
def test_what_only_contains_a_name_is_another_word(name, text):
    assert SalienceScorer(known_entities={name}).score(text) == SalienceScorer().score(text)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda scorer: pickle.loads(pickle.dumps(scorer))]
)
def test_a_copy_of_a_scorer_knows_what_it_knew_and_goes_on_by_itself(again):
    scorer = SalienceScorer(known_entities=["Meyer"])
    for _ in range(2):
        scorer.observe("NW-4417 stops.")
    other = again(scorer)
    other.register_entity("Schulz")
    assert other.score("NW-4417 of Meyer") == scorer.score("NW-4417 of Meyer")
    assert other.score("Schulz") > scorer.score("Schulz")
