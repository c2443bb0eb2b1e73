"""`C.within`: what is known in so many of the request's own tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.errors import SpecError

LINES = [
    {"id": str(n), "text": f"[8 May 2023] {who}: line {n} says {what}.", "kind": "turn",
     "role": who, "thread": "t", "rank": rank}
    for n, (who, what, rank) in enumerate(
        [("Ann", "soup", 2), ("Bob", "tea", 1), ("Ann", "cake", 3), ("Bob", "rain", 0)]
    )
]  # fmt: skip


def session_with(entries, key="passages"):
    session = Session(state={key: entries})
    session.user("What was said of rain and tea?")
    return session


def grown(entries, room, model="gpt-5"):
    """Tokens that the word adds to a request, and the request."""
    session = session_with(entries)
    pack = compile(session, C.within(room) + C.default(), model=model)
    return pack.manifest.tokens - compile(session, C.default(), model=model).manifest.tokens, pack


def test_the_best_that_fits_in_reading_order_with_its_date_once():
    tokens, pack = grown(LINES, 58)
    body = pack.body.decode()
    assert tokens <= 58
    assert body.index("says tea") < body.index("says rain")
    assert body.count("[8 May 2023]") == 1
    assert "cake" not in body
    assert any("that were found did not fit" in note for note in pack.manifest.notes)


def test_all_that_fits_is_sent_and_nothing_is_noted():
    _, pack = grown(LINES, 400)
    assert all(f"line {n}" in pack.body.decode() for n in range(4))
    assert not any("did not fit" in note for note in pack.manifest.notes)


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
@pytest.mark.parametrize("room", [1, 20, 50, 100, 200, 1_000])
def test_the_request_grows_by_no_more_than_its_room(model, room):
    texts = [f"Passage {n} <b>is</b> about \u00e9t\u00e9 {'and rain ' * n}" for n in range(30)]
    assert grown(texts, room, model)[0] <= room


@given(texts=st.lists(st.text(min_size=1, max_size=80), max_size=8), room=st.integers(1, 300))
def test_the_request_grows_by_no_more_than_its_room_whatever_the_texts(texts, room):
    assert grown(texts, room)[0] <= room


@pytest.mark.parametrize(
    "entries", [None, [], "", {}, [{}], [{"text": ""}], [None, 3], {"text": "rain", "rank": "x"}]
)
def test_a_key_that_holds_something_else_ends_nothing(entries):
    grown(entries, 100)


def test_a_text_too_long_is_sent_in_its_best_sentences():
    filler = " ".join(f"Sentence {n} is about nothing much." for n in range(80))
    tokens, pack = grown([f"{filler} The heron likes rain and tea. {filler}"], 120)
    assert tokens <= 120
    assert "heron likes rain" in pack.body.decode()


def test_another_key_and_no_room():
    session = session_with(["It rained."], key="docs")
    assert b"It rained." in compile(session, C.within(99, key="docs"), model="gpt-5").body
    with pytest.raises(SpecError, match="max_tokens is 0"):
        C.within(0)
