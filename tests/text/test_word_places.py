"""Which of many texts have a word, or a part of one: as looking at each of them tells."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences
from contextwright.text.word_places import WordPlaces

WORDS = (
    "flight", "Flights", "KAW599", "getUserName", "doIt", "the", "off", "offs", "app.cfg", "a_b",
    "caf\u00e9", "cafe\u0301", "\uff21\uff22\uff23", "\u822a\u73ed\u53d6\u6d88", "Stra\u00dfe", "42",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from((*WORDS, ". ", "! The ", "\n", "\u3002", ", ", "")), max_size=8)
TALKS = st.lists(TEXTS.map(" ".join), max_size=8)


def places_of(talk, gone=()):
    places = WordPlaces()
    for place in reversed(range(len(talk))):
        places.add(place, talk[place])
    for place in gone:
        places.remove(place, talk[place])
    return places


@given(TALKS, st.sets(st.sampled_from(WORDS), max_size=5), st.data())
def test_of_a_sentence_each_content_word_counts(talk, sought, data):
    start = data.draw(st.integers(0, len(talk)))
    words = {*content_words(" ".join(sought))}
    counts = places_of(talk).shared(words, start, len(talk))
    for place, text in enumerate(talk):
        most = max((len(words & {*content_words(one)}) for one in sentences(text)), default=0)
        assert counts[place] >= (most if place >= start else 0)
        assert place >= start or not counts[place]


@given(TALKS, st.sets(st.sampled_from(WORDS), max_size=5), st.integers(1, 5))
def test_texts_with_so_many_words_are_those_of_all_that_have_as_many(talk, sought, least):
    words, places = {*content_words(" ".join(sought))}, places_of(talk)
    every = places.shared(words, 0, len(talk))
    some = places.shared(words, 0, len(talk), least)
    assert {at: n for at, n in some.items() if n >= least} == {
        at: n for at, n in every.items() if n >= least
    }
    assert some.keys() <= every.keys()


@given(TALKS, st.sampled_from(("kaw599", "light", "app.cfg", "username", "#_", "caf", "stra")))
def test_what_has_a_part_is_among_those_that_may(talk, part):
    may = places_of(talk).with_part(part, 0, len(talk))
    assert may == sorted({*may})
    assert {at for at, text in enumerate(talk) if part in text.casefold()} <= {*may}


@given(TALKS.filter(bool), st.sampled_from(WORDS))
def test_what_is_removed_has_no_word_any_more(talk, word):
    places = places_of(talk, gone=[len(talk) - 1])
    words = {*content_words(word)}
    assert places.shared(words, 0, 9) == places_of(talk[:-1]).shared(words, 0, 9)
    assert places.with_part(word.casefold(), 0, 9) == places_of(talk[:-1]).with_part(
        word.casefold(), 0, 9
    )


def test_each_word_of_many_texts_is_looked_at_once(monkeypatch):
    learned = []
    learn = WordPlaces._learn
    monkeypatch.setattr(
        WordPlaces, "_learn", lambda self, runs: learned.extend(runs) or learn(self, learned[-2:])
    )
    places = places_of(["login page"] * 20)
    assert sorted(learned) == ["login", "page"]
    assert places.shared({"login", "page"}, 5, 7) == {5: 2, 6: 2}
