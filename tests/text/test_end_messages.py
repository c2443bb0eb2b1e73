"""Which of many messages says that a request is over: as looking at each of them says."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import end_messages
from contextwright.text.end_messages import EndMessages
from contextwright.text.end_sentences import is_news_of, names_in, says_end, tells_of

REQUESTS = ("Please migrate table item7x.", "Refactor the login page.", "Water the office plants.")
MESSAGES = st.sampled_from((
    *REQUESTS,
    "item7x is finished.",
    "item8x is finished.",
    "Is item7x done?",
    "The login page is refactored.",
    "The login page was mentioned.",
    "All plants of the office are watered.",
    "Cancel item7x.",
    "Forget about the login page.",
    "Good morning.",
))  # fmt: skip
TALKS = st.lists(st.tuples(MESSAGES, st.sampled_from(("user", "assistant"))), max_size=12)


def messages_of(talk):
    found = EndMessages()
    for place, (text, role) in enumerate(talk):
        found.add(place, text, role)
    return found


@given(TALKS, st.sampled_from(REQUESTS), st.data())
def test_the_end_of_a_request_is_what_looking_at_each_message_finds(talk, request_, data):
    start = data.draw(st.integers(0, len(talk)))
    ends = [at for at in range(start, len(talk)) if says_end(request_, *talk[at])]
    by_name = [at for at in ends if names_in(request_) & names_in(talk[at][0])]
    expected = max(by_name, default=min(ends, default=None))
    found = messages_of(talk)
    assert found.end_of(request_, start, len(talk)) == expected
    tells = [at for at in range(start, len(talk)) if tells_of(request_, *talk[at])]
    assert found.last_word_on(request_, start, len(talk)) == max(tells, default=None)
    said = [at for at in range(start, len(talk)) if talk[at][1] == "user"]
    news = [at for at in said if is_news_of(request_, talk[at][0])]
    assert found.news_of(request_, start, len(talk)) == max(news, default=None)


@given(TALKS, TALKS, st.sampled_from(REQUESTS))
def test_a_place_that_is_taken_anew_is_looked_at_anew(talk, after, request_):
    found = messages_of(talk)
    found.end_of(request_, 0, len(talk))
    found.truncate(len(talk) // 2)
    whole = [*talk[: len(talk) // 2], *after]
    for place, (text, role) in enumerate(after, len(talk) // 2):
        found.add(place, text, role)
    expected = messages_of(whole).end_of(request_, 0, len(whole))
    assert found.end_of(request_, 0, len(whole)) == expected


def test_what_is_over_was_asked_for_by_a_user_in_front_of_it():
    talk = [(REQUESTS[0], "assistant"), (REQUESTS[0], "user"), ("item7x is finished.", "user")]
    found = messages_of(talk)
    assert found.is_asked_for(talk[2][0], 0, 2)
    assert not found.is_asked_for(talk[2][0], 0, 1)
    found.truncate(1)
    assert not found.is_asked_for(talk[2][0], 0, 3)


def test_messages_that_end_nothing_are_held_against_no_request(monkeypatch):
    looked_at = []
    shares = EndMessages._shares
    monkeypatch.setattr(
        EndMessages,
        "_shares",
        lambda self, at, *rest: looked_at.append(at) or shares(self, at, *rest),
    )
    asked = []
    ends = end_messages.ends_something
    monkeypatch.setattr(
        end_messages, "ends_something", lambda text, role: asked.append(text) or ends(text, role)
    )
    talk = [("The login page was mentioned, and the office.", "assistant")] * 300
    found = messages_of([*talk, ("The login page is refactored.", "assistant")])
    for start in range(end_messages.OFTEN):
        assert found.end_of("Refactor the login page.", start, 301) == 300
    looked_at.clear()
    for start in range(50):
        assert found.end_of("Refactor the login page.", start, 301) == 300
    assert looked_at == [300] * 50
    assert len(asked) == 301
